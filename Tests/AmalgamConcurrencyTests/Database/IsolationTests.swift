import Amalgam
import Foundation
import TestSupport
import Testing

/// Reads in their transactions.
@Suite(.timeLimit(.minutes(5)), .watchdog)
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
