import Amalgam
import AmalgamCore
import AmalgamVirtualTables
import TestSupport
import Testing

@Suite("Virtual tables that are written to")
struct UpdatableVirtualTableTests {
    @Test("INSERT, UPDATE, DELETE", arguments: DatabaseKind.allCases)
    func changes(kind: DatabaseKind) throws {
        try withPlayers(kind) { db, store in
            try db.execute(sql: "INSERT INTO player VALUES ('Cleo', 30)")
            #expect(db.lastInsertedRowID == 3)
            try db.execute(sql: "INSERT INTO player (rowid, name) VALUES (10, 'Dora')")
            #expect(db.lastInsertedRowID == 10)
            #expect(store.players[10] == .init(name: "Dora", score: nil))
            try db.execute(sql: "UPDATE player SET score = score + 1 WHERE score >= 20")
            #expect(db.changesCount == 2)
            try db.execute(sql: "UPDATE player SET rowid = 5 WHERE name = 'Bo'")
            #expect(store.players[5] == .init(name: "Bo", score: 21))
            try db.execute(sql: "DELETE FROM player WHERE name < 'C'")
            #expect(store.players.keys.sorted() == [3, 10])
            try #expect(db.rows("SELECT rowid, * FROM player").description == #"[[3, "Cleo", 31], [10, "Dora", NULL]]"#)
        }
    }

    @Test("RETURNING gives what was inserted")
    func returning() throws {
        try withPlayers { db, store in
            try #expect(db.rows("INSERT INTO player VALUES ('Cleo', 3) RETURNING name").description == #"[["Cleo"]]"#)
        }
    }

    @Test("an UPDATE does not ask for columns that it does not change")
    func unchangedColumns() throws {
        try withPlayers { db, store in
            try db.execute(sql: "UPDATE player SET score = 0 WHERE rowid = 1")
            #expect(store.journal.read().contains("update 1 to 1, unchanged: true false"))
            #expect(store.players[1] == .init(name: "Anna", score: 0))
        }
    }

    @Test("values that do not convert are an error")
    func mismatch() throws {
        try withPlayers { db, store in
            let sql = "INSERT INTO player VALUES ('Cleo', 'many')"
            expectError(.SQLITE_MISMATCH, "column 1 does not convert from TEXT to Optional<Int>", sql: sql) {
                try db.execute(sql: sql)
            }
            let rowID = "INSERT INTO player (rowid, name) VALUES ('x', 'Cleo')"
            expectError(.SQLITE_MISMATCH, "datatype mismatch", sql: rowID) {
                try db.execute(sql: rowID)
            }
            #expect(store.players.count == 2)
        }
    }

    @Test("conflict clauses reach the table, and decide what becomes of the statement")
    func conflicts() throws {
        try withPlayers { db, store in
            let values = "(rowid, name) VALUES (3, 'Cleo'), (1, 'Ada'), (4, 'Dora')"
            func players() -> [Int64] {
                defer { store.players = [1: .init(name: "Anna", score: 10), 2: .init(name: "Bo", score: 20)] }
                return store.players.keys.sorted()
            }
            let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO player \(values)") }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_ROWID)
            #expect(error?.message == "there is a player 1")
            #expect(players() == [1, 2])
            try db.execute(sql: "INSERT OR IGNORE INTO player \(values)")
            #expect(players() == [1, 2, 3, 4])
            try db.execute(sql: "INSERT OR REPLACE INTO player \(values)")
            #expect(store.players[1]?.name == "Ada")
            #expect(players() == [1, 2, 3, 4])
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT OR FAIL INTO player \(values)") }
            #expect(players() == [1, 2, 3])
            let lines = store.journal.read()
            for name in ["abort", "ignore", "replace", "fail"] {
                #expect(lines.contains("insert 3 \(name)"))
            }
            try db.execute(sql: "BEGIN")
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT OR ROLLBACK INTO player \(values)") }
            #expect(!db.isInsideTransaction)
            #expect(store.journal.read().contains("insert 3 rollback"))
        }
    }

    // MARK: Transactions

    @Test("the table hears of transactions and savepoints")
    func transactions() throws {
        try withPlayers { db, store in
            func changes() -> [String] {
                let words = ["begin", "sync", "commit", "rollback", "savepoint", "release", "rollbackTo"]
                return store.journal.read().filter { line in words.contains { line == $0 || line.hasPrefix($0 + " ") } }
            }
            try db.execute(sql: "BEGIN; INSERT INTO player VALUES ('Cleo', 1); COMMIT")
            #expect(changes() == ["begin", "sync", "commit"])
            try db.execute(sql: "BEGIN; DELETE FROM player WHERE rowid = 1; ROLLBACK")
            #expect(changes() == ["begin", "rollback"])
            #expect(store.players.count == 3)
            try db.execute(
                sql: """
                    BEGIN;
                    DELETE FROM player WHERE rowid = 1;
                    SAVEPOINT s;
                    DELETE FROM player WHERE rowid = 2;
                    ROLLBACK TO s;
                    RELEASE s;
                    COMMIT
                    """)
            #expect(changes() == ["begin", "savepoint 0", "rollbackTo 0", "release 0", "sync", "commit"])
            #expect(store.players.keys.sorted() == [2, 3])
            try db.execute(sql: "SELECT * FROM player")
            #expect(changes().isEmpty)
        }
    }

    @Test("an error of sync rolls the transaction back")
    func sync() throws {
        try withPlayers { db, store in
            store.failures = ["sync"]
            try db.execute(sql: "BEGIN; DELETE FROM player")
            let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "COMMIT") }
            #expect(error?.message == "no sync")
            if db.isInsideTransaction { try db.rollback() }
            #expect(store.players.count == 2)
        }
    }

    @Test("ALTER TABLE tells the new name")
    func rename() throws {
        try withPlayers { db, store in
            try db.execute(sql: "ALTER TABLE player RENAME TO member")
            #expect(store.journal.read().contains("rename member"))
            try #expect(db.integers("SELECT count(*) FROM member") == [2])
        }
    }

    // MARK: WITHOUT ROWID

    private final class Settings: UpdatableVirtualTable {
        typealias Key = String

        let schema = "CREATE TABLE x(name TEXT PRIMARY KEY, value) WITHOUT ROWID"
        var values: [String: DatabaseValue] = ["color": "red".databaseValue]
        let journal: Journal

        init(_ journal: Journal) { self.journal = journal }

        func open() -> Cursor { Cursor(table: self) }

        struct Cursor: VirtualTableCursor {
            let table: Settings
            private var names: ArraySlice<String> = []
            private var name = ""

            init(table: Settings) { self.table = table }

            mutating func filter(_ plan: FullScan, _ arguments: borrowing VirtualTableArguments) {
                names = table.values.keys.sorted()[...]
            }

            mutating func next() -> Bool {
                guard let name = names.popFirst() else { return false }
                self.name = name
                return true
            }

            func column(_ index: Int, _ result: borrowing SQLiteResult) {
                if index == 0 { result.set(name) } else { result.set(table.values[name] ?? .null) }
            }
        }

        func insert(_ row: borrowing VirtualTableValues) throws -> String {
            let name: String = try row[0]
            let rowID = try row.rowID
            journal.write("insert \(name) \(rowID as Any) \(row.count)")
            values[name] = try row[1]
            return name
        }

        func update(_ name: String, _ row: borrowing VirtualTableValues) throws {
            let newName: String = try row[0]
            let rowID = try row.rowID
            journal.write("update \(name) to \(newName) \(rowID as Any)")
            values[name] = nil
            values[newName] = try row[1]
        }

        func delete(_ name: String) {
            journal.write("delete \(name)")
            values[name] = nil
        }
    }

    @Test("rows of a table WITHOUT ROWID are known by their primary key")
    func withoutRowID() throws {
        let journal = Journal()
        try DatabaseKind.memory.run { db in
            try db.add(module: DatabaseModule("settings") { _ in Settings(journal) })
            try db.execute(
                sql: """
                    INSERT INTO settings VALUES ('size', 10);
                    UPDATE settings SET value = 11 WHERE name = 'size';
                    UPDATE settings SET name = 'height' WHERE name = 'size';
                    DELETE FROM settings WHERE name = 'color'
                    """)
            #expect(
                journal.read() == [
                    "insert size nil 2", "update size to size nil", "update size to height nil", "delete color",
                ])
            try #expect(db.rows("SELECT * FROM settings").description == #"[["height", 11]]"#)
        }
    }

    @Test("a column that does not exist is an error")
    func unknownColumn() throws {
        final class Odd: UpdatableVirtualTable {
            let schema = "CREATE TABLE x(a)"
            func open() -> Cursor { Cursor() }
            struct Cursor: VirtualTableCursor {
                mutating func filter(_ plan: FullScan, _ arguments: borrowing VirtualTableArguments) {}
                mutating func next() -> Bool { false }
                func column(_ index: Int, _ result: borrowing SQLiteResult) {}
            }
            func insert(_ values: borrowing VirtualTableValues) throws -> Int64 {
                let isUnchanged = values.isUnchanged(7)
                #expect(!isUnchanged)
                return try values[1]
            }
            func update(_ key: Int64, _ values: borrowing VirtualTableValues) {}
            func delete(_ key: Int64) {}
        }
        try DatabaseKind.memory.run { db in
            try db.add(module: DatabaseModule("odd") { _ in Odd() })
            let sql = "INSERT INTO odd VALUES (1)"
            expectError(.SQLITE_MISUSE, "there is no column 1: the table has 1", sql: sql) { try db.execute(sql: sql) }
        }
    }
}
