import Amalgam
import TestSupport
import Testing

/// The exact messages that developers read in their logs.
struct RowDecodingErrorTests {
    enum Colour: String, DatabaseValueConvertible { case red, blue }

    // MARK: Rows that are copies

    @Test func aMismatchInACopy() throws {
        let row: Row = ["name": nil]
        expectDecodingError(
            #"could not decode String from database value NULL - column: "name", column index: 0, row: [name:NULL]"#
        ) { _ = try row.decode(String.self, forColumn: "name") }
        expectDecodingError(
            #"could not decode Int8 from database value 1000 - column: "foo", column index: 0, row: [foo:1000]"#
        ) { _ = try (["foo": 1000] as Row).decode(Int8.self, atIndex: 0) }
    }

    @Test func aMissingColumnInACopy() throws {
        let row: Row = ["unused": "ignored"]
        expectDecodingError(#"column not found: "name" - row: [unused:"ignored"]"#) {
            _ = try row.decode(String.self, forColumn: "name")
        }
    }

    @Test func copiesForgetTheirStatement() throws {
        try DatabaseKind.memory.run { db in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT ? AS colour", arguments: ["green"]))
            expectDecodingError(
                #"could not decode Colour from database value "green" - column: "colour", column index: 0, row: [colour:"green"]"#
            ) { _ = try row.decode(Colour.self, forColumn: "colour") }
        }
    }

    // MARK: Rows of a live statement

    @Test func aMismatchInALiveRow() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(sql: "SELECT 1, ? AS value")
            let colours = try Row.fetchCursor(statement, arguments: ["invalid"])
                .map { try $0.decode(Colour.self, atIndex: 1) }
            expectDecodingError(
                """
                could not decode Colour from database value "invalid" - column: "value", column index: 1, \
                row: [1:1 value:"invalid"], sql: `SELECT 1, ? AS value`, arguments: ["invalid"]
                """
            ) { _ = try colours.next() }
        }
    }

    @Test func aMissingColumnInALiveRow() throws {
        try DatabaseKind.memory.run { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT ? AS unused", arguments: ["ignored"])
            let row = try #require(try rows.next())
            expectDecodingError(
                """
                column not found: "name" - row: [unused:"ignored"], \
                sql: `SELECT ? AS unused`, arguments: ["ignored"]
                """
            ) { _ = try row.decode(Name.self, forColumn: "name") }
        }
    }

    @Test func valuesThatDoNotDecode() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(sql: "SELECT ? AS name")
            expectDecodingError(
                """
                could not decode String from database value NULL - column: "name", column index: 0, \
                row: [name:NULL], sql: `SELECT ? AS name`, arguments: [NULL]
                """
            ) { _ = try String.fetchAll(statement, arguments: [nil]) }
            expectDecodingError(
                """
                could not decode Int8 from database value 1000 - column: "name", column index: 0, \
                row: [name:1000], sql: `SELECT ? AS name`, arguments: [1000]
                """
            ) { _ = try Int8.fetchAll(statement, arguments: [1000]) }
        }
    }

    @Test func fetchOneSpeaksOfAnOptional() throws {
        try DatabaseKind.memory.run { db in
            expectDecodingError(
                """
                could not decode Optional<Int8> from database value 1000 - column: "foo", column index: 0, \
                row: [foo:1000], sql: `SELECT ? AS foo`, arguments: [1000]
                """
            ) { _ = try Int8.fetchOne(db, sql: "SELECT ? AS foo", arguments: [1000]) }
            expectDecodingError(
                """
                could not decode Optional<Colour> from database value "green" - column: "foo", column index: 0, \
                row: [foo:"green"], sql: `SELECT 'green' AS foo`, arguments: []
                """
            ) { _ = try Colour.fetchOne(db, sql: "SELECT 'green' AS foo") }
        }
    }

    // MARK: Adapted rows

    @Test func aLiveAdaptedRowSpeaksOfTheStatement() throws {
        try DatabaseKind.memory.run { db in
            let sql = "SELECT NULL AS name, ? AS team"
            let adapter = SuffixRowAdapter(fromIndex: 1)
            let text = """
                could not decode Colour from database value "invalid" - column: "team", column index: 1, \
                row: [name:NULL team:"invalid"], sql: `\(sql)`, arguments: ["invalid"]
                """
            let rows = try Row.fetchCursor(db, sql: sql, arguments: ["invalid"], adapter: adapter)
            let row = try #require(try rows.next())
            expectDecodingError(text) { _ = try row.decode(Colour.self, forColumn: "team") }
            expectDecodingError(text) { _ = try row.decode(Colour.self, atIndex: 0) }
            expectDecodingError(text) {
                _ = try Colour.fetchAll(db, sql: sql, arguments: ["invalid"], adapter: adapter)
            }
        }
    }

    @Test func aCopiedAdaptedRowSpeaksOfItself() throws {
        try DatabaseKind.memory.run { db in
            let adapter = SuffixRowAdapter(fromIndex: 1)
            let row = try #require(
                try Row.fetchOne(db, sql: "SELECT NULL AS name, 'invalid' AS team", adapter: adapter))
            expectDecodingError(
                """
                could not decode Colour from database value "invalid" - column: "team", column index: 0, \
                row: [team:"invalid"]
                """
            ) { _ = try row.decode(Colour.self, forColumn: "team") }
        }
    }

    @Test func argumentsAreShownWhateverTheConfiguration() throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = false
        try DatabaseKind.memory.run(configuration) { db in
            let error = #expect(throws: RowDecodingError.self) {
                try Int.fetchAll(db, sql: "SELECT ?", arguments: [nil])
            }
            #expect(error?.description.hasSuffix("arguments: [NULL]") == true)
        }
    }

    @Test func anIndexOutOfRange() {
        let row: Row = ["a": 1]
        for index in [-1, 1, Int.max] {
            #expect(throws: RowDecodingError.self) { try row.decode(Int.self, atIndex: index) }
        }
    }
}
