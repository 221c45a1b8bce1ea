import Amalgam
import Foundation
import TestSupport
import Testing

/// Automatic checkpoints, and notifications of commits to the WAL file.
struct WALCommitTests {
    let folder: Folder

    init() throws { folder = Folder() }

    func pool(_ configuration: Configuration = Configuration()) throws -> DatabasePool {
        try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
    }

    func onWriter(_ configuration: Configuration = Configuration(), _ body: (Database) throws -> Void) throws {
        let pool = try pool(configuration)
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: playerSchema)
            try body(db)
        }
        try pool.close()
    }

    // MARK: Automatic checkpoints

    @Test func theDefault() throws {
        try onWriter { db in
            #expect(db.automaticCheckpoint == .frames(1000))
            let count = try db.integer("PRAGMA wal_autocheckpoint")
            #expect(count == 1000)
        }
        let leaked = try DatabaseQueue().inDatabase { $0 }
        _ = expectFailure(.SQLITE_MISUSE) { try leaked.setAutomaticCheckpoint(.off) }
    }

    @Test(arguments: [Database.AutomaticCheckpoint.frames(7), .frames(.max), .frames(-3), .off])
    func configured(checkpoint: Database.AutomaticCheckpoint) throws {
        var configuration = Configuration()
        configuration.automaticCheckpoint = checkpoint
        let expected: Database.AutomaticCheckpoint =
            switch checkpoint {
            case .frames(.max): .frames(Int(Int32.max))
            case .frames(-3): .frames(1)
            default: checkpoint
            }
        try onWriter(configuration) { db in #expect(db.automaticCheckpoint == expected) }
        let queue = try DatabaseQueue(configuration: configuration)
        #expect(queue.inDatabase { $0.automaticCheckpoint } == expected)
    }

    @Test func thePragmaOfAPreparationWins() throws {
        var configuration = Configuration()
        configuration.automaticCheckpoint = .off
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 12") }
        try onWriter(configuration) { db in #expect(db.automaticCheckpoint == .frames(12)) }
    }

    @Test(arguments: [true, false])
    func checkpointsHappen(besideAHook: Bool) throws {
        try onWriter { db in
            if besideAHook { try db.onWALCommit { _, _ in } }
            try db.checkpoint(.truncate)
            try db.setAutomaticCheckpoint(.off)
            for _ in 1...5 { try db.execute(sql: "INSERT INTO player (name) VALUES (zeroblob(4000))") }
            #expect(try db.checkpoint(.noop).checkpointedFrameCount == 0)
            try db.setAutomaticCheckpoint(.frames(1))
            try db.execute(sql: "INSERT INTO player (name) VALUES (zeroblob(4000))")
            let frames = try db.checkpoint(.noop)
            #expect(frames.checkpointedFrameCount == frames.walFrameCount)
            #expect(frames.walFrameCount > 0)
        }
    }

    // MARK: The hook

    @Test func commitsAreTold() throws {
        try onWriter { db in
            var commits: [String] = []
            try db.onWALCommit { _, commit in commits.append("\(commit.schemaName) \(commit.frameCount)") }
            try db.checkpoint(.truncate)
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            #expect(commits == ["main 1"])
            try db.inTransaction {
                try db.execute(sql: "UPDATE player SET name = 'Bo'")
                #expect(commits.count == 1)
                return .commit
            }
            #expect(commits == ["main 1", "main 2"])
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM player")
                return .rollback
            }
            _ = try db.playerNames
            #expect(commits.count == 2)
            try db.onWALCommit(nil)
            try db.execute(sql: "DELETE FROM player")
            #expect(commits.count == 2)
        }
    }

    @Test func severalSchemas() throws {
        let other = folder.path("other.sqlite")
        try onWriter { db in
            try db.execute(sql: "ATTACH DATABASE ? AS other", arguments: [other])
            try db.execute(sql: "PRAGMA other.journal_mode = WAL; CREATE TABLE other.t (a)")
            var names: [String] = []
            try db.onWALCommit { names.append($1.schemaName) }
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (1); INSERT INTO player VALUES (1, 'Anna')")
                return .commit
            }
            #expect(names == ["main", "other"])
        }
    }

    @Test func noWALNoCall() throws {
        try DatabaseKind.file.run { db in
            try db.onWALCommit { _, _ in Issue.record("there is no WAL file") }
            try db.createTeams()
            try db.onWALCommit(nil)
        }
    }

    @Test func observersAreToldBefore() throws {
        try onWriter { db in
            let log = EventLog()
            db.add(transactionObserver: log)
            var lines: [[String]] = []
            try db.onWALCommit { _, _ in lines.append(log.take()) }
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            #expect(lines == [["insert player(1)", "willCommit", "didCommit"]])
        }
    }

    @Test func theConnectionMayBeUsed() throws {
        try onWriter { db in
            var frameCounts: [Int] = []
            try db.onWALCommit { db, commit in
                frameCounts.append(commit.frameCount)
                #expect(!db.isInsideTransaction)
                if try db.integer("SELECT COUNT(*) FROM player") == 1 {
                    // This commit is reported, too.
                    try db.execute(sql: "INSERT INTO player VALUES (2, 'Bo')")
                }
                try db.checkpoint(.truncate, on: commit.schemaName)
            }
            try db.checkpoint(.truncate)
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
                return .commit
            }
            #expect(frameCounts == [1, 2])
            #expect(try db.checkpoint(.noop).walFrameCount == 0)
        }
    }

    @Test func itIsToldBeforeTheAutomaticCheckpoint() throws {
        var configuration = Configuration()
        configuration.automaticCheckpoint = .frames(1)
        try onWriter(configuration) { db in
            var checkpointed: [Int] = []
            try db.onWALCommit { db, _ in checkpointed.append(try db.checkpoint(.noop).checkpointedFrameCount) }
            try db.checkpoint(.truncate)
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            #expect(checkpointed == [0])
            #expect(try db.checkpoint(.noop).checkpointedFrameCount == 1)
        }
    }

    @Test func errorsComeOutOfTheStatement() throws {
        try onWriter { db in
            try db.onWALCommit { _, _ in throw Refusal() }
            #expect(throws: Refusal()) { try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
            #expect(throws: Refusal()) {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO player VALUES (2, 'Bo')")
                    return .commit
                }
            }
            #expect(!db.isInsideTransaction)
            try db.onWALCommit(nil)
            // The commits are final.
            #expect(try db.playerNames == ["Anna", "Bo"])
        }
    }

    @Test func statementsThatAreNotRunToTheirEnd() throws {
        try onWriter { db in
            var count = 0
            try db.onWALCommit { _, _ in count += 1 }
            let sql = "INSERT INTO player VALUES (1, 'Anna'), (2, 'Bo') RETURNING id"
            do {
                let cursor = try Int.fetchCursor(db, sql: sql)
                _ = try cursor.next()
                #expect(count == 0)
            }
            #expect(count == 1)
            #expect(try db.playerNames == ["Anna", "Bo"])
        }
    }

    @Test func blobs() throws {
        try onWriter { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, zeroblob(10))")
            var count = 0
            try db.onWALCommit { _, _ in count += 1 }
            let blob = try db.openBlob(table: "player", column: "name", rowID: 1, access: .readWrite)
            try blob.write([1])
            #expect(count == 0)
            try blob.close()
            #expect(count == 1)
        }
    }

    // MARK: The pragma

    @Test func thePragmaKeepsTheHook() throws {
        try onWriter { db in
            var count = 0
            try db.onWALCommit { _, _ in count += 1 }
            #expect(db.automaticCheckpoint == .frames(1000))
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 5")
            #expect(db.automaticCheckpoint == .frames(5))
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            #expect(count == 1)
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            #expect(db.automaticCheckpoint == .off)
            try db.execute(sql: "DELETE FROM player")
            #expect(count == 2)
            // The setting outlives the hook.
            try db.setAutomaticCheckpoint(.frames(3))
            try db.onWALCommit(nil)
            #expect(db.automaticCheckpoint == .frames(3))
            #expect(try db.integer("PRAGMA wal_autocheckpoint") == 3)
        }
    }

    @Test func theHookMayRemoveItself() throws {
        try onWriter { db in
            var count = 0
            try db.onWALCommit { db, _ in
                count += 1
                try db.onWALCommit(nil)
            }
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            try db.execute(sql: "INSERT INTO player VALUES (2, 'Bo')")
            #expect(count == 1)
            #expect(db.automaticCheckpoint == .frames(1000))
        }
    }

    @Test func theConnectionMayBeClosed() throws {
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"))
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
            try db.setAutomaticCheckpoint(.frames(1))
            var error: (any Error)?
            try db.onWALCommit { _, _ in
                do { try queue.close() } catch let failure { error = failure }
            }
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (1)")
            try statement.execute()
            // The committing statement is still running.
            #expect((error as? DatabaseError)?.resultCode == .SQLITE_BUSY)
            try db.onWALCommit(nil)
        }
        try queue.close()
    }

    @Test func theLastHookCounts() throws {
        try onWriter { db in
            var calls: [Int] = []
            try db.onWALCommit { _, _ in calls.append(1) }
            try db.setAutomaticCheckpoint(.frames(9))
            try db.onWALCommit { _, _ in calls.append(2) }
            #expect(db.automaticCheckpoint == .frames(9))
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            #expect(calls == [2])
        }
    }

    @Test func cancellation() async throws {
        let pool = try pool()
        try await pool.write { try $0.execute(sql: playerSchema) }
        let counts = CallCounter()
        try await pool.writeWithoutTransaction { db in
            try db.onWALCommit { db, _ in
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try db.playerNames
                counts.increment()
            }
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            try db.onWALCommit(nil)
        }
        #expect(counts.value == 1)
    }
}
