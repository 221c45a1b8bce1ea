import Amalgam
@testable import AmalgamCore
import TestSupport
import Testing

struct PrimaryKeyTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var definition: String
        var columns: [String]
        var rowIDColumn: String?
        var isRowID = false
        var tableHasRowID = true

        var testDescription: String { definition }
    }

    static let examples = [
        Example(definition: "(name TEXT)", columns: ["rowid"], isRowID: true),
        Example(definition: "(id INTEGER PRIMARY KEY)", columns: ["id"], rowIDColumn: "id", isRowID: true),
        Example(definition: "(a, id INTEGER, PRIMARY KEY (id))", columns: ["id"], rowIDColumn: "id", isRowID: true),
        Example(
            definition: "(id INTEGER PRIMARY KEY AUTOINCREMENT)", columns: ["id"], rowIDColumn: "id", isRowID: true),
        Example(definition: "(id INTEGER PRIMARY KEY ASC)", columns: ["id"], rowIDColumn: "id", isRowID: true),
        Example(
            definition: "(a, id INTEGER, PRIMARY KEY (id DESC))", columns: ["id"], rowIDColumn: "id", isRowID: true),
        // SQLite preserves an old bug: https://sqlite.org/lang_createtable.html#rowid
        Example(definition: "(id INTEGER PRIMARY KEY DESC)", columns: ["id"]),
        Example(definition: "(id INT PRIMARY KEY)", columns: ["id"]),
        Example(definition: "(name TEXT PRIMARY KEY)", columns: ["name"]),
        Example(definition: "(a TEXT, b INTEGER, PRIMARY KEY (a, b))", columns: ["a", "b"]),
        Example(definition: "(a TEXT, b INTEGER, PRIMARY KEY (b, a))", columns: ["b", "a"]),
        Example(definition: "(name TEXT PRIMARY KEY) WITHOUT ROWID", columns: ["name"], tableHasRowID: false),
        Example(definition: "(id INTEGER PRIMARY KEY) WITHOUT ROWID", columns: ["id"], tableHasRowID: false),
        Example(
            definition: "(a TEXT, b INTEGER, PRIMARY KEY (b, a)) WITHOUT ROWID", columns: ["b", "a"],
            tableHasRowID: false),
        Example(definition: "(id INTEGER PRIMARY KEY) STRICT", columns: ["id"], rowIDColumn: "id", isRowID: true),
        Example(definition: "(rowid INTEGER PRIMARY KEY)", columns: ["rowid"], rowIDColumn: "rowid", isRowID: true),
        Example(definition: "(rowID TEXT)", columns: ["_rowid_"], isRowID: true),
        Example(definition: "(rowid, _ROWID_)", columns: ["oid"], isRowID: true),
        Example(definition: "(rowid TEXT PRIMARY KEY)", columns: ["rowid"]),
    ]

    @Test(arguments: examples)
    func keys(_ example: Example) throws {
        try DatabaseKind.memory.run { db in
            for schema in ["main", "temp"] {
                try db.execute(sql: "CREATE TABLE \(schema).items \(example.definition)")
                let key = try db.primaryKey("items", in: schema)
                #expect(key.columns == example.columns)
                #expect(key.rowIDColumn == example.rowIDColumn)
                #expect(key.isRowID == example.isRowID)
                #expect(key.tableHasRowID == example.tableHasRowID)
                let isHidden = example.isRowID && example.rowIDColumn == nil
                #expect(key.columnInfos?.map(\.name) == (isHidden ? nil : example.columns))
            }
        }
    }

    @Test func columnInfosAreThoseOfTheTable() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE items (a TEXT, b INTEGER, PRIMARY KEY (b, a))")
            #expect(try db.primaryKey("items").columnInfos?.map(\.type) == ["INTEGER", "TEXT"])
        }
    }

    @Test func aRowidThatIsHidden() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE items (rowid, _rowid_, oid)")
            expectError(
                .SQLITE_ERROR,
                "table items has no primary key: its columns hide the rowid. Declare a primary key, "
                    + "or rename one of the columns rowid, _rowid_, and oid."
            ) { _ = try db.primaryKey("items") }
        }
    }

    @Test func views() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE VIEW items AS SELECT 1 AS id")
            let error = expectError(.SQLITE_ERROR, "database view items has no primary key") {
                _ = try db.primaryKey("items")
            }
            #expect(error?.description == "SQLite error 1: database view items has no primary key")
            #expect(try db.table("items", hasUniqueKey: ["id"]) == false)
        }
    }

    @Test func theNearestTableIsMeant() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    ATTACH DATABASE ':memory:' AS one;
                    ATTACH DATABASE ':memory:' AS two;
                    CREATE TABLE two.t (inTwo PRIMARY KEY);
                    CREATE TABLE one.t (inOne PRIMARY KEY);
                    """)
            #expect(try db.primaryKey("t").columns == ["inOne"])
            try db.execute(sql: "CREATE TABLE main.t (inMain PRIMARY KEY)")
            #expect(try db.primaryKey("t").columns == ["inMain"])
            try db.execute(sql: "CREATE TABLE temp.t (inTemp PRIMARY KEY)")
            #expect(try db.primaryKey("t").columns == ["inTemp"])
            let columns = try ["temp", "main", "one", "TWO"].map { try db.primaryKey("t", in: $0).columns }
            #expect(columns == [["inTemp"], ["inMain"], ["inOne"], ["inTwo"]])
        }
    }

    @Test func uniqueKeys() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c, d, e, UNIQUE (a, b));
                    CREATE INDEX i ON t(c);
                    CREATE UNIQUE INDEX j ON t(d) WHERE d > 0;
                    CREATE UNIQUE INDEX k ON t(lower(e));
                    CREATE TABLE u (name);
                    CREATE TABLE w (name PRIMARY KEY) WITHOUT ROWID;
                    """)
            let keys = [
                ["id"], ["ID"], ["b", "a"], ["id", "a"], ["id", "a", "b", "c"], ["rowid"], ["OID", "c"],
            ]
            for key in keys { #expect(try db.table("t", hasUniqueKey: key), "\(key)") }
            // A partial index doesn't constrain the rows that it excludes.
            for key in [[], ["a"], ["c"], ["d"], ["e"], ["x"], ["a", "c"]] {
                #expect(try db.table("t", hasUniqueKey: key) == false, "\(key)")
            }
            #expect(try db.table("u", hasUniqueKey: ["rowid"]))
            #expect(try db.table("u", hasUniqueKey: ["name"]) == false)
            #expect(try db.table("w", hasUniqueKey: Set(["name"])))
            #expect(try db.table("w", hasUniqueKey: ["rowid"]) == false)
        }
    }
}
