import Amalgam
import Foundation
import TestSupport
import Testing

/// Reads in their transactions.
@Suite(.watchdog)
struct IsolationTests {
    static let refused = [
        "CREATE TEMP TABLE player (id)", "CREATE TEMP VIEW player AS SELECT 1", "INSERT INTO draft VALUES (1)",
        "DROP TABLE draft", "PRAGMA query_only = 0", "PRAGMA query_only = off; INSERT INTO draft VALUES (1)",
        "EXPLAIN PRAGMA query_only = 0; INSERT INTO player (name) VALUES ('Anna')", "PRAGMA main.query_only(0)",
    ]

    /// A configuration with one reader, whose connections have a temporary table.
    private var configuration: Configuration {
        .tested {
            $0.maximumReaderCount = 1
            $0.prepareDatabase { db in try db.execute(sql: "CREATE TEMP TABLE draft (a)") }
        }
    }

    private func expectRefusal(_ sql: String, _ db: Database) throws {
        try databaseError(.SQLITE_READONLY) { try db.execute(sql: sql) }
        try databaseError(.SQLITE_READONLY) { try db.execute(sql: "CREATE TEMP TABLE other (a)") }
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM draft") == 0)
    }

    @Test("reads refuse temporary tables, and writes allowed by a pragma", arguments: Store.allCases, refused)
    func reads(store: Store, sql: String) throws {
        try store.withWriter(configuration) { writer in
            for _ in 1...2 { try writer.read { try expectRefusal(sql, $0) } }
            #expect(try writer.read { try $0.playerCount() } == 0)
            // Writes go on.
            try writer.write { db in
                try db.execute(sql: "INSERT INTO draft VALUES (1)")
                try db.addPlayer()
            }
            #expect(try writer.read { try $0.playerCount() } == 1)
        }
    }

    @Test("reads of tasks refuse them, too", arguments: refused)
    func readsOfTasks(sql: String) async throws {
        try await withPool(configuration) { pool, _ in
            for _ in 1...2 { try await pool.read { try expectRefusal(sql, $0) } }
            #expect(try await pool.read { try $0.playerCount() } == 0)
        }
    }

    @Test("reads of a snapshot pool refuse temporary tables", arguments: refused)
    func snapshotPools(sql: String) throws {
        try withPool(configuration) { pool, _ in
            let snapshot = try pool.makeSnapshotPool()
            for _ in 1...2 { try snapshot.read { try expectRefusal(sql, $0) } }
            #expect(try snapshot.read { try $0.playerCount() } == 0)
            try snapshot.close()
        }
    }

    @Test("reads of a snapshot refuse temporary tables, and unsafe reads create them", arguments: refused)
    func snapshots(sql: String) async throws {
        try await withPool(configuration) { pool, _ in
            let snapshot = try pool.makeSnapshot()
            for _ in 1...2 {
                try snapshot.reentrantRead { try expectRefusal(sql, $0) }
                try await snapshot.read { try expectRefusal(sql, $0) }
            }
            let hasRead = Signal("read")
            snapshot.asyncRead { result in
                #expect(throws: Never.self) { try expectRefusal(sql, result.get()) }
                hasRead.fire()
            }
            // Accesses run in the order of their requests.
            let count = try await snapshot.unsafeRead { db in
                try db.execute(sql: "INSERT INTO draft VALUES (1); CREATE TEMP TABLE other (a)")
                return try Int.fetchOne(db, sql: "SELECT count(*) FROM draft")
            }
            #expect(count == 1 && hasRead.hasFired)
            try snapshot.close()
        }
    }

    @Test("a read of a snapshot refuses writes of its thread")
    func synchronousReadsOfSnapshots() throws {
        try withPool(configuration) { pool, _ in
            let snapshot = try pool.makeSnapshot()
            try snapshot.read { try expectRefusal("DROP TABLE draft", $0) }
            // A reentrant read inside an unsafe one refuses writes, and the unsafe one allows them afterwards.
            try snapshot.unsafeRead { db in
                try snapshot.reentrantRead { try expectRefusal("DROP TABLE draft", $0) }
                try db.execute(sql: "DROP TABLE draft")
            }
            try snapshot.close()
        }
    }

    /// Opens a pool whose connections attach a database, and calls a closure with the pool.
    private func withAttachedDatabase(journalMode: String, _ body: (DatabasePool) throws -> Void) throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        let path = folder.path("attached.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: "PRAGMA journal_mode = \(journalMode); CREATE TABLE b (v); INSERT INTO b VALUES (0)")
        }
        try queue.close()
        let configuration = Configuration.tested {
            $0.prepareDatabase { try $0.execute(sql: "ATTACH DATABASE ? AS attached", arguments: [path]) }
        }
        let pool = try DatabasePool(path: folder.path("main.sqlite"), configuration: configuration)
        try pool.write { try $0.execute(sql: "CREATE TABLE a (v); INSERT INTO a VALUES (0)") }
        try body(pool)
        try pool.close()
    }

    private func increment(_ pool: DatabasePool) throws {
        try pool.write { try $0.execute(sql: "UPDATE a SET v = v + 1; UPDATE attached.b SET v = v + 1") }
    }

    private func values(_ db: Database) throws -> [Int] {
        try Int.fetchAll(db, sql: "SELECT v FROM attached.b UNION ALL SELECT v FROM a")
    }

    @Test("reads and snapshots see attached databases as they were at the beginning")
    func attachedDatabases() throws {
        try withAttachedDatabase(journalMode: "WAL") { pool in
            try pool.read { db in
                try increment(pool)
                #expect(try values(db) == [0, 0])
            }
            let snapshot = try pool.makeSnapshot()
            try increment(pool)
            #expect(try snapshot.read(values) == [1, 1])
            try snapshot.close()
            try pool.read(at: pool.currentVersion()) { db in
                try increment(pool)
                #expect(try values(db) == [2, 2])
            }
            let (hasBegun, mayRead, hasRead) = (Signal("begin"), Signal("read"), Signal("end"))
            pool.writeWithoutTransaction { _ in
                pool.asyncConcurrentRead { result in
                    hasBegun.fire()
                    #expect(throws: Never.self) {
                        try mayRead.wait()
                        #expect(try values(result.get()) == [3, 3])
                    }
                    hasRead.fire()
                }
            }
            try hasBegun.wait()
            try increment(pool)
            mayRead.fire()
            try hasRead.wait()
            #expect(try pool.read(values) == [4, 4])
        }
    }

    @Test("a read doesn't lock attached databases that aren't in WAL mode")
    func attachedDatabasesWithAJournal() throws {
        try withAttachedDatabase(journalMode: "DELETE") { pool in
            try pool.read { db in
                #expect(try Int.fetchOne(db, sql: "SELECT v FROM a") == 0)
                try increment(pool)
            }
            #expect(try pool.read(values) == [1, 1])
        }
    }

    @Test("a read may turn query_only on, which ends with the read")
    func queryOnly() throws {
        try Store.memoryQueue.withWriter { writer in
            try writer.read { try $0.execute(sql: "PRAGMA query_only = 1") }
            try writer.write { try $0.addPlayer() }
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA query_only = 1; PRAGMA query_only = 0")
                try db.addPlayer()
            }
            #expect(try writer.read { try $0.playerCount() } == 2)
        }
    }
}
