import Amalgam
import AmalgamCore
import AmalgamVirtualTables
import Foundation
import TestSupport
import Testing

@Suite("Virtual tables")
struct VirtualTableTests {
    // MARK: The shortest table

    private final class Letters: VirtualTable {
        let schema = "CREATE TABLE x(letter TEXT, code INTEGER)"

        func open() -> Cursor { Cursor() }

        struct Cursor: VirtualTableCursor {
            private var code: UInt8 = 0

            mutating func filter(_ plan: FullScan, _ arguments: borrowing VirtualTableArguments) {
                code = UInt8(ascii: "a") - 1
            }

            mutating func next() -> Bool {
                code += 1
                return code <= UInt8(ascii: "e")
            }

            func column(_ index: Int, _ result: borrowing SQLiteResult) {
                if index == 0 { result.set(String(UnicodeScalar(code))) } else { result.set(code) }
            }
        }
    }

    @Test("a table is there without being created", arguments: DatabaseKind.allCases)
    func eponymous(kind: DatabaseKind) throws {
        try kind.run { db in
            try db.add(module: DatabaseModule("letters") { _ in Letters() })
            let letters = try String.fetchAll(db, sql: "SELECT letter FROM letters WHERE code > 98 ORDER BY code DESC")
            #expect(letters == ["e", "d", "c"])
            let pairs = try db.integers("SELECT count(*) FROM letters a JOIN letters b USING (code)")
            #expect(pairs == [5])
            try db.execute(sql: "CREATE VIRTUAL TABLE alphabet USING letters")
            try #expect(db.integers("SELECT count(*) FROM alphabet") == [5])
            try db.execute(sql: "DROP TABLE alphabet")
        }
    }

    @Test("a table that is only there without being created")
    func eponymousOnly() throws {
        try DatabaseKind.memory.run { db in
            try db.add(module: DatabaseModule("letters", isEponymousOnly: true) { _ in Letters() })
            let sql = "CREATE VIRTUAL TABLE alphabet USING letters"
            expectError(.SQLITE_ERROR, "no such module: letters", sql: sql) { try db.execute(sql: sql) }
            try #expect(db.integers("SELECT count(*) FROM letters") == [5])
        }
    }

    @Test("a read-only table is not written to, and has no rowid unless it says so")
    func readOnly() throws {
        try DatabaseKind.memory.run { db in
            try db.add(module: DatabaseModule("letters") { _ in Letters() })
            let insertion = "INSERT INTO letters VALUES ('f', 102)"
            expectError(.SQLITE_ERROR, "table letters may not be modified", sql: insertion) {
                try db.execute(sql: insertion)
            }
            let sql = "SELECT rowid FROM letters"
            let message = "the rows of this virtual table have no rowid: implement rowID in Cursor"
            expectError(.SQLITE_ERROR, message, sql: sql) { _ = try db.integers(sql) }
        }
    }

    // MARK: Creation

    @Test("CREATE VIRTUAL TABLE creates, other connections connect, DROP TABLE destroys")
    func creation() throws {
        let store = PlayerTable.Store()
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("players.sqlite").path
            var configuration = Configuration()
            configuration.prepareDatabase { db in try db.add(module: PlayerTable.module(store)) }
            let first = try DatabaseQueue(path: path, configuration: configuration)
            try first.write { db in try db.execute(sql: "CREATE VIRTUAL TABLE player USING players(a, 'b  c', d=1)") }
            #expect(store.journal.read().first == "create main.player a|'b  c'|d=1")
            #expect(store.tables.alive == 1)
            try first.close()
            #expect(store.tables.alive == 0)

            let second = try DatabaseQueue(path: path, configuration: configuration)
            let names = try second.read { db in try String.fetchAll(db, sql: "SELECT name FROM player") }
            #expect(names == ["Anna", "Bo"])
            #expect(store.journal.read().first == "connect players player")
            try second.write { db in try db.execute(sql: "DROP TABLE player") }
            #expect(store.journal.read().contains("destroy"))
            #expect(store.tables.alive == 0)
            try second.close()
        }
        #expect(store.cursors.alive == 0)
    }

    @Test("an error of the constructor is that of the statement, and leaves no table")
    func failingConstructor() throws {
        let store = PlayerTable.Store()
        try DatabaseKind.memory.run { db in
            try db.add(module: PlayerTable.module(store))
            store.failures = ["create"]
            let sql = "CREATE VIRTUAL TABLE player USING players"
            let error = expectError(.SQLITE_CONSTRAINT, "no create", sql: sql) { try db.execute(sql: sql) }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_VTAB)
            try #expect(db.integers("SELECT count(*) FROM sqlite_master") == [0])
            #expect(store.tables.alive == 0)
        }
    }

    private final class Declared: VirtualTable {
        let schema: String
        let options: VirtualTableSafetyOptions
        let life: Census.Member

        init(_ schema: String, _ options: VirtualTableSafetyOptions = [], _ census: Census = Census()) {
            self.schema = schema
            self.options = options
            life = census.birth()
        }

        func open() -> Cursor { Cursor() }

        struct Cursor: VirtualTableCursor {
            mutating func filter(_ plan: FullScan, _ arguments: borrowing VirtualTableArguments) {}
            mutating func next() -> Bool { false }
            func column(_ index: Int, _ result: borrowing SQLiteResult) {}
        }
    }

    @Test("a schema that SQLite does not understand is an error")
    func wrongSchema() throws {
        let census = Census()
        try DatabaseKind.memory.run { db in
            try db.add(module: DatabaseModule("t") { _ in Declared("CREATE TABLE", [], census) })
            expectError(.SQLITE_ERROR, "incomplete input", sql: "SELECT * FROM t") {
                _ = try db.rows("SELECT * FROM t")
            }
            try db.add(module: DatabaseModule("t") { _ in Declared("CREATE TABLE x(a, a)", [], census) })
            expectError(.SQLITE_ERROR, "duplicate column name: a", sql: "SELECT * FROM t") {
                _ = try db.rows("SELECT * FROM t")
            }
        }
        #expect(census.alive == 0)
        #expect(census.total > 0)
    }

    @Test("options: views and triggers may use innocuous tables, and not those for direct use")
    func options() throws {
        try DatabaseKind.memory.run { db in
            try db.add(module: DatabaseModule("plain") { _ in Declared("CREATE TABLE x(a)") })
            try db.add(module: DatabaseModule("innocuous") { _ in Declared("CREATE TABLE x(a)", .innocuous) })
            try db.add(module: DatabaseModule("direct") { _ in Declared("CREATE TABLE x(a)", .directOnly) })
            try db.add(module: DatabaseModule("everywhere") { _ in Declared("CREATE TABLE x(a)", .usesAllSchemas) })
            for name in ["plain", "innocuous", "direct", "everywhere"] {
                try db.execute(sql: "CREATE VIEW v_\(name) AS SELECT * FROM \(name)")
                try #expect(db.rows("SELECT * FROM \(name)").isEmpty)
            }
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            try #expect(db.rows("SELECT * FROM v_innocuous").isEmpty)
            for name in ["plain", "direct"] {
                let sql = "SELECT * FROM v_\(name)"
                let message = "unsafe use of virtual table \"\(name)\""
                expectError(.SQLITE_ERROR, message, sql: sql) { _ = try db.rows(sql) }
            }
            try db.execute(sql: "PRAGMA trusted_schema = ON")
            try #expect(db.rows("SELECT * FROM v_plain").isEmpty)
            let sql = "SELECT * FROM v_direct"
            expectError(.SQLITE_ERROR, "unsafe use of virtual table \"direct\"", sql: sql) { _ = try db.rows(sql) }
        }
    }

    @Test("a module needs a name")
    func names() throws {
        try DatabaseKind.memory.run { db in
            for name in ["", "a\0b"] {
                let module = DatabaseModule(name) { _ in Letters() }
                expectError(.SQLITE_MISUSE, "a module needs a name without NUL characters") {
                    try db.add(module: module)
                }
                expectError(.SQLITE_MISUSE, "a module needs a name without NUL characters") {
                    try db.remove(module: module)
                }
            }
            let function = DatabaseTableFunction("f", columns: []) { _ in [1] }
            expectError(.SQLITE_MISUSE, "table function f needs a column") { try db.add(tableFunction: function) }
        }
    }

    @Test("a connection is used inside its access only")
    func access() throws {
        let queue = try DatabaseQueue()
        let leaked = Unsafely<Database>()
        queue.inDatabase { leaked.value = $0 }
        let db = try #require(leaked.value)
        #expect(throws: DatabaseError.self) { try db.add(module: DatabaseModule("letters") { _ in Letters() }) }
        #expect(throws: DatabaseError.self) { try db.remove(module: DatabaseModule("letters") { _ in Letters() }) }
        leaked.value = nil
    }

    // MARK: Plans

    @Test("a plan travels from bestIndex to filter, with its arguments")
    func plans() throws {
        try withPlayers { db, store in
            try #expect(String.fetchAll(db, sql: "SELECT name FROM player WHERE rowid = 2") == ["Bo"])
            #expect(store.journal.read().contains("filter byID"))
            try #expect(String.fetchAll(db, sql: "SELECT name FROM player WHERE score > 10") == ["Bo"])
            #expect(store.journal.read().contains("filter all"))
            let sql = "SELECT name FROM player WHERE name IN ('Bo', 'Cleo')"
            try #expect(String.fetchAll(db, sql: sql) == ["Bo"])
            #expect(store.journal.read().filter { $0.hasPrefix("filter") } == ["filter byNames"])
            try #expect(db.plan("SELECT * FROM player WHERE rowid = 2").first?.hasSuffix(":byID") == true)
        }
    }

    @Test("statements keep their plans, whatever is planned afterwards")
    func keptPlans() throws {
        try withPlayers { db, store in
            let byID = try db.makeStatement(sql: "SELECT name FROM player WHERE rowid = ?")
            let all = try db.makeStatement(sql: "SELECT name FROM player")
            for _ in 1...2 {
                try #expect(String.fetchAll(byID, arguments: [1]) == ["Anna"])
                try #expect(String.fetchAll(all) == ["Anna", "Bo"])
            }
        }
    }

    // MARK: Errors

    @Test(
        "an error of any callback is that of the statement",
        arguments: [
            ("bestIndex", "SELECT name FROM player"), ("open", "SELECT name FROM player"),
            ("filter", "SELECT name FROM player"), ("next", "SELECT name FROM player"),
            ("column", "SELECT name FROM player"), ("rowID", "SELECT rowid FROM player"),
            ("insert", "INSERT INTO player VALUES ('Cleo', 1)"), ("update", "UPDATE player SET score = 1"),
            ("delete", "DELETE FROM player"), ("begin", "DELETE FROM player"), ("sync", "DELETE FROM player"),
            ("rename", "ALTER TABLE player RENAME TO p"), ("destroy", "DROP TABLE player"),
        ])
    func errors(callback: String, sql: String) throws {
        try withPlayers { db, store in
            store.failures = [callback]
            let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
            #expect(error?.message == "no \(callback)")
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_VTAB)
            #expect(store.cursors.alive == 0)
            // The connection and the table are usable.
            store.failures = []
            try #expect(db.integers("SELECT count(*) FROM player").count == 1)
            try db.execute(sql: "INSERT INTO player VALUES ('Dora', 1)")
            #expect(!db.isInsideTransaction)
        }
    }

    @Test("an error of a savepoint is that of the statement", arguments: ["savepoint", "release", "rollbackTo"])
    func savepointErrors(callback: String) throws {
        try withPlayers { db, store in
            try db.execute(sql: "BEGIN; INSERT INTO player VALUES ('Cleo', 1)")
            store.failures = [callback]
            let error = #expect(throws: DatabaseError.self) {
                try db.execute(sql: "SAVEPOINT s; INSERT INTO player VALUES ('Dora', 1); ROLLBACK TO s; RELEASE s")
            }
            #expect(error?.message == "no \(callback)")
            store.failures = []
            try db.execute(sql: "ROLLBACK")
            #expect(store.players.count == 2)
        }
    }
}
