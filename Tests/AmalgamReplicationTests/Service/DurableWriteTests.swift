#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct DurableWriteTests {
    @Test func aDurableWriteIsInTheReplicaWhenItReturns() async throws {
        let world = World()
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            #expect(try await world.restoredPlayers() == ["Anna"])
        }
    }

    @Test func aWriteThatChangesNothingReturns() async throws {
        let world = World()
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            let count = try await pool.write(durability: .replicated(timeout: .seconds(300))) { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
            }
            #expect(count == 1)
        }
    }

    @Test func aLocalWriteDoesNotWait() async throws {
        let world = World()
        let pool = try world.open()
        try await pool.write(durability: .local) { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
        }
        #expect(try await pool.read(players) == ["Anna"])
    }

    @Test func withoutAServiceTheWriteIsRefusedBeforeItRuns() async throws {
        let world = World()
        let pool = try world.open()
        let error = await expectReplicationError(.unsuitableDatabase) { try await pool.insertReplicated("Anna") }
        #expect(error?.isCommitted == false)
        #expect(try await pool.read(players) == [])
    }

    @Test func anErrorOfTheClosureRollsBack() async throws {
        let world = World()
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            await #expect(throws: CancellationError.self) {
                try await pool.write(durability: .replicated(timeout: .seconds(300))) { db in
                    try db.execute(sql: "DELETE FROM player")
                    throw CancellationError()
                }
            }
            #expect(try await pool.read(players) == ["Anna"])
        }
    }

    /// A transaction of the replica is one upload. The engine is stopped until all writers have committed, and wait for it.
    @Test func aFewUploadsServeAllWritersThatWait() async throws {
        let world = World()
        let pool = try world.open()
        // Litestream looks at the WAL file when it is asked to, and once per minute.
        let service = try world.service(pool) { $0.uploadInterval = .seconds(60) }
        let running = RunningService(service)
        try await pool.insertReplicated("first")
        let engine = try await world.engineProcess()
        var counts: [UInt64] = []
        for _ in 0..<5 {
            let before = try #require(try await world.replica.transactions().last).number
            kill(engine, SIGSTOP)
            defer { kill(engine, SIGCONT) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<32 { group.addTask { try await pool.insertReplicated("\(number)") } }
                try await wait("32 commits") { service.status(of: pool)?.pendingTransactionCount == 32 }
                kill(engine, SIGCONT)
                try await group.waitForAll()
            }
            counts.append(try #require(try await world.replica.transactions().last).number - before)
        }
        #expect(counts.allSatisfy { (1...8).contains($0) }, "uploads for 32 transactions: \(counts)")
        try await running.stop()
        #expect(try await world.restoredPlayers().count == 161)
    }

    @Test func aTimeoutSaysThatTheTransactionIsCommitted() async throws {
        let world = World()
        let pool = try world.open()
        // The service doesn't run.
        let service = try world.service(pool)
        let error = await expectReplicationError(.notReplicated) {
            try await pool.insertReplicated("Anna", timeout: .milliseconds(100))
        }
        #expect(error?.isCommitted == true)
        #expect(try await pool.read(players) == ["Anna"])
        #expect(service.status(of: pool)?.pendingTransactionCount == 1)

        let running = RunningService(service)
        try await pool.insertReplicated("Ben")
        try await running.stop()
        #expect(try await world.restoredPlayers() == ["Anna", "Ben"])
    }

    @Test func aCancellationSaysThatTheTransactionIsCommitted() async throws {
        let world = World()
        let pool = try world.open()
        let service = try world.service(pool)
        let task = Task { try await pool.insertReplicated("Anna") }
        try await wait("a commit") { service.status(of: pool)?.pendingTransactionCount == 1 }
        task.cancel()
        let error = await expectReplicationError(.notReplicated) { try await task.value }
        #expect(error?.isCommitted == true && error?.message.contains("before the task was cancelled") == true)
        #expect(try await pool.read(players) == ["Anna"])
    }
}
#endif
