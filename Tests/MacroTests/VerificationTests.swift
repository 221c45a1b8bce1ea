#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

private enum Level: String, DatabaseValueConvertible { case low, high }

@Record("task")
private struct Task {
    @Key var id: Int64?
    var title: String
    var level: Level
    var priority: Int = 1
    var note: String?
}

private struct Cents: DatabaseRepresentation {
    func databaseValue(of price: Double) -> DatabaseValue { Int64((price * 100).rounded()).databaseValue }

    func value(from databaseValue: DatabaseValue) -> Double? {
        Int64.fromDatabaseValue(databaseValue).map { Double($0) / 100 }
    }
}

@Record("defaults")
private struct Defaults {
    @Key var id: Int64?
    var hex: Int = 16
    var zero: Int = 0
    var yes: Bool = true
    var real: Double = 0
    var text: String = "x"
    @Column(as: Cents()) var price: Double = 1.5
    var negative: Int = -1
    var grouped: Int = 1_000
    var quoted: String = "it's"
    var power: Double = 1e3
    var digits: String = "5"
    var since: Date?
}

@Record("kinds")
private struct Kinds {
    @Key var id: Int64?
    var text: String
    var date: Date
    var uuid: UUID
    var data: Data
    var number: Double
    var flag: Bool
    var amount: Decimal
}

@Record("code")
private struct CodeRecord: Identifiable {
    @Key var code: String
    var id: Int
}

/// Enumerations that encode numbers, and have strings as raw values.
private protocol NumberCoded: RawRepresentable<String>, Codable {
    static var first: Self { get }
    static var second: Self { get }
}

extension NumberCoded {
    init(from decoder: any Decoder) throws {
        self = try decoder.singleValueContainer().decode(Int.self) == 1 ? Self.first : Self.second
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue == Self.first.rawValue ? 1 : 2)
    }
}

private enum Payment: String, NumberCoded {
    case visa, cash

    static var first: Payment { .visa }
    static var second: Payment { .cash }
}

private enum Size: Int, Codable { case small = 1, large }

private struct Label: RawRepresentable, Codable { var rawValue: String }

@Record("sale")
private struct Sale {
    @Key var id: Int64?
    var payment: Payment
    var size: Size
    var tag: Label
    var vehicle: String = "bike"
}

@Record("mark")
private struct Mark: Equatable {
    @Key @Column("rowid") var id: Int64?
    var value: Int
}

@Record("mark")
private struct NamedMark {
    @Key @Column("_rowid_") var name: String
    var value: Int
}

@Record("mark")
private struct NumberedMark {
    @Key var value: String
    @Column("rowid", generated: true) var number: Int64
}

private typealias Number = Int64

@Record("alias")
private struct AliasedKey {
    @Key var id: Number?
    var text = ""
}

@Record("alias")
private struct ConstantAliasKey {
    @Key let id: Int64?
    var text = ""
}

@Record("alias")
private struct HiddenKey {
    @Key @Column("rowid") var id: Number?
    var text = ""
}

private struct Point: Codable { var x = 0 }

@Record("document")
private struct StrictDocument {
    @Key var id: Int64?
    var tags: [String]
    var point: Point
    var places: [String: Point]?
    var url: URL
    @Column(as: .jsonb) var binary: Point
    @Column(as: .json) var json: Point
}

@Suite("db.verify")
struct VerificationTests {
    private func verify(_ columns: String) throws -> [String] {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE task (\(columns))")
            do {
                try db.verify(Task.self)
                return []
            } catch let error as RecordVerificationError {
                return error.differences.map { "\($0.column): \($0.message)" }
            }
        }
    }

    @Test("a table that agrees with the declaration")
    func same() throws {
        expectEqual(
            try verify(
                """
                id INTEGER PRIMARY KEY, title TEXT NOT NULL, level TEXT NOT NULL, priority INTEGER NOT NULL DEFAULT 1,
                note TEXT, other TEXT, tag TEXT NOT NULL DEFAULT ''
                """), [])
    }

    @Test("a property for the rowid of a table without a primary key")
    func rowIDs() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE mark (value INT NOT NULL)")
            try db.verify(Mark.self)
            var mark = Mark(value: 5)
            try mark.insert(db)
            expectEqual(try Mark.fetchOne(db, key: 1), Mark(id: 1, value: 5))
            let error = #expect(throws: RecordVerificationError.self) { try db.verify(NamedMark.self) }
            expectEqual(error?.differences.map(\.message), ["the rowid stores INTEGER values only"])
            try db.execute(sql: "DROP TABLE mark; CREATE TABLE mark (value INT PRIMARY KEY NOT NULL) WITHOUT ROWID")
            #expect(throws: RecordVerificationError.self) { try db.verify(Mark.self) }
        }
    }

    @Test("a property for the rowid of a table with another primary key")
    func rowIDsNextToAKey() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE mark (value TEXT PRIMARY KEY NOT NULL)")
            try db.verify(NumberedMark.self)
            try db.execute(sql: "INSERT INTO mark VALUES ('a')")
            expectEqual(try NumberedMark.fetchOne(db, sql: "SELECT rowid, value FROM mark")?.number, 1)
            let definitions = [
                "DROP TABLE mark; CREATE TABLE mark (value TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID",
                "DROP TABLE mark; CREATE VIEW mark AS SELECT 'a' AS value",
            ]
            for definition in definitions {
                try db.execute(sql: definition)
                let error = #expect(throws: RecordVerificationError.self) { try db.verify(NumberedMark.self) }
                let difference = error?.differences.first { $0.column == "rowid" }
                expectEqual(difference?.message, "the table has no such column")
            }
        }
    }

    @Test("each difference is listed")
    func differences() throws {
        expectEqual(
            try verify("id INTEGER, title TEXT, level INTEGER NOT NULL, priority TEXT NOT NULL DEFAULT 2, a NOT NULL"),
            [
                "id: the property is a '@Key', and the column doesn't belong to the primary key",
                "title: the column may be NULL, and the property isn't optional",
                "level: the column has numeric affinity, which stores text that looks like a number as a number",
                "priority: the column has TEXT affinity, which stores numbers as text",
                "priority: the default value of the property is 1, and that of the column is 2",
                "note: the table has no such column",
                "a: the column is NOT NULL without a default, and the record has no property for it",
            ])
        expectEqual(
            try verify(
                """
                id INTEGER, title TEXT NOT NULL PRIMARY KEY, level TEXT NOT NULL, note TEXT NOT NULL,
                priority INTEGER NOT NULL AS (1)
                """),
            [
                "id: the property is a '@Key', and the column doesn't belong to the primary key",
                "title: the column belongs to the primary key, and the property isn't a '@Key'",
                "priority: the column is generated: add '@Column(generated: true)'",
                "note: the property is optional, and the column is NOT NULL",
            ])
    }

    private func differences<Record: _DeclaredRecord>(_ type: Record.Type, _ sql: String) throws -> [String] {
        try DatabaseQueue().write { db in
            try db.execute(sql: sql)
            do {
                try db.verify(type)
                return []
            } catch let error as RecordVerificationError {
                return error.differences.map { "\($0.column): \($0.message)" }
            }
        }
    }

    @Test("default values are compared as SQLite stores them")
    func defaults() throws {
        let table = """
            CREATE TABLE defaults (id INTEGER PRIMARY KEY, hex INTEGER NOT NULL DEFAULT 0x10, zero INTEGER NOT NULL DEFAULT (0),
            yes BOOLEAN NOT NULL DEFAULT TRUE, real REAL NOT NULL DEFAULT 0, text TEXT NOT NULL DEFAULT "x",
            price INTEGER NOT NULL DEFAULT 150, negative INT NOT NULL DEFAULT -1, grouped INT NOT NULL DEFAULT +1000,
            quoted TEXT NOT NULL DEFAULT 'it''s', power REAL NOT NULL DEFAULT 1000.0, digits TEXT NOT NULL DEFAULT 5,
            since TEXT DEFAULT CURRENT_TIMESTAMP)
            """
        expectEqual(try differences(Defaults.self, table), [])
        expectEqual(
            try differences(
                Defaults.self,
                table.replacing("0x10", with: "0x11").replacing("DEFAULT 150", with: "DEFAULT 1.5").replacing(
                    "TRUE", with: "FALSE"
                ).replacing("\"x\"", with: "y")),
            [
                "hex: the default value of the property is 16, and that of the column is 0x11",
                "yes: the default value of the property is 1, and that of the column is FALSE",
                "text: the default value of the property is 'x', and that of the column is y",
                "price: the default value of the property is 150, and that of the column is 1.5",
            ])
    }

    @Test("enumerations and other types with raw values that encode themselves")
    func ownCoding() throws {
        let columns = """
            (id INTEGER PRIMARY KEY, payment INTEGER NOT NULL, size INTEGER NOT NULL, tag TEXT NOT NULL,
            vehicle TEXT NOT NULL DEFAULT 'bike')
            """
        expectEqual(try differences(Sale.self, "CREATE TABLE sale \(columns)"), [])
        expectEqual(try differences(Sale.self, "CREATE TABLE sale \(columns) STRICT"), [])
        expectEqual(
            try differences(
                Sale.self,
                """
                CREATE TABLE sale (id INTEGER PRIMARY KEY, payment TEXT NOT NULL, size TEXT NOT NULL,
                tag INTEGER NOT NULL, vehicle TEXT NOT NULL DEFAULT 'bike')
                """),
            [
                "size: the column has TEXT affinity, which stores numbers as text",
                "tag: the column has numeric affinity, which stores text that looks like a number as a number",
            ])
    }

    @Test("strings as default values of a numeric column")
    func textDefaults() throws {
        let table = """
            CREATE TABLE sale (id INTEGER PRIMARY KEY, payment NOT NULL, size NOT NULL, tag NOT NULL,
            vehicle NUMERIC NOT NULL DEFAULT 'bike')
            """
        let affinity =
            "vehicle: the column has numeric affinity, which stores text that looks like a number as a number"
        expectEqual(try differences(Sale.self, table), [affinity])
        expectEqual(
            try differences(Sale.self, table.replacing("'bike'", with: "'car'")),
            [affinity, "vehicle: the default value of the property is 'bike', and that of the column is 'car'"])
    }

    @Test("columns of STRICT tables that refuse the values of a property")
    func strict() throws {
        expectEqual(
            try differences(
                Kinds.self,
                """
                CREATE TABLE kinds (id INTEGER PRIMARY KEY, text BLOB NOT NULL, date INTEGER NOT NULL, uuid TEXT NOT NULL,
                data TEXT NOT NULL, number INTEGER NOT NULL, flag ANY NOT NULL, amount REAL NOT NULL) STRICT
                """),
            [
                "text: the table is STRICT, and a column of the type BLOB doesn't store TEXT values",
                "date: the table is STRICT, and a column of the type INTEGER doesn't store TEXT values",
                "uuid: the table is STRICT, and a column of the type TEXT doesn't store BLOB values",
                "data: the table is STRICT, and a column of the type TEXT doesn't store BLOB values",
                "number: the table is STRICT, and a column of the type INTEGER doesn't store REAL values",
                "amount: the column has numeric affinity, which rounds decimals to 15 digits: declare it TEXT",
            ])
        expectEqual(
            try differences(
                Kinds.self,
                """
                CREATE TABLE kinds (id INTEGER PRIMARY KEY, text TEXT NOT NULL, date TEXT NOT NULL, uuid BLOB NOT NULL,
                data BLOB NOT NULL, number REAL NOT NULL, flag INTEGER NOT NULL, amount TEXT NOT NULL) STRICT
                """), [])
    }

    @Test("columns of STRICT tables that refuse JSON, JSONB or URLs")
    func strictJSON() throws {
        expectEqual(
            try differences(
                StrictDocument.self,
                """
                CREATE TABLE document (id INTEGER PRIMARY KEY, tags BLOB NOT NULL, point INTEGER NOT NULL, places BLOB,
                url BLOB NOT NULL, binary TEXT NOT NULL, json BLOB NOT NULL) STRICT
                """),
            [
                "tags: the table is STRICT, and a column of the type BLOB doesn't store TEXT values",
                "point: the table is STRICT, and a column of the type INTEGER doesn't store TEXT values",
                "places: the table is STRICT, and a column of the type BLOB doesn't store TEXT values",
                "url: the table is STRICT, and a column of the type BLOB doesn't store TEXT values",
                "binary: the table is STRICT, and a column of the type TEXT doesn't store BLOB values",
                "json: the table is STRICT, and a column of the type BLOB doesn't store TEXT values",
            ])
        let columns = """
            (id INTEGER PRIMARY KEY, tags TEXT NOT NULL, point TEXT NOT NULL, places TEXT, url TEXT NOT NULL,
            binary BLOB NOT NULL, json TEXT NOT NULL)
            """
        expectEqual(try differences(StrictDocument.self, "CREATE TABLE document \(columns)"), [])
        expectEqual(try differences(StrictDocument.self, "CREATE TABLE document \(columns) STRICT"), [])
    }

    @Test("a key whose type is an alias isn't received from SQLite")
    func aliasedKeys() throws {
        let message =
            "SQLite assigns this key, and inserted records don't receive it: write 'Int64?' or 'Int?', not an alias"
        let table = "CREATE TABLE alias (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"
        expectEqual(try differences(AliasedKey.self, table), ["id: \(message)"])
        expectEqual(try differences(ConstantAliasKey.self, table), [])
        expectEqual(
            try differences(HiddenKey.self, "CREATE TABLE alias (text TEXT NOT NULL)"), ["rowid: \(message)"])
    }

    @Test("decimals in a numeric column lose digits, and dates and UUIDs don't")
    func decimals() throws {
        expectEqual(
            try differences(
                Kinds.self,
                """
                CREATE TABLE kinds (id INTEGER PRIMARY KEY, text, date DATETIME NOT NULL, uuid NUMERIC NOT NULL,
                data NUMERIC NOT NULL, number DOUBLE NOT NULL, flag BOOLEAN NOT NULL, amount DECIMAL(20, 2) NOT NULL)
                """),
            [
                "text: the column may be NULL, and the property isn't optional",
                "amount: the column has numeric affinity, which rounds decimals to 15 digits: declare it TEXT",
            ])
    }

    @Test("a type that is identified by another property than the key")
    func identity() throws {
        expectEqual(
            try differences(CodeRecord.self, "CREATE TABLE code (code TEXT PRIMARY KEY NOT NULL, id INTEGER NOT NULL)"),
            ["id: the type is 'Identifiable' by 'id', which isn't the '@Key': 'fetchOne(_:id:)' would look for the key"]
        )
    }

    @Test("the error is a text with all differences")
    func description() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE task (id INTEGER PRIMARY KEY, title TEXT, level TEXT NOT NULL, priority, note)")
            let error = #expect(throws: RecordVerificationError.self) { try db.verify(Task.self) }
            expectEqual(
                error.map { "\($0)" },
                """
                Task and table task differ:
                - title: the column may be NULL, and the property isn't optional
                - priority: the column may be NULL, and the property isn't optional
                """)
            expectFailure(.SQLITE_ERROR, "no such table: player") { try db.verify(Player.self) }
        }
    }
}
#endif
