/// What a part of a query looks for, and what it leaves out.
///
/// FTS5 leaves documents out of those that it has found. So a part that looks for nothing keeps what it leaves out, until the
/// queries around it look for something.
struct PartialQuery {
    var query: FTS5Query?
    var excluded: [FTS5Query] = []
}

extension PartialQuery {
    /// The part without what it leaves out, if it looks for something.
    var resolved: PartialQuery {
        guard let query, let excluded = FTS5Query.any(excluded) else { return self }
        return PartialQuery(query: query.not(excluded))
    }

    func map(_ transform: (FTS5Query) -> FTS5Query) -> PartialQuery {
        PartialQuery(query: query.map(transform), excluded: excluded.map(transform))
    }
}
