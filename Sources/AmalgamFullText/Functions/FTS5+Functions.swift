public import AmalgamCore
public import AmalgamQuery

extension FTS5 {
    /// How well a row matches, with weights for columns: the smaller, the better.
    ///
    /// ```swift
    /// Document.matching(pattern).order(FTS5.bm25(weights: ["title": 10]))
    /// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite' ORDER BY bm25("document", 10.0, 1.0)
    /// ```
    ///
    /// Ordering by it throws `no such column` for a weight of a column that the table does not have. With constant
    /// weights, ``AmalgamQuery/TableRequest/ranked(by:)`` is faster. See
    /// <https://www.sqlite.org/fts5.html#the_bm25_function>.
    ///
    /// - Parameter weights: the weights of columns, by their names. Those without weight have 1.
    public static func bm25(weights: [String: Double] = [:]) -> SQLExpression {
        call("bm25") { columns in
            if weights.isEmpty { return [] }
            var numbers = try columns.names().map { _ in 1.0 }
            for (column, weight) in weights { numbers[try columns.index(of: column)] = weight }
            return numbers.map { $0.node }
        }
    }

    /// The text of a column, with marks around the parts that match.
    ///
    /// ```swift
    /// Document.matching(pattern).select { FTS5.highlight($0.title, from: "<b>", to: "</b>") }
    /// // SELECT highlight("document", 0, '<b>', '</b>') FROM "document" WHERE "document" MATCH 'sqlite'
    /// // a book about <b>SQLite</b>
    /// ```
    ///
    /// Marks go around a phrase, or several ones that overlap. ``markedText(_:)`` has the places instead of marks. See
    /// <https://www.sqlite.org/fts5.html#the_highlight_function>.
    public static func highlight(
        _ column: some ColumnExpression, from open: String, to close: String
    ) -> SQLExpression {
        let name = column.name
        return call("highlight") { columns in
            [try columns.index(of: name).node, open.node, close.node]
        }
    }

    /// The part of a text that matches best, with marks around what matches.
    ///
    /// ```swift
    /// Document.matching(pattern).select { FTS5.snippet($0.body, from: "<b>", to: "</b>", tokenCount: 8) }
    /// // SELECT snippet("document", 1, '<b>', '</b>', '…', 8) FROM "document" WHERE "document" MATCH 'sqlite'
    /// // …is a book about <b>SQLite</b> and other…
    /// ```
    ///
    /// See <https://www.sqlite.org/fts5.html#the_snippet_function>.
    ///
    /// - Parameters:
    ///   - column: the column; see ``snippet(from:to:ellipsis:tokenCount:)`` for the one that matches best.
    ///   - open: what stands before a match.
    ///   - close: what stands after it.
    ///   - ellipsis: what stands in the place of text that is left out.
    ///   - tokenCount: how many tokens the part has, at most: 1...64.
    public static func snippet(
        _ column: some ColumnExpression, from open: String, to close: String, ellipsis: String = "…",
        tokenCount: Int = 16
    ) -> SQLExpression {
        let name = column.name
        return call("snippet") { columns in
            [try columns.index(of: name).node] + snippetArguments(open, close, ellipsis, tokenCount)
        }
    }

    /// The part of the texts of a row that matches best, in any column, with marks around what matches.
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

    /// The name of the locale of a column's text; NULL for none: `fts5_get_locale("document", 0)`.
    public static func locale(of column: some ColumnExpression) -> SQLExpression {
        let name = column.name
        return call("fts5_get_locale") { columns in [try columns.index(of: name).node] }
    }

    /// A text with its locale, for a table with ``FTS5TableDefinition/locale``: `fts5_locale('de_DE', 'Größe')`.
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
    /// A call of the function, in a request of a full-text table.
    ///
    /// ```swift
    /// Document.matching(pattern).order(inTitle().desc)
    /// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite' ORDER BY inTitle("document") DESC
    /// ```
    public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
        let nodes = arguments.map(\.node)
        return SQLExpression(node: AuxiliaryNode(name: name) { _ in nodes })
    }
}
