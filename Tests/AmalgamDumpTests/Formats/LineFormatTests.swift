import Amalgam
import Testing

@Suite("Formats of one line for each row")
struct RowPerLineTests {
    @Test("debug: values for people, nothing for NULL")
    func debug() throws {
        try expectDump(of: twoRows, .debug(), "1|Anna|\n2|O'Neil|A\n")
        try expectDump(
            of: twoRows, .debug(header: true, separator: ", ", nullValue: "-"),
            "id, name, note\n1, Anna, -\n2, O'Neil, A\n")
    }

    @Test("debug: a blob is text if it is UTF-8, a UUID if it has 16 bytes, and a literal otherwise")
    func debugBlobs() throws {
        try expectDump(of: "SELECT x'c3a9', x'', x'80', x'00ff'", .debug(), "é||X'80'|X'00FF'\n")
        try expectDump(
            of: "SELECT x'e621e1f8c36c495a93fc0c247a3e6e5f'", .debug(), "E621E1F8-C36C-495A-93FC-0C247A3E6E5F\n")
        try expectDump(of: "SELECT CAST('sixteen letters!' AS BLOB)", .debug(), "sixteen letters!\n")
    }

    @Test("list: as the shell has it, blobs as UTF-8")
    func list() throws {
        try expectDump(of: twoRows, .list(), "1|Anna|\n2|O'Neil|A\n")
        try expectDump(
            of: twoRows, .list(header: true, separator: "\t", nullValue: "NULL"),
            "id\tname\tnote\n1\tAnna\tNULL\n2\tO'Neil\tA\n")
    }

    @Test("list: bytes that are not UTF-8 are replaced")
    func invalidText() throws {
        try expectDump(of: "SELECT x'41ff42'", .list(), "A\u{FFFD}B\n")
    }

    @Test("quote: literals as SQLite's quote() writes them")
    func quote() throws {
        try expectDump(of: twoRows, .quote(), "1,'Anna',NULL\n2,'O''Neil',X'41'\n")
        try expectDump(
            of: twoRows, .quote(header: true, separator: ";"), "'id';'name';'note'\n1;'Anna';NULL\n2;'O''Neil';X'41'\n")
    }

    @Test(
        "quote: a literal is read back as the same value",
        arguments: [
            "0", "-9223372036854775808", "1.5", "-1e300", "0.1", "''", "'it''s'", "x''", "x'00ff'", "NULL", "9e999",
        ])
    func quotedValues(_ literal: String) throws {
        try DatabaseQueue().write { db in
            let line = try text { try db.dumpSQL(SQL(sql: "SELECT \(literal)"), format: .quote(), to: $0) }
            let isSame = try Bool.fetchOne(db, sql: "SELECT \(literal) IS \(line)")
            #expect(isSame == true, "\(line)")
        }
    }

    @Test("numbers are written so that nothing is lost")
    func numbers() throws {
        try expectDump(of: "SELECT 1.0, 0.1, -1, 9007199254740993", .debug(), "1.0|0.1|-1|9007199254740993\n")
        try expectDump(of: "SELECT 1.0, 0.1, -1, 9007199254740993", .list(), "1.0|0.1|-1|9007199254740993\n")
    }

    @Test("without rows there is nothing, and no header")
    func noRows() throws {
        let sql = "SELECT 1 AS id WHERE 0"
        try expectDump(of: sql, .debug(header: true), "")
        try expectDump(of: sql, .list(header: true), "")
        try expectDump(of: sql, .quote(header: true), "")
    }

    @Test("the header is written once for each statement")
    func headers() throws {
        let sql = "SELECT 1 AS a UNION SELECT 2; SELECT 3 AS b"
        try expectDump(of: sql, .debug(header: true), "a\n1\n2\nb\n3\n")
        try expectDump(of: sql, .list(header: true), "a\n1\n2\nb\n3\n")
        try expectDump(of: sql, .quote(header: true), "'a'\n1\n2\n'b'\n3\n")
    }

    @Test("columns that the library adds for itself are not shown")
    func hiddenColumns() throws {
        let sql = "SELECT 1 AS id, 7 AS grdb_teamId, 2 AS score"
        try expectDump(of: sql, .debug(header: true), "id|score\n1|2\n")
        try expectDump(of: sql, .list(header: true), "id|score\n1|2\n")
        try expectDump(of: sql, .quote(header: true), "'id','score'\n1,2\n")
        try expectDump(of: sql, .line(), "   id = 1\nscore = 2\n")
        try expectDump(of: sql, .json(), "[{\"id\":1,\"score\":2}]\n")
    }
}

@Suite("The format of one line for each value")
struct ValuePerLineTests {
    @Test("names are aligned, rows are apart")
    func rows() throws {
        try expectDump(
            of: twoRows, .line(),
            """
              id = 1
            name = Anna
            note = \("")

              id = 2
            name = O'Neil
            note = A

            """)
    }

    @Test("something can be written for NULL")
    func nullValue() throws {
        try expectDump(of: "SELECT NULL AS a, 1 AS longer", .line(nullValue: "(none)"), "     a = (none)\nlonger = 1\n")
    }

    @Test("rows of several statements are separated by an empty line, too, and there is none at the end")
    func statements() throws {
        try expectDump(of: "SELECT 1 AS a; SELECT 2 AS b", .line(), "a = 1\n\nb = 2\n")
        try expectDump(
            of: "SELECT 1 WHERE 0; SELECT 1 AS a UNION SELECT 2; SELECT 1 WHERE 0; SELECT 3 AS b; SELECT 1 WHERE 0",
            .line(), "a = 1\n\na = 2\n\nb = 3\n")
    }

    @Test("without rows there is nothing")
    func noRows() throws {
        try expectDump(of: "SELECT 1 WHERE 0", .line(), "")
    }
}
