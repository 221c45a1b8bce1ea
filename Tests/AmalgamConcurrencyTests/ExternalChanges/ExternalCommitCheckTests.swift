import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// A connection detects the commits of other connections without taking a lock, and without running a statement.
@Suite struct ExternalCommitCheckTests {
    static let modes = ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF", "WAL"]

    /// Opens two connections to a file with a table.
    private func withConnections(
        _ mode: String, _ body: (_ queue: DatabaseQueue, _ others: DatabaseQueue) throws -> Void
    ) throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = \(mode)") }
        let path = folder.path("db.sqlite")
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        let others = try DatabaseQueue(path: path, configuration: configuration)
        _ = try queue.inDatabase { try $0.checkForExternalCommits() }
        try body(queue, others)
        try others.close()
        try queue.close()
    }

    private func expectSettled(
        _ queue: DatabaseQueue, _ isFinal: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> UInt32 {
        let commits = try queue.inDatabase { try $0.checkForExternalCommits() }
        #expect(commits.isFinal == isFinal, sourceLocation: sourceLocation)
        return commits.dataVersion
    }

    @Test(arguments: modes)
    func commitsOfOthersChangeTheVersion(mode: String) throws {
        try withConnections(mode) { queue, others in
            var versions: Set<UInt32> = [try expectSettled(queue)]
            for _ in 1...5 {
                try others.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
                #expect(versions.insert(try expectSettled(queue)).inserted)
                #expect(try !versions.insert(expectSettled(queue)).inserted)
            }
        }
    }

    /// A check reads: a suspended connection runs it at once where reading is allowed, and otherwise later.
    @Test(arguments: modes)
    func whileSuspended(mode: String) throws {
        try withConnections(mode) { queue, others in
            let version = try expectSettled(queue)
            queue.suspend()
            try others.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            let commits = try queue.inDatabase { try $0.checkForExternalCommits() }
            #expect(commits.isDeferred == (mode != "WAL"))
            #expect(commits.isFinal == (mode == "WAL"))
            #expect((commits.dataVersion == version) == (mode != "WAL"))
            queue.resume()
            #expect(try expectSettled(queue) != version)
        }
    }

    /// The version is that of `PRAGMA data_version`.
    @Test(arguments: modes)
    func versionOfThePragma(mode: String) throws {
        try withConnections(mode) { queue, others in
            for _ in 1...3 {
                try others.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
                let version = try expectSettled(queue)
                #expect(try queue.inDatabase { try Int.fetchOne($0, sql: "PRAGMA data_version") } == Int(version))
            }
        }
    }

    @Test(arguments: modes)
    func ownCommitsDoNotChangeTheVersion(mode: String) throws {
        try withConnections(mode) { queue, others in
            try others.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            let version = try expectSettled(queue)
            let statements = [
                "INSERT INTO t VALUES (1)", "CREATE TABLE u (x)", "VACUUM", "PRAGMA user_version = 3", "DELETE FROM t",
                "PRAGMA wal_checkpoint(TRUNCATE)", "INSERT INTO t VALUES (2)", "PRAGMA wal_checkpoint(RESTART)",
                "ANALYZE",
            ]
            for sql in statements {
                try queue.inDatabase { try $0.execute(sql: sql) }
                #expect(try expectSettled(queue) == version, "\(sql)")
            }
            try others.close()
            try queue.erase()
            #expect(try expectSettled(queue) == version, "erase")
            try DatabaseQueue().backup(to: queue)
            #expect(try expectSettled(queue) == version, "backup")
        }
    }

    /// While another connection has an open write transaction, the check isn't final: its changes may still be
    /// committed.
    @Test(arguments: modes)
    func othersAreWriting(mode: String) throws {
        try withConnections(mode) { queue, others in
            let version = try expectSettled(queue)
            try others.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE; INSERT INTO t VALUES (1)") }
            #expect(try expectSettled(queue, false) == version)
            try others.inDatabase { try $0.execute(sql: "COMMIT") }
            #expect(try expectSettled(queue) != version)
        }
    }

    @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "WAL"])
    func othersRollBack(mode: String) throws {
        try withConnections(mode) { queue, others in
            let version = try expectSettled(queue)
            try others.inDatabase { db in
                try db.execute(sql: "PRAGMA cache_spill = 1; PRAGMA cache_size = 1; BEGIN")
                for _ in 1...50 { try db.execute(sql: "INSERT INTO t VALUES (zeroblob(5000))") }
            }
            #expect(try expectSettled(queue, false) == version)
            try others.inDatabase { try $0.execute(sql: "ROLLBACK") }
            _ = try queue.inDatabase { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT x FROM t") } == [2])
        }
    }

    /// A commit of another connection is detected while it writes again.
    @Test(arguments: ["DELETE", "WAL"])
    func othersWriteAgain(mode: String) throws {
        try withConnections(mode) { queue, others in
            let version = try expectSettled(queue)
            try others.inDatabase { db in
                try db.execute(sql: "INSERT INTO t VALUES (1); BEGIN IMMEDIATE")
            }
            #expect(try expectSettled(queue, false) != version)
            try others.inDatabase { try $0.execute(sql: "ROLLBACK") }
        }
    }

    /// If another connection locks readers out, a check returns at once, and doesn't call the busy handler.
    @Test func othersLockReadersOut() throws {
        try withConnections("DELETE") { queue, others in
            try others.inDatabase { try $0.execute(sql: "INSERT INTO t VALUES (1); BEGIN EXCLUSIVE") }
            _ = try expectSettled(queue, false)
            try others.inDatabase { try $0.execute(sql: "COMMIT") }
            _ = try expectSettled(queue)
        }
    }

    /// During its own transaction or statement, a connection sees one snapshot.
    @Test(arguments: modes)
    func ownTransactions(mode: String) throws {
        try withConnections(mode) { queue, others in
            let version = try expectSettled(queue)
            for sql in ["BEGIN", "BEGIN; SELECT * FROM t", "BEGIN IMMEDIATE"] {
                try queue.inDatabase { try $0.execute(sql: sql) }
                #expect(try expectSettled(queue, false) == version)
                try queue.inDatabase { try $0.execute(sql: "ROLLBACK") }
                #expect(try expectSettled(queue) == version)
            }
            try queue.inDatabase { db in
                try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
                let cursor = try Int.fetchCursor(db, sql: "SELECT x FROM t")
                #expect(try cursor.next() == 1)
                #expect(try db.checkForExternalCommits().isFinal == false)
                #expect(try cursor.next() == 2)
                #expect(try cursor.next() == nil)
                #expect(try db.checkForExternalCommits().isFinal)
            }
        }
    }

    @Test(arguments: ["DELETE", "WAL"])
    func exclusiveLocking(mode: String) throws {
        try withConnections(mode) { queue, others in
            try others.close()
            try queue.inDatabase { db in
                try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; INSERT INTO t VALUES (1)")
                let first = try db.checkForExternalCommits()
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                let second = try db.checkForExternalCommits()
                #expect(first.isFinal && second.isFinal && first.dataVersion == second.dataVersion)
            }
        }
    }

    /// A check takes no read lock, so it blocks no connection that waits for readers, and it appears in no trace.
    @Test func looksDoNotShowInATrace() throws {
        try withConnections("WAL") { queue, others in
            try others.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            let sql = try queue.inDatabase { db in try db.tracing { _ = try db.checkForExternalCommits() } }
            #expect(sql == [])
        }
    }

    @Test func closedAndForeignConnections() throws {
        let queue = try DatabaseQueue()
        let leaked = queue.inDatabase { $0 }
        #expect(throws: DatabaseError.self) { try leaked.checkForExternalCommits() }
        try queue.close()
        queue.inDatabase { db in
            let error = #expect(throws: DatabaseError.self) { try db.checkForExternalCommits() }
            #expect(error?.resultCode == .SQLITE_MISUSE)
        }
    }

    /// A database without a file has no other connections, and no file to check.
    @Test func databasesWithoutAFile() throws {
        let content = try DatabaseQueue().serialize()
        let queues = try [
            DatabaseQueue(), DatabaseQueue(named: "databasesWithoutAFile"), DatabaseQueue(path: ""),
            DatabaseQueue.temporaryCopy(fromPath: ""), DatabaseQueue(deserializing: content),
        ]
        for queue in queues {
            let before = try expectSettled(queue)
            try queue.write { try $0.execute(sql: "CREATE TABLE t (x)") }
            #expect(try expectSettled(queue) == before)
            try queue.inDatabase { db in
                try db.execute(sql: "BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
                #expect(try db.checkForExternalCommits().isFinal)
                try db.execute(sql: "COMMIT")
            }
            try queue.close()
            #expect(throws: DatabaseError.self) { try queue.inDatabase { try $0.checkForExternalCommits() } }
        }
    }
}
