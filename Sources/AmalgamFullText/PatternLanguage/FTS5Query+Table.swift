public import AmalgamCore

extension FTS5Query {
    /// Returns the query as a pattern for a table.
    ///
    /// ```swift
    /// let pattern = try FTS5Query("sqlite").inColumns("title").pattern(db, forTable: "document")   // title : sqlite
    /// try FTS5Query("sqlite").inColumns("titel").pattern(db, forTable: "document")
    /// // throws: no such column: titel. The columns of document are: title, body
    /// ```
    ///
    /// A phrase without tokens, such as an emoji in a table with the default tokenizer, is ignored next to other parts
    /// of the query, with any operator. FTS5 itself ignores a phrase without tokens only in a list of phrases, such as
    /// `swift "😀"`. This method finds phrases without tokens with the tokenizer of the table, and removes them:
    ///
    /// ```swift
    /// let pattern = try (("swift" || "rust") && "😀").pattern(db, forTable: "document")   // swift OR rust
    /// ```
    ///
    /// If no phrase of the query has a token, the query matches nothing.
    ///
    /// Words with typos are expanded into the terms of the table: see ``fuzzy(_:tolerance:)``.
    ///
    /// If the table has no phrase queries (`detail=column` or `detail=none`), a phrase of a search box or of
    /// ``fuzzy(_:tolerance:)`` becomes a query for its words: `e-mail` becomes `e mail`. Other phrases don't change: a
    /// search for them throws an error.
    ///
    /// - Throws: ``FTS5QueryError`` if the query names a column that the table doesn't have, or is nested too deeply; a
    ///   ``DatabaseError`` if the query names columns and the table doesn't exist.
    public func pattern(_ db: Database, forTable table: String) throws -> FTS5Pattern {
        FTS5Pattern(known: try expanded(db, forTable: table).rawPattern())
    }

    /// The query for a table: with the alternatives of its words, without phrases that have no tokens, and without typed
    /// phrases if the table has no phrase queries.
    func expanded(_ db: Database, forTable table: String) throws -> FTS5Query {
        let query = try expandedPhrases(db, forTable: table)
        let index = FullTextIndex(db: db, table: table)
        guard query.hasTypedPhrase, let settings = try index.settings(), !settings.hasPhrases else { return query }
        return try query.replacingTypedPhrases(by: index.tokenizer)
    }

    private func expandedPhrases(_ db: Database, forTable table: String) throws -> FTS5Query {
        if node == .tooDeep { throw FTS5QueryError.nestedTooDeeply }
        try checkColumns(db, table)
        let index = FullTextIndex(db: db, table: table)
        let hasToken = { (part: FTS5Phrase.Part) in try index.hasToken(in: part.text, isPrefix: part.isPrefix) }
        guard hasWord else { return try ignoringEmptyPhrases(hasToken) }
        let query = try ignoringAllEmptyPhrases(hasToken)
        return try QueryExpander(query, index)?.expand(query) ?? query
    }

    /// Throws an error that lists the columns of the table. The error of FTS5 doesn't.
    private func checkColumns(_ db: Database, _ table: String) throws {
        let names = columnNames
        if names.isEmpty { return }
        let columns = try db.columns(in: table).filter { !$0.isHidden }.map(\.name)
        let known = Set(columns.map(TableName.init))
        if let name = names.first(where: { !known.contains(TableName($0)) }) {
            throw FTS5QueryError.unknownColumn(name, table: table, columns: columns)
        }
    }
}
