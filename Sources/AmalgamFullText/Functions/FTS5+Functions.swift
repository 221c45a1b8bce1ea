public import AmalgamCore
public import AmalgamQuery

extension FTS5 {
    /// Returns an expression that ranks a row by the Okapi BM25 function, with weights for columns. Smaller values are
    /// better.
    ///
    /// ```swift
    /// Document.matching("sqlite").order(FTS5.bm25(weights: ["title": 10]))
    /// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite' ORDER BY bm25("document", 10.0, 1.0)
    /// ```
    ///
    /// Fetching throws `no such column` if a weight names a column that the table doesn't have. To order rows,
    /// ``TableRequest/ranked(by:)`` is faster than this expression. In a query with typos, it orders rows with fewer typos
    /// first, and this expression doesn't: a rare misspelled word has a high score. See
    /// <https://www.sqlite.org/fts5.html#the_bm25_function>.
    ///
    /// - Parameter weights: The weights of columns, by column name. The weight of other columns is 1.
    public static func bm25(weights: [String: Double] = [:]) -> SQLExpression {
        call("bm25") { columns in
            if weights.isEmpty { return [] }
            var numbers = try columns.names().map { _ in 1.0 }
            for (column, weight) in weights { numbers[try columns.index(of: column)] = weight }
            return numbers.map { $0.node }
        }
    }

    /// Returns an expression for the text of a column, with markers around the phrases that match.
    ///
    /// ```swift
    /// Document.matching("sqlite").select { FTS5.highlight($0.title, from: "<b>", to: "</b>") }
    /// // SELECT highlight("document", 0, '<b>', '</b>') FROM "document" WHERE "document" MATCH 'sqlite'
    /// // a book about <b>SQLite</b>
    /// ```
    ///
    /// Phrases that overlap share one pair of markers. See <https://www.sqlite.org/fts5.html#the_highlight_function>.
    ///
    /// - Important: The text isn't escaped. If the markers are tags, a document with a `<script>` runs this script in
    ///   the page that shows the result. Use ``markedText(_:)``, which returns ranges instead of inserting markers, and
    ///   ``html(_:from:to:)``, which escapes the text.
    ///
    /// - Parameters:
    ///   - column: The column to highlight.
    ///   - open: The text to insert before a match.
    ///   - close: The text to insert after a match.
    public static func highlight(
        _ column: some NamedColumn, from open: String, to close: String
    ) -> SQLExpression {
        let name = column.name
        return call("highlight") { columns in
            [try columns.index(of: name).node, open.node, close.node]
        }
    }

    /// Returns an expression for a short fragment of the given column's text: the fragment that matches best, with
    /// markers around the phrases that match.
    ///
    /// ```swift
    /// Document.matching("sqlite").select { FTS5.snippet($0.body, from: "<b>", to: "</b>", tokenCount: 8) }
    /// // SELECT snippet("document", 1, '<b>', '</b>', '…', 8) FROM "document" WHERE "document" MATCH 'sqlite'
    /// // …is a book about <b>SQLite</b> and other…
    /// ```
    ///
    /// See <https://www.sqlite.org/fts5.html#the_snippet_function>.
    ///
    /// - Important: The text isn't escaped, as with ``highlight(_:from:to:)``. Use
    ///   ``markedSnippet(_:tokenCount:pieceCount:)`` and ``html(_:ellipsis:from:to:)`` to show results as HTML.
    ///
    /// - Parameters:
    ///   - column: The column. To choose the column that matches best, call ``snippet(from:to:ellipsis:tokenCount:)``.
    ///   - open: The text to insert before a match.
    ///   - close: The text to insert after a match.
    ///   - ellipsis: The text to insert where the fragment omits the beginning or the end of the column's text.
    ///   - tokenCount: The maximum number of tokens in the fragment: 1...64. Other values are clamped.
    public static func snippet(
        _ column: some NamedColumn, from open: String, to close: String, ellipsis: String = "…",
        tokenCount: Int = 16
    ) -> SQLExpression {
        let name = column.name
        return call("snippet") { columns in
            [try columns.index(of: name).node] + snippetArguments(open, close, ellipsis, tokenCount)
        }
    }

    /// Returns an expression for a short fragment of the column that matches best, with markers around the phrases that
    /// match.
    ///
    /// ```swift
    /// Document.matching("sqlite").select { _ in FTS5.snippet(from: "<b>", to: "</b>") }
    /// // SELECT snippet("document", -1, '<b>', '</b>', '…', 16) FROM "document" WHERE "document" MATCH 'sqlite'
    /// ```
    ///
    /// - Important: The text isn't escaped: see ``snippet(_:from:to:ellipsis:tokenCount:)``.
    public static func snippet(
        from open: String, to close: String, ellipsis: String = "…", tokenCount: Int = 16
    ) -> SQLExpression {
        call("snippet") { _ in [(-1).node] + snippetArguments(open, close, ellipsis, tokenCount) }
    }

    private static func snippetArguments(
        _ open: String, _ close: String, _ ellipsis: String, _ tokenCount: Int
    ) -> [any SQLNode] {
        [open.node, close.node, ellipsis.node, Swift.min(64, Swift.max(1, tokenCount)).node]
    }

    /// Returns an expression for the locale of a column's value, or NULL if the value has no locale.
    ///
    /// ```swift
    /// Document.matching("sqlite").select { FTS5.locale(of: $0.title) }
    /// // SELECT fts5_get_locale("document", 0) FROM "document" WHERE "document" MATCH 'sqlite'
    /// ```
    public static func locale(of column: some NamedColumn) -> SQLExpression {
        let name = column.name
        return call("fts5_get_locale") { columns in [try columns.index(of: name).node] }
    }

    /// Returns an expression for a string with a locale, for tables with the option ``FTS5TableDefinition/locale``:
    /// `fts5_locale('de_DE', 'Größe')`.
    ///
    /// ```swift
    /// try db.execute(literal: "INSERT INTO document (title) VALUES (\(FTS5.localized("Größe", locale: "de_DE")))")
    /// ```
    ///
    /// See <https://www.sqlite.org/fts5.html#the_fts5_locale_function>.
    public static func localized(_ text: String, locale: String) -> SQLExpression {
        SQLFunction("fts5_locale", pure: true)(locale, text)
    }

    private static func call(
        _ name: String, _ arguments: @escaping @Sendable (FullTextColumns) throws -> [any SQLNode]
    ) -> SQLExpression {
        SQLExpression(node: AuxiliaryNode(name: name, arguments: arguments))
    }
}

extension FTS5Function {
    /// Returns an expression that calls the function, for a request of a full-text table.
    ///
    /// ```swift
    /// let inTitle = FTS5Function("inTitle") { match, arguments in try match.columns(ofPhrase: 0).contains(0) }
    /// Document.matching("sqlite").order(inTitle().desc)
    /// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite' ORDER BY inTitle("document") DESC
    /// ```
    public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
        let nodes = arguments.map(\.node)
        return SQLExpression(node: AuxiliaryNode(name: name, nestedNodes: nodes) { _ in nodes })
    }
}
