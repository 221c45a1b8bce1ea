/// A part of a query, and the exclusions (operands of NOT) that aren't applied yet.
///
/// FTS5 has no unary NOT. For a part such as `-java`, this type stores the exclusion until the part is combined with a
/// part that has a query, such as `swift`: `swift NOT java`.
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
