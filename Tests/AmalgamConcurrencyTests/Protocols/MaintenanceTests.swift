import Amalgam
import CAmalgam
import Foundation
import TestSupport
import Testing

/// VACUUM, and erasing databases.
@Suite(.watchdog)
struct MaintenanceTests {
    // MARK: Vacuum

    @Test(arguments: Store.allCases)
    func vacuum(store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.execute(sql: "INSERT INTO player (name) VALUES (hex(zeroblob(100000)))") }
            try writer.write { try $0.execute(sql: "DELETE FROM player") }
            try writer.vacuum()
            let pageCount = try writer.read { try Int.fetchOne($0, sql: "PRAGMA page_count") }
            #expect(pageCount == 2)
        }
    }

    @Test func theSQL() throws {
        let log = Log<String>()
        let folder = Folder()
        let path = folder.path("copy.sqlite")
        var configuration = Configuration.traced(log)
        configuration.publicStatementArguments = true
        let queue = try DatabaseQueue(configuration: configuration)
        _ = log.take()
        try queue.vacuum()
        #expect(log.take().filter { !$0.hasPrefix("--") && !$0.contains("vacuum_db") } == ["VACUUM"])
        try queue.vacuum(into: path)
        #expect(log.take().contains("VACUUM INTO '\(path)'"))
    }

    @Test func vacuumAsynchronously() async throws {
        try await withPool { pool, folder in
            try await pool.vacuum()
            try await pool.vacuum(into: folder.path("copy.sqlite"))
            let copy = try DatabaseQueue(path: folder.path("copy.sqlite"))
            #expect(try await copy.read { try $0.playerCount() } == 0)
        }
    }

    @Test(arguments: Store.allCases)
    func vacuumInto(store: Store) throws {
        let folder = Folder()
        try store.withWriter { writer in
            try writer.write { try $0.addPlayer() }
            let path = folder.path("o'copy \"ü\".sqlite")
            try writer.vacuum(into: path)
            #expect(try DatabaseQueue(path: path).read { try $0.playerCount() } == 1)
            try databaseError(.SQLITE_ERROR) { try writer.vacuum(into: path) }
            try databaseError(.SQLITE_MISUSE) { try writer.vacuum(into: folder.path("a") + "\0b") }
            try databaseError(.SQLITE_CANTOPEN) { try writer.vacuum(into: folder.path("nowhere/copy.sqlite")) }
        }
    }

    @Test(arguments: [0o600, 0o640])
    func vacuumIntoKeepsThePermissions(permissions: Int) throws {
        let folder = Folder()
        let (path, copy) = (folder.path("db.sqlite"), folder.path("copy.sqlite"))
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.createPlayers() }
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        try queue.vacuum(into: copy)
        let attributes = try FileManager.default.attributesOfItem(atPath: copy)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == permissions)
        #expect(try DatabaseQueue(path: copy).read { try $0.tableExists("player") })
    }

    /// A file of the application stays, and a file that VACUUM INTO couldn't fill is removed.
    @Test func vacuumIntoThatFails() throws {
        let folder = Folder()
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"))
        let (new, old) = (folder.path("new.sqlite"), folder.path("old.sqlite"))
        #expect(FileManager.default.createFile(atPath: old, contents: nil))
        for path in [new, old] {
            try databaseError(.SQLITE_ERROR) { try queue.write { _ in try queue.vacuum(into: path) } }
        }
        #expect(!FileManager.default.fileExists(atPath: new))
        #expect(FileManager.default.fileExists(atPath: old))
    }

    @Test func vacuumInATransaction() throws {
        let queue = try DatabaseQueue()
        try databaseError(.SQLITE_ERROR) { try queue.write { _ in try queue.vacuum() } }
        // Inside an access without a transaction, VACUUM succeeds.
        try queue.writeWithoutTransaction { _ in try queue.vacuum() }
        try queue.close()
        try databaseError(.SQLITE_MISUSE) { try queue.vacuum() }
    }

    // MARK: Erase

    /// A schema with all kinds of objects.
    static let everything = """
        CREATE TABLE team (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);
        CREATE TABLE member (id INTEGER PRIMARY KEY, teamId INTEGER NOT NULL REFERENCES team(id) ON DELETE RESTRICT);
        CREATE TABLE keyed (id TEXT PRIMARY KEY) WITHOUT ROWID;
        CREATE INDEX memberByTeam ON member(teamId);
        CREATE VIEW teamNames AS SELECT name FROM team;
        CREATE TRIGGER noDeletion BEFORE DELETE ON member BEGIN SELECT RAISE(ABORT, 'members stay'); END;
        CREATE VIRTUAL TABLE search USING fts5(name);
        CREATE VIRTUAL TABLE oldSearch USING fts4(name);
        CREATE VIRTUAL TABLE area USING rtree(id, minX, maxX);
        INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
        INSERT INTO member VALUES (1, 1), (2, 2);
        INSERT INTO search VALUES ('Reds'), ('Blues');
        INSERT INTO oldSearch VALUES ('Reds');
        INSERT INTO area VALUES (1, 2, 3);
        ANALYZE;
        PRAGMA user_version = 5;
        PRAGMA application_id = 6;
        """

    func expectEmpty(_ reader: any DatabaseReader, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try reader.read { db in
            let names = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master")
            #expect(names == [], sourceLocation: sourceLocation)
            #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == 0, sourceLocation: sourceLocation)
            #expect(try Int.fetchOne(db, sql: "PRAGMA application_id") == 0, sourceLocation: sourceLocation)
            #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok", sourceLocation: sourceLocation)
            #expect(try Int.fetchOne(db, sql: "PRAGMA page_count") == 1, sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: Store.allCases)
    func erase(store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.execute(sql: Self.everything) }
            let mode = try writer.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
            _ = try writer.read { try Row.fetchAll($0, sql: "SELECT * FROM search") }
            try writer.erase()
            try expectEmpty(writer)
            #expect(try writer.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == mode)
            // The database is usable like a new one, and foreign keys are still enforced.
            try writer.write { try $0.execute(sql: Self.everything) }
            try databaseError(.SQLITE_CONSTRAINT) {
                try writer.write { try $0.execute(sql: "INSERT INTO member VALUES (3, 99)") }
            }
            #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM search('Reds')") } == 1)
        }
    }

    @Test(arguments: Store.allCases)
    func eraseAsynchronously(store: Store) async throws {
        try await store.withWriter { writer in
            try await writer.write { try $0.execute(sql: Self.everything) }
            try await writer.erase()
            try expectEmpty(writer)
        }
    }

    /// Other connections detect the new schema, although its number starts again in a new file.
    @Test func otherConnectionsSeeTheNewSchema() throws {
        for changes in 0...3 {
            try withPool { pool, folder in
                let other = try DatabaseQueue(path: folder.path("db.sqlite"))
                try pool.write { db in
                    for number in 0..<changes { try db.execute(sql: "CREATE TABLE t\(number) (a)") }
                    try db.addPlayer()
                }
                #expect(try other.read { try $0.playerCount() } == 1)
                #expect(try pool.read { try $0.playerCount() } == 1)
                try pool.erase()
                try databaseError(.SQLITE_ERROR) { try other.read { try $0.playerCount() } }
                try databaseError(.SQLITE_ERROR) { try pool.read { try $0.playerCount() } }
                try pool.write { try $0.execute(sql: "CREATE TABLE player (x, y, z)") }
                let columns = try other.read { try Row.fetchAll($0, sql: "PRAGMA table_info(player)").count }
                #expect(columns == 3)
                #expect(try other.read { try Row.fetchAll($0, sql: "SELECT * FROM player") }.isEmpty)
                #expect(try pool.read { try Row.fetchAll($0, sql: "SELECT * FROM player") }.isEmpty)
            }
        }
    }

    @Test func eraseTwice() throws {
        try Store.pool.withWriter { writer in
            for _ in 1...3 { try writer.erase() }
            try expectEmpty(writer)
            try writer.write { try $0.createPlayers() }
        }
    }

    @Test func pageSizeAndEncodingAreKept() throws {
        let folder = Folder()
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"))
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA page_size = 1024; PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (a)")
        }
        try queue.erase()
        let facts = try queue.read {
            (try Int.fetchOne($0, sql: "PRAGMA page_size"), try String.fetchOne($0, sql: "PRAGMA encoding"))
        }
        #expect(facts.0 == 1024)
        #expect(facts.1 == "UTF-16le")
    }

    @Test func aDamagedDatabase() throws {
        let folder = Folder()
        let path = folder.path("db.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.createPlayers()
            for _ in 1...100 { try db.addPlayer(String(repeating: "x", count: 500)) }
        }
        try queue.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for index in 4096..<bytes.count { bytes[index] = 0xFF }
        try bytes.write(to: URL(fileURLWithPath: path))
        let damaged = try DatabaseQueue(path: path)
        try databaseError(.SQLITE_CORRUPT) {
            try damaged.read { try Row.fetchAll($0, sql: "SELECT * FROM player") }
        }
        try damaged.erase()
        try expectEmpty(damaged)
    }

    @Test func eraseMayBeBusy() throws {
        let folder = Folder()
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"))
        try queue.write { db in
            try db.createPlayers()
            try db.addPlayer()
        }
        let other = try DatabaseQueue(path: folder.path("db.sqlite"))
        try other.inTransaction(.immediate) { db in
            try databaseError(.SQLITE_BUSY) { try queue.erase() }
            return .commit
        }
        #expect(try queue.read { try $0.playerCount() } == 1)
        try queue.vacuum()
        #expect(try queue.read { try $0.playerCount() } == 1)
        try queue.erase()
    }

    @Test func eraseIsRefused() throws {
        let folder = Folder()
        let path = folder.path("db.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.createPlayers() }
        let readonly = try DatabaseQueue(path: path, configuration: .tested { $0.readonly = true })
        try databaseError(.SQLITE_READONLY) { try readonly.erase() }
        try databaseError(.SQLITE_READONLY) { try readonly.vacuum() }
        try databaseError(.SQLITE_MISUSE) { try queue.write { _ in try queue.erase() } }
        try queue.close()
        try databaseError(.SQLITE_MISUSE) { try queue.erase() }
    }

    @Test func observersGoOn() throws {
        let observer = Observer()
        let queue = try DatabaseQueue()
        queue.add(transactionObserver: observer)
        try queue.write { db in
            try db.createPlayers()
            try db.addPlayer()
        }
        try queue.erase()
        try queue.write { try $0.createPlayers() }
        observer.count.value = 0
        try queue.write { try $0.addPlayer() }
        #expect(observer.count.value == 1)
    }

    private final class Observer: TransactionObserver {
        let count = Box(0)

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "player" }
        func databaseDidChange(with event: DatabaseEvent) { count.increment() }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }
}
