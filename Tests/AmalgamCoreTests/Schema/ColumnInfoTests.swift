import Amalgam
@testable import AmalgamCore
import TestSupport
import Testing

struct ColumnInfoTests {
    @Test func namesTypesAndDefaults() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (
                      a INT NOT NULL,
                      b TEXT DEFAULT NULL,
                      c VARCHAR(10) DEFAULT 'foo',
                      d DEFAULT 0,
                      e DEFAULT 1e6,
                      f DEFAULT 1.0,
                      g DATETIME DEFAULT CURRENT_TIMESTAMP,
                      h DEFAULT (DATETIME('now', 'localtime')),
                      "" "",
                      "é😀" "日 本",
                      PRIMARY KEY (c, a))
                    """)
            let columns = try db.columns(in: "t")
            #expect(columns.map(\.name) == ["a", "b", "c", "d", "e", "f", "g", "h", "", "é😀"])
            #expect(columns.map(\.type) == ["INT", "TEXT", "VARCHAR(10)", "", "", "", "DATETIME", "", "", "日 本"])
            #expect(columns[0].columnType == Database.ColumnType(rawValue: "INT"))
            #expect(columns[1].columnType == .text)
            #expect(columns[3].columnType == nil)
            #expect(columns.map(\.isNotNull) == [true] + Array(repeating: false, count: 9))
            #expect(columns.map(\.primaryKeyIndex) == [2, 0, 1, 0, 0, 0, 0, 0, 0, 0])
            #expect(
                columns.map(\.defaultValueSQL) == [
                    nil, "NULL", "'foo'", "0", "1e6", "1.0", "CURRENT_TIMESTAMP", "DATETIME('now', 'localtime')", nil,
                    nil,
                ])
            #expect(columns.allSatisfy { !$0.isHidden && $0.generation == nil })
        }
    }

    @Test func views() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT DEFAULT 'x', c);
                    CREATE VIEW v AS SELECT a, b, c, a + 1 AS d FROM t;
                    """)
            let columns = try db.columns(in: "v")
            #expect(columns.map(\.name) == ["a", "b", "c", "d"])
            #expect(columns.prefix(2).map(\.type) == ["INTEGER", "TEXT"])
            #expect(columns.allSatisfy { $0.primaryKeyIndex == 0 && $0.defaultValueSQL == nil && !$0.isNotNull })
        }
    }

    @Test func aViewThatDoesNotCompile() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t; DROP TABLE t")
            let error = #expect(throws: DatabaseError.self) { try db.columns(in: "v") }
            #expect(error?.message == "no such table: main.t")
            #expect(try db.viewExists("v"))
            try db.execute(sql: "CREATE TABLE t (b, a)")
            #expect(try db.columns(in: "v").map(\.name) == ["a"])
        }
    }

    @Test func generatedColumns() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (
                      a INTEGER,
                      b INTEGER GENERATED ALWAYS AS (a + 1) VIRTUAL,
                      c INTEGER AS (a + 2) STORED)
                    """)
            let columns = try db.columns(in: "t")
            #expect(columns.map(\.name) == ["a", "b", "c"])
            #expect(columns.map(\.generation) == [nil, .virtual, .stored])
            #expect(columns.map(\.isHidden) == [false, false, false])
        }
    }

    @Test func virtualTables() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE book USING fts5(title, body);
                    CREATE VIRTUAL TABLE place USING rtree(id, minX, maxX);
                    """)
            let columns = try db.columns(in: "book")
            #expect(columns.map(\.name) == ["title", "body", "book", "rank"])
            #expect(columns.map(\.isHidden) == [false, false, true, true])
            #expect(try db.columns(in: "place").map(\.name) == ["id", "minX", "maxX"])
            #expect(try db.primaryKey("book").columns == ["rowid"])
            #expect(try db.primaryKey("place").columns == ["rowid"])
        }
    }

    /// Virtual tables that exist without CREATE VIRTUAL TABLE.
    @Test func modulesThatAreTables() throws {
        try DatabaseKind.memory.run { db in
            let columns = try db.columns(in: "json_each")
            #expect(columns.prefix(2).map(\.name) == ["key", "value"])
            #expect(columns.suffix(2).map(\.isHidden) == [true, true])
            #expect(try db.columns(in: "PRAGMA_table_list").map(\.name).prefix(2) == ["schema", "name"])
            // A table of the same name takes precedence.
            try db.execute(sql: "CREATE TABLE json_each (a)")
            #expect(try db.columns(in: "json_each").map(\.name) == ["a"])
            // A module that requires CREATE VIRTUAL TABLE isn't a table.
            expectError(.SQLITE_ERROR, "no such table: fts5") { _ = try db.columns(in: "fts5") }
        }
    }

    @Test(arguments: ["table_info", "table_xinfo"])
    func rowsOfPragmas(_ pragma: String) throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            let rows = try Row.fetchAll(db, sql: "PRAGMA \(pragma)(player)")
            let columns = rows.map(ColumnInfo.init(row:))
            #expect(columns.map(\.name) == ["id", "name", "score", "teamId"])
            #expect(columns.map(\.primaryKeyIndex) == [1, 0, 0, 0])
            #expect(columns.map(\.isHidden) == [false, false, false, false])
        }
    }

    /// Observers of all changes don't prevent look-ups.
    @Test func lookUpsBesideObservers() throws {
        try DatabaseKind.memory.run { db in
            let observer = EverythingObserver()
            db.add(transactionObserver: observer)
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE place USING rtree(id, minX, maxX);
                    CREATE TABLE a (x);
                    ALTER TABLE a RENAME TO b;
                    """)
            #expect(try db.columns(in: "place").count == 3)
            #expect(try db.columns(in: "b").map(\.name) == ["x"])
            try db.execute(sql: "DROP TABLE b; DROP TABLE place")
            #expect(try db.tableExists("b") == false)
            #expect(try db.tableExists("place") == false)
        }
    }

    private final class EverythingObserver: TransactionObserver {
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }
}
