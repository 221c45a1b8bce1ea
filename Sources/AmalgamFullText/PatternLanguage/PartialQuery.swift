/// A part of a query, with the queries that it excludes.
///
/// FTS5 has no unary NOT. A part that only excludes documents therefore stores its exclusions until an enclosing query
/// has something to match.
struct PartialQuery {
    var query: FTS5Query?
    var excluded: [FTS5Query] = []
}

extension PartialQuery {
    /// The part with its exclusions applied, if it has something to match.
    var resolved: PartialQuery {
        guard let query, let excluded = FTS5Query.any(excluded) else { return self }
        return PartialQuery(query: query.not(excluded))
    }

    func map(_ transform: (FTS5Query) -> FTS5Query) -> PartialQuery {
        PartialQuery(query: query.map(transform), excluded: excluded.map(transform))
    }
}
