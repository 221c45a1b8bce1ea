#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import TestSupport
import Testing

/// Other processes that use the database while a service replicates it.
@Suite(.limited) struct OtherProcessTests {
    private func count(_ db: Database) throws -> [Int] {
        try ["player", "entry"].map { try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \($0)")! }
    }

    @Test func processesThatWriteAndCheckpointLoseNothing() async throws {
        let world = World()
        var local: [Int] = []
        try await world.replicating { pool, service in
            try await pool.insertReplicated("Anna")
            let (writer, checkpointer) = (
                try Host("insert", world.path, world.replica), try Host("checkpoint", world.path, world.replica)
            )
            for number in 0..<40 {
                try await pool.insertReplicated("\(number)")
                try pool.insert("a write that doesn't wait")
                // The other processes are killed while they write and checkpoint.
                if number == 30 {
                    #expect(try writer.next("inserted") > 0)
                    #expect(try checkpointer.next("checkpointed") > 0)
                    for host in [writer, checkpointer] { host.kill() }
                }
            }
            try await pool.insertReplicated("Ben")
            try await service.verify(pool)
            local = try await pool.read(count)
        }
        #expect(local[0] == 82 && local[1] > 0)
        let path = world.folder.path("restored.sqlite")
        try await world.replica.restore(to: path)
        let restored = try await DatabaseQueue(path: path).read(count)
        #expect(restored == local)
    }

    @Test func transactionsOfAnotherProcessAreUploadedWithoutOneOfThisProcess() async throws {
        let world = World()
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            let last = try #require(try await world.replica.transactions().last)
            let writer = try Host("insert", world.path, world.replica)
            #expect(try writer.next("inserted") == 1)
            writer.kill()
            try await wait("an upload") { try await world.replica.transactions().last != last }
            let path = world.folder.path("restored.sqlite")
            try await world.replica.restore(to: path)
            #expect(try await DatabaseQueue(path: path).read { try $0.tableExists("entry") })
        }
    }
}
#endif
