package import Amalgam
package import AmalgamCore
import Foundation
package import Testing

/// Expects the SQL that a request runs, and the rows that it fetches.
///
/// ```swift
/// try expectQuery(db, Player.filter { $0.score > 10 }) {
///     #"SELECT * FROM "player" WHERE "score" > 10"#
/// } rows: {
///     """
///     1|Anna|12
///     2|Bo|20
///     """
/// }
/// ```
///
/// A row is a line, as in the list mode of SQLite's shell: values are separated by `|`. `NULL` is NULL, `100` an integer,
/// `100.0` a real, `x'00FF'` a blob, and anything else a string. A string that looks like another value or like several of
/// them is quoted: `'100'`.
///
/// The rows of associations are below the row, by the name of the association, with the columns by which the library finds
/// them, such as `grdb_teamId`. A name without a row is an association to many that found none:
///
/// ```
/// 1|Reds
///   players: 1|Anna|12|1
///   players: 2|Bo|20|1
/// 2|Blues
///   players:
/// ```
///
/// Several statements are several lines. Statements that virtual tables and triggers run aren't among them.
///
/// A failure prints both closures with the actual SQL and rows, ready to be pasted.
package func expectQuery(
    _ db: Database, _ request: some FetchRequest, sourceLocation: SourceLocation = #_sourceLocation,
    sql: () -> String, rows: () -> String
) throws {
    let expected = QueryText(sql: sql(), rows: rows())
    let actual = try QueryText(db, request)
    if actual == expected { return }
    let parts = [actual.sql == expected.sql ? nil : "SQL", actual.rows == expected.rows ? nil : "rows"]
    let difference = parts.compactMap(\.self).joined(separator: " and ")
    Issue.record("Other \(difference):\n\(actual.source)", sourceLocation: sourceLocation)
}

/// The SQL that a request runs, and the rows that it fetches.
private struct QueryText: Equatable {
    var sql: String
    var rows: String

    init(sql: String, rows: String) {
        self.sql = sql
        self.rows = rows
    }

    init(_ db: Database, _ request: some FetchRequest) throws {
        var rows: [Row] = []
        let statements = try db.tracing { rows = try Row.fetchAll(db, request) }
        // SQLite marks the statements of virtual tables and triggers as comments.
        sql = statements.filter { !$0.hasPrefix("--") }.joined(separator: "\n")
        self.rows = rows.flatMap { $0.listLines(name: "", indentation: "") }.joined(separator: "\n")
    }

    /// The source of the closures that return the SQL and the rows.
    var source: String { "{\n\(Self.literal(sql))\n} rows: {\n\(Self.literal(rows))\n}" }

    private static func literal(_ text: String) -> String {
        if text.isEmpty { return #"    """# }
        let marks = text.contains("\\") || text.contains("\"\"\"") ? "#" : ""
        let lines = ["\(marks)\"\"\""] + text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return (lines + ["\"\"\"\(marks)"]).map { "    " + $0 }.joined(separator: "\n")
    }
}

extension Row {
    /// The lines of the row and, below it, of the rows of its associations.
    fileprivate func listLines(name: String, indentation: String) -> [String] {
        var lines = [indentation + name + databaseValues.map(\.listText).joined(separator: "|")]
        let deeper = indentation + "  "
        for (name, row) in scopes.sorted(by: { $0.name < $1.name }) {
            lines += row.listLines(name: "\(name): ", indentation: deeper)
        }
        for key in prefetchedRows.keys.sorted() {
            let rows = prefetchedRows[key] ?? []
            if rows.isEmpty { lines.append("\(deeper)\(key):") }
            lines += rows.flatMap { $0.listLines(name: "\(key): ", indentation: deeper) }
        }
        return lines
    }
}

extension DatabaseValue {
    /// The value in a line.
    fileprivate var listText: String {
        switch storage {
        case .null: "NULL"
        case .int64(let integer): "\(integer)"
        case .double(let real): "\(real)"
        case .string(let string): Self.isPlain(string) ? string : string.quoted(with: "'")
        case .blob(let data): "x'" + data.map { String(format: "%02X", $0) }.joined() + "'"
        }
    }

    /// Whether a string is written without quotes.
    private static func isPlain(_ string: String) -> Bool {
        if string.isEmpty || string == "NULL" || Double(string) != nil { return false }
        if string.hasPrefix("'") || string.hasPrefix("x'") || string.hasPrefix(" ") || string.hasSuffix(" ") {
            return false
        }
        return !string.contains { $0 == "|" || $0.isNewline }
    }
}
