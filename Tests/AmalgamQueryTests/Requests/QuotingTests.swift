import Amalgam
import Testing

/// Generates names and values that look like SQL.
private struct Fuzzer {
    var random: SeededRandom

    private static let pieces = [
        "'", "''", "\"", "\"\"", "`", "[", "]", ";", "--", "/*", "*/", "(", ")", "\\", "?", ":a", "@b", "$c", "%s",
        "\n", "\t", " ",
        "\r", "é", "🎈", "\u{202e}", "DROP TABLE victim", "x", "1", "NULL", "rowid", "select", ".", ",", "=",
    ]

    mutating func text() -> String {
        let count = Int.random(in: 1...6, using: &random)
        return (0..<count).map { _ in Self.pieces.randomElement(using: &random)! }.joined()
    }
}

@Suite("Names and values never escape their quotes")
struct QuotingTests {
    @Test("in definitions, requests, writes and joins", arguments: 0..<200 as Range<UInt64>)
    func anyName(seed: UInt64) throws {
        var fuzzer = Fuzzer(random: SeededRandom(seed: seed))
        let (table, column, alias) = (fuzzer.text(), fuzzer.text() + "c", fuzzer.text())
        let (value, other) = (fuzzer.text(), fuzzer.text())
        // Names that SQLite reserves aren't tested.
        if table.lowercased().hasPrefix("sqlite_") { return }
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE victim (x); INSERT INTO victim VALUES (1)")
            try db.create(table: table) { t in
                t.autoIncrementedPrimaryKey("id")
                t.column(column, .text).defaults(to: value).check { $0 != "never" }
            }
            try db.create(index: table + "i", on: table, columns: [column], condition: Column(column) != other)
            try db.create(view: table + "v", as: Table(table).filter(Column(column) == value))

            let rows = Table(table)
            try db.execute(literal: "INSERT INTO \(rows) (\(Column(column))) VALUES (\(value)), (\(other))")
            try db.execute(literal: "INSERT INTO \(rows) DEFAULT VALUES")
            let named = rows.aliased(TableAlias(name: alias))
            let matching = try named.filter(Column(column) == value).fetchCount(db)
            #expect(matching == (value == other ? 3 : 2))
            let viewed = try Table(table + "v").fetchCount(db)
            #expect(viewed == matching)
            let texts = try rows.select(Column(column).forKey(alias), as: String.self).orderByPrimaryKey().fetchAll(db)
            #expect(texts == [value, other, value])
            let key = try Row.fetchOne(db, rows.select(Column(column).forKey(alias)))?.columnNames.first
            #expect(key == alias)
            try rows.updateAll(db, Column(column).set(to: other))
            let updated = try rows.filter(Column(column) == other).fetchCount(db)
            #expect(updated == 3)
            try rows.deleteAll(db)

            let tables = try Set(db.tables(in: "main").map(\.name))
            #expect(tables == ["victim", table, table + "v", "sqlite_sequence"])
            let victims = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM victim")
            #expect(victims == 1)
        }
    }

    @Test("a name with a NUL is refused: SQL ends there", arguments: ["a\0b", "\0", "a\"\0--"])
    func nul(_ name: String) throws {
        try DatabaseQueue().write { db in
            #expect(throws: DatabaseError.self) { try db.create(table: name) { t in t.column("x") } }
            #expect(throws: DatabaseError.self) { _ = try Table(name).fetchCount(db) }
            let objects = try db.schemaObjects()
            #expect(objects.isEmpty)
        }
    }

    @Test("values with a NUL are values")
    func nulInValues() throws {
        try withLeague { db in
            let text = "a\0';--"
            try Player.filter(key: 1).updateAll(db) { $0.name.set(to: text) }
            let names = try Player.filter { $0.name == text }.select(\.name, as: String.self).fetchAll(db)
            #expect(names == [text])
        }
    }
}
