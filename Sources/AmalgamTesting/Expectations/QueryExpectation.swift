public import AmalgamCore
public import AmalgamQuery
import Foundation

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
/// - Throws: ``ExpectationFailed``, with both closures for the SQL and the rows that were found, ready to be pasted; the
///   error of the request.
public func expectQuery(
    _ db: Database, _ request: some FetchRequest, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column, sql: () -> String, rows: () -> String
) throws {
    try QueryText(db, request).expect(
        QueryText(sql: sql(), rows: rows()), at: CodeLocation(fileID, filePath, line, column))
}

/// Expects the SQL that a request runs.
///
/// ```swift
/// try expectQuery(db, Player.filter { $0.score > 10 }) {
///     #"SELECT * FROM "player" WHERE "score" > 10"#
/// }
/// ```
///
/// Several statements are several lines. Statements that virtual tables and triggers run aren't among them.
///
/// - Throws: ``ExpectationFailed``, with the closure for the SQL that was found; the error of the request.
public func expectQuery(
    _ db: Database, _ request: some FetchRequest, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column, sql: () -> String
) throws {
    var actual = try QueryText(db, request)
    actual.rows = nil
    try actual.expect(QueryText(sql: sql(), rows: nil), at: CodeLocation(fileID, filePath, line, column))
}

/// The SQL that a request runs, and the rows that it fetches.
private struct QueryText: Equatable {
    var sql: String
    /// Nil if rows aren't compared.
    var rows: String?

    init(sql: String, rows: String?) {
        self.sql = sql
        self.rows = rows
    }

    init(_ db: Database, _ request: some FetchRequest) throws {
        var rows: [Row] = []
        let statements = try db.recordingSQL { rows = try Row.fetchAll(db, request) }
        sql = statements.map(\.expandedSQL).joined(separator: "\n")
        self.rows = rows.flatMap { $0.listLines(name: "", indentation: "") }.joined(separator: "\n")
    }

    func expect(_ expected: QueryText, at location: CodeLocation) throws {
        if self == expected { return }
        let parts = [sql == expected.sql ? nil : "SQL", rows == expected.rows ? nil : "rows"]
        let difference = parts.compactMap(\.self).joined(separator: " and ")
        throw ExpectationFailed("Other \(difference):\n\(source)", at: location)
    }

    /// The source of the closures that return the SQL and the rows.
    var source: String {
        let sql = "{\n\(Self.literal(sql))\n}"
        return rows.map { "\(sql) rows: {\n\(Self.literal($0))\n}" } ?? sql
    }

    private static func literal(_ string: String) -> String {
        if string.isEmpty { return #"    """# }
        let marks = string.contains("\\") || string.contains("\"\"\"") ? "#" : ""
        let content = string.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return (["\(marks)\"\"\""] + content + ["\"\"\"\(marks)"]).map { "    " + $0 }.joined(separator: "\n")
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
