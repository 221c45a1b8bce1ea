import Amalgam
import Testing

/// A stream that stores its output.
final class Text: TextOutputStream {
    private(set) var string = ""

    func write(_ string: String) { self.string += string }
}

/// Returns the output of a closure.
func text(_ dump: (Text) throws -> Void) rethrows -> String {
    let text = Text()
    try dump(text)
    return text.string
}

/// Expects the output of a closure, on a database with content created by SQL.
func expectDump(
    _ schema: String = "", _ expected: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ dump: (Database, Text) throws -> Void
) throws {
    try DatabaseQueue().write { db in
        try db.execute(sql: schema)
        let actual = try text { stream in try dump(db, stream) }
        #expect(actual == expected, sourceLocation: sourceLocation)
    }
}

/// Expects the rows of SQL in a format.
func expectDump(
    of sql: String, _ format: some DumpFormat, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try expectDump("", expected, sourceLocation: sourceLocation) { db, stream in
        try db.dumpSQL(SQL(sql: sql), format: format, to: stream)
    }
}

/// Two rows with one value of each kind, including one that must be quoted.
let twoRows = "SELECT 1 AS id, 'Anna' AS name, NULL AS note UNION ALL SELECT 2, 'O''Neil', x'41'"
