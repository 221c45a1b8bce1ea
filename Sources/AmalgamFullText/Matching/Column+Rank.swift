public import AmalgamQuery

extension Column {
    /// The hidden `rank` column of an ``FTS5`` table, the rank of a matching row. It is smaller for better matches.
    ///
    /// ```swift
    /// Document.matching("sqlite").order(Column.rank)
    /// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite' ORDER BY "rank"
    /// ```
    ///
    /// See <https://www.sqlite.org/fts5.html#sorting_by_auxiliary_function_results>.
    public static let rank = Column("rank")
}
