import Amalgam
import Testing

/// Writes numbered rows, and their count.
private struct NumberedDumpFormat: DumpFormat {
    struct TooManyRows: Error {}

    var limit = Int.max
    private var count = 0

    init(limit: Int = .max) { self.limit = limit }

    mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
        if count == limit { throw TooManyRows() }
        count += 1
        let row = try Row(copying: statement)
        stream.write("#\(count) \(row[0] as String)\n")
    }

    mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        stream.write("\(count) of \(statement.columnNames)\n")
        count = 0
    }
}

extension Row {
    /// A copy of the current row of a statement.
    fileprivate convenience init(copying statement: Statement) throws {
        let values = statement.columnNames.indices.map {
            DatabaseValue(sqliteStatement: statement.sqliteStatement, index: CInt($0))
        }
        self.init(Dictionary(zip(statement.columnNames, values), uniquingKeysWith: { first, _ in first }))
    }
}

@Suite("Formats of an app")
struct CustomFormatTests {
    @Test("each row, and then the end of each statement")
    func rows() throws {
        try expectDump(
            of: "SELECT 'Anna' AS name UNION SELECT 'Bob'; SELECT 'Reds' AS team", NumberedDumpFormat(),
            """
            #1 Anna
            #2 Bob
            2 of ["name"]
            #1 Reds
            1 of ["team"]

            """)
    }

    @Test("an error ends the dump")
    func errors() throws {
        try DatabaseQueue().write { db in
            let stream = Text()
            #expect(throws: NumberedDumpFormat.TooManyRows.self) {
                try db.dumpSQL("SELECT 'a' UNION SELECT 'b'", format: NumberedDumpFormat(limit: 1), to: stream)
            }
            #expect(stream.string == "#1 a\n")
        }
    }

    @Test("a margin is an empty line before what follows, if anything does")
    func margins() throws {
        struct Margins: DumpFormat {
            func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
                stream.margin()
                stream.margin()
                stream.write("")
                stream.write("row\n")
                stream.margin()
            }

            func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {}
        }
        try expectDump(of: "SELECT 1 UNION SELECT 2", Margins(), "\nrow\n\nrow\n")
    }
}
