/// A part of a query, and the exclusions (operands of NOT) that aren't applied yet.
///
/// FTS5 has no unary NOT. A part such as `-java` therefore stores its exclusion until it is combined with a part that
/// has a query.
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
