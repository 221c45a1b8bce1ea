public import AmalgamCore
public import AmalgamQuery

extension FTS5 {
    /// Returns an expression for the text of a column and the ranges of its matches, to decode as an
    /// ``FTS5MarkedText``.
    ///
    /// ```swift
    /// let request = Document.matching("sqlite").select { FTS5.markedText($0.title) }
    /// let title = try request.asRequest(of: FTS5MarkedText.self).fetchOne(db)
    /// // SELECT amalgam_marked_text("document", 0) FROM "document" WHERE "document" MATCH 'sqlite'
    /// ```
    ///
    /// The expression reads and tokenizes the text, as `highlight()` does. If several tokens have the same position,
    /// the expression marks the text of the token that matches: in a table with
    /// ``FTS5TokenizerModule/identifiers(capitals:named:)``, the pattern `urlsession` marks the whole identifier
    /// `URLSession`. `highlight()` marks only `URL`.
    ///
    /// A connection has the function after its first use in a request, so a view of such a request can't be created, except
    /// for a temporary one.
    public static func markedText(_ column: some NamedColumn) -> SQLExpression {
        let name = column.name
        return markedTextFunction.registeredCall { [try $0.index(of: name).node] }
    }

    /// Returns an expression for the fragments of a column's text that match best, with the ranges of their matches, to
    /// decode as an ``FTS5MarkedSnippet``.
    ///
    /// ```swift
    /// struct Hit: Decodable, FetchableRecord {
    ///     var excerpt: FTS5MarkedSnippet
    /// }
    ///
    /// let request = Document.matching("sqlite")
    ///     .select { FTS5.markedSnippet($0.body, tokenCount: 8).forKey("excerpt") }
    /// // SELECT amalgam_marked_snippet("document", 1, 8, 1) AS "excerpt" FROM "document" WHERE "document" MATCH 'sqlite'
    /// for hit in try request.asRequest(of: Hit.self).fetchAll(db) {
    ///     print(FTS5.html(hit.excerpt))   // …is a book about <mark>SQLite</mark> &amp; other…
    /// }
    /// ```
    ///
    /// One piece is the fragment with most of the phrases, preferably at the beginning of a sentence. `snippet()` chooses the
    /// same fragment, with two exceptions: for `snippet()`, only a period or a colon before white space ends a sentence. Here,
    /// `!`, `?`, `。`, `！` and `？` end one, too. And if the fragment is shorter than the text from its first match to the end of
    /// its last one, such as a long phrase, `snippet()` shows the middle of this text, and this expression its beginning.
    /// Each further piece shows phrases that the pieces before it don't show, if possible.
    /// Identifiers of up to 256 bytes aren't cut: see ``FTS5TokenizerModule/identifiers(capitals:named:)``.
    ///
    /// The expression chooses from the first 10,000 matches in the column, and reads and tokenizes the text up to the
    /// last of them. The time is proportional to the length of this text.
    ///
    /// - Parameters:
    ///   - column: The column. To choose the column that matches best, call ``markedSnippet(tokenCount:pieceCount:)``.
    ///   - tokenCount: The maximum number of tokens in a piece: 1...1,000. Other values are clamped.
    ///   - pieceCount: The maximum number of pieces: 1...16. Other values are clamped.
    public static func markedSnippet(
        _ column: some NamedColumn, tokenCount: Int = 16, pieceCount: Int = 1
    ) -> SQLExpression {
        let name = column.name
        return markedSnippetFunction.registeredCall { [try $0.index(of: name).node, tokenCount.node, pieceCount.node] }
    }

    /// Returns an expression for the fragments that match best, of the column that matches best, to decode as an
    /// ``FTS5MarkedSnippet``.
    ///
    /// ```swift
    /// let request = Document.matching("sqlite").select { _ in FTS5.markedSnippet(pieceCount: 2) }
    /// let excerpts = try request.asRequest(of: FTS5MarkedSnippet.self).fetchAll(db)
    /// // SELECT amalgam_marked_snippet("document", -1, 16, 2) FROM "document" WHERE "document" MATCH 'sqlite'
    /// ```
    ///
    /// The expression reads and tokenizes the text of all columns with matches. See
    /// ``markedSnippet(_:tokenCount:pieceCount:)``.
    public static func markedSnippet(tokenCount: Int = 16, pieceCount: Int = 1) -> SQLExpression {
        markedSnippetFunction.registeredCall { _ in [(-1).node, tokenCount.node, pieceCount.node] }
    }

    private static let markedTextFunction = FTS5Function("amalgam_marked_text") { match, arguments in
        let column = arguments.first.flatMap(Int.fromDatabaseValue) ?? 0
        let hits = try match.hits().filter { $0.column == column }
        let places = hits.isEmpty ? TokenPlaces() : try match.tokenPlaces(ofColumn: column)
        let marks = try match.marks(of: hits, places)
        return try match.withText(ofColumn: column) { MarkedBytes.encode($0, marks) }
    }

    private static let markedSnippetFunction = FTS5Function("amalgam_marked_snippet") { match, arguments in
        let numbers = arguments.map { Int.fromDatabaseValue($0) ?? 0 }
        let maker = SnippetMaker(
            tokenCount: numbers.count > 1 ? numbers[1] : 16, pieceCount: numbers.count > 2 ? numbers[2] : 1)
        return try maker.snippet(of: match, column: numbers.first ?? -1)
    }
}

extension FTS5Match {
    /// The byte ranges of hits in a column's text. Hits outside of the text are omitted: its content may have changed
    /// since it was indexed.
    func marks(of hits: [Hit], _ places: TokenPlaces) throws -> [MarkedBytes.Mark] {
        if hits.isEmpty { return [] }
        let phrases = try cached([[String]].self) { match in
            try (0..<match.phraseCount).map { try match.tokens(ofPhrase: $0) }
        }
        return hits.compactMap { hit in
            let tokens = phrases[hit.phrase]
            let last = hit.tokenOffset + max(1, tokens.count) - 1
            guard let start = places.place(at: hit.tokenOffset, matching: tokens.first ?? ""),
                let end = places.place(at: last, matching: tokens.last ?? "")
            else { return nil }
            return MarkedBytes.Mark(
                phrase: hit.phrase, start: start.lowerBound, end: max(start.upperBound, end.upperBound))
        }
    }
}
