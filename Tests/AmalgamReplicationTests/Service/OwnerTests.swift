#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import TestSupport
import Testing

/// A replica with two owners, one after the other, or at the same time.
@Suite(.limited) struct OwnerTests {
    /// Copies the database and the files of the engine, as a snapshot of the machine would.
    private func copy(_ world: World) throws -> World {
        let copy = World(world.replica)
        for name in try FileManager.default.contentsOfDirectory(atPath: world.folder.url.path) where name != "replica" {
            try FileManager.default.copyItem(atPath: world.folder.path(name), toPath: copy.folder.path(name))
        }
        return copy
    }

    private func expectRefusal(_ world: World, _ reason: String) async throws {
        let pool = try world.open()
        let running = RunningService(try world.service(pool))
        let error = await expectReplicationError(.diverged) { try await running.wait() }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("restore the replica to a new file") == true)
        #expect(error?.message.contains("replicate to a new path") == true)
        #expect(error?.message.contains("takeOver(by:)") == true)
        try pool.close()
    }

    @Test func aReplicaThatIsAheadIsRefused() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let old = try copy(world)
        try await world.replicating { pool, _ in try await pool.insertReplicated("Ben") }
        try await expectRefusal(old, "is ahead")
        #expect(try await world.restoredPlayers() == ["Anna", "Ben"])
    }

    @Test func aReplicaOfAnotherDatabaseIsRefused() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let other = World(world.replica)
        try await expectRefusal(other, "wasn't restored from")
    }

    @Test func aReplicaWithAnotherTransactionOfTheSameNumberIsRefused() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        // The copy's engine runs without the store, and reads a transaction from its WAL file.
        let other = try copy(world)
        let elsewhere = World(Replica(folder: world.folder.path("elsewhere")))
        try FileManager.default.copyItem(
            atPath: world.folder.path("replica"), toPath: world.folder.path("elsewhere"))
        let pool = try other.open()
        let running = RunningService(
            try ReplicationService(pool, to: elsewhere.replica, logger: .silent))
        try await pool.insertReplicated(String(repeating: "another transaction", count: 20))
        try await running.stop()
        try pool.close()

        try await world.replicating { pool, _ in try await pool.insertReplicated("Ben") }
        let (own, others) = (try await world.replica.transactions(), try await elsewhere.replica.transactions())
        #expect(own.last?.number == others.last?.number)
        try await expectRefusal(other, "that differs")
    }

    @Test func aServiceStopsWhenASecondOwnerUploads() async throws {
        let first = World()
        let pool = try first.open()
        let service = try first.service(pool, ownerCheckInterval: .milliseconds(500))
        let running = RunningService(service)
        try await pool.insertReplicated("Anna")

        // Another machine takes over, and the first one isn't stopped.
        let second = World(first.replica)
        let takeover = try await DatabasePool(
            path: second.path, restoringFrom: first.replica, configuration: .replicated)
        let other = RunningService(try second.service(takeover, ownerCheckInterval: .seconds(1)))
        try await takeover.insertReplicated("Ben")

        let engineFolder = try String(
            contentsOfFile: first.folder.path(".db.sqlite-replication/engine"), encoding: .utf8)
        let error = await expectReplicationError(.diverged) { try await running.wait() }
        #expect(error?.message.contains("is ahead") == true, "\(error?.message ?? "")")
        #expect(try await processes(containing: engineFolder).isEmpty)
        #expect(service.status(of: pool)?.lastError == error?.message)
        try pool.insert("a local write")
        try pool.close()

        // The second one goes on.
        try await takeover.insertReplicated("Cora")
        try await takeover.insertReplicated("Dora")
        try await other.stop()
        try takeover.close()
        #expect(try await first.restoredPlayers() == ["Anna", "Ben", "Cora", "Dora"])
    }

    /// By a file of another size, or by one of the same size.
    @Test(arguments: [false, true])
    func aServiceStopsWhenOneOfItsTransactionsIsReplaced(hasSameSize: Bool) async throws {
        let world = World()
        let pool = try world.open()
        let running = RunningService(try world.service(pool, ownerCheckInterval: .milliseconds(100)))
        for name in ["Anna", "Ben", "Cora"] { try await pool.insertReplicated(name) }
        let folder = world.folder.path("replica/ltx/0")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        let handle = try #require(FileHandle(forWritingAtPath: folder + "/" + names[names.count - 2]))
        let size = try handle.seekToEnd()
        if hasSameSize { try handle.seek(toOffset: size - 4) }
        handle.write(Data("more".utf8))
        try handle.close()

        let waiting = Task { try await pool.insertReplicated("Dora") }
        let error = await expectReplicationError(.diverged) { try await running.wait() }
        #expect(error?.message.contains("that differs from") == true, "\(error?.message ?? "")")
        _ = await waiting.result
        try pool.close()
    }

    /// The machine was copied, and both copies start at the same time. They write transactions of the same size.
    @Test func copiesThatReplicateAtTheSameTimeAreToldApart() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let worlds = [world, try copy(world)]
        let pools = try worlds.map { try $0.open() }
        let services = try zip(worlds, pools).map {
            RunningService(try $0.service($1, ownerCheckInterval: .milliseconds(200)))
        }
        let writers = pools.map { pool in
            Task {
                while !Task.isCancelled {
                    try? await pool.write(durability: .replicated(timeout: .seconds(1))) { db in
                        try db.execute(sql: "UPDATE player SET name = 'Anne'")
                    }
                }
            }
        }
        // The service of one copy, or those of both, end.
        let error = try await firstError(of: services)
        #expect(error.code == .diverged)
        #expect(error.message.contains("takeOver(by:)"))
        for writer in writers { writer.cancel() }
        for service in services { try? await service.stop() }
        for pool in pools { try pool.close() }
    }

    @Test func theOwnerIsNotedAfterTheWriterWasBusy() async throws {
        let world = World()
        let pool = try world.open()
        let service = try world.service(pool, ownerCheckInterval: .milliseconds(100))
        let (isBusy, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let writer = Task {
            try await pool.writeWithoutTransaction { db in
                isBusy.signal()
                isDone.wait()
            }
        }
        try await wait("a busy writer") { isBusy.wait(timeout: .now()) == .success }
        let running = RunningService(service)
        // The engine starts without the row.
        try await wait("a start") { service.status(of: pool)?.isEngineRunning == true }
        isDone.signal()
        try await writer.value
        try await wait("the row") { try await pool.read { try $0.tableExists("_amalgam_replication") } }
        try await running.stop()
        try pool.close()
    }

    @Test func aDamagedLocalFileIsNotASecondOwner() async throws {
        let world = World()
        try await world.replicating { pool, _ in for name in ["Anna", "Ben"] { try await pool.insertReplicated(name) } }
        let last = try #require(try await world.replica.transactions().last)
        let damages: [@Sendable (Data) -> Data] = [
            { _ in Data() }, { $0.prefix(1) }, { $0.prefix(100) }, { $0.prefix(150) },
            // An erased tail, in which the size of the index is the largest number.
            { $0.dropLast(24) + Data(repeating: 0xFF, count: 24) },
            { $0.dropLast(24) + Data(repeating: 0xFF, count: 32) },
        ]
        for damage in damages {
            let file =
                world.folder.path(".db.sqlite-litestream/ltx/0") + "/" + (try #require(try world.engineFiles().last))
            let content = try Data(contentsOf: URL(fileURLWithPath: file))
            try damage(content).write(to: URL(fileURLWithPath: file))
            let pool = try world.open()
            let running = RunningService(try world.service(pool))
            let error = await expectReplicationError(.damagedFiles) { try await running.wait() }
            #expect(error?.message.hasPrefix("Litestream's local file \(file) is damaged") == true)
            try content.write(to: URL(fileURLWithPath: file))
            try pool.close()
        }

        // The way out. Earlier transactions can still be restored.
        let file = world.folder.path(".db.sqlite-litestream/ltx/0") + "/" + (try #require(try world.engineFiles().last))
        try Data().write(to: URL(fileURLWithPath: file))
        let pool = try world.open()
        #expect(try await world.replica.takeOver(by: pool) == last.number)
        try pool.close()
        try await world.replicating { pool, service in
            try await pool.insertReplicated("Cora")
            try await service.verify(pool)
        }
        #expect(try await world.restoredPlayers() == ["Anna", "Ben", "Cora"])
        #expect(try await world.restoredPlayers(at: .transaction(last.number)) == ["Anna", "Ben"])
    }

    /// If a file is missing, or is whole and has a different checksum, the error says that the replica has two owners, and
    /// names the way out.
    @Test(arguments: [("is ahead", true), ("that differs from", false)])
    func aLocalFileThatIsMissingOrChangedIsReplaced(reason: String, isMissing: Bool) async throws {
        let world = World()
        try await world.replicating { pool, _ in for name in ["Anna", "Ben"] { try await pool.insertReplicated(name) } }
        let file =
            world.folder.path(".db.sqlite-litestream/ltx/0") + "/" + (try #require(try world.engineFiles().last))
        if isMissing {
            try FileManager.default.removeItem(atPath: file)
        } else {
            let content = try Data(contentsOf: URL(fileURLWithPath: file))
            try (content.dropLast(8) + Data(count: 8)).write(to: URL(fileURLWithPath: file))
        }
        try await expectRefusal(world, reason)
        let pool = try world.open()
        try await world.replica.takeOver(by: pool)
        try pool.close()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Cora") }
        #expect(try await world.restoredPlayers() == ["Anna", "Ben", "Cora"])
    }

    @Test func aDatabaseTakesAReplicaOver() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let last = try #require(try await world.replica.transactions().last)
        let other = World(world.replica)
        try await expectRefusal(other, "wasn't restored from")
        let pool = try other.open()
        try await other.replica.takeOver(by: pool)
        try pool.close()
        try await other.replicating { pool, service in
            try await pool.insertReplicated("Ben")
            await expectReplicationError(.inUse) { try await other.replica.takeOver(by: pool) }
            try await service.verify(pool)
        }
        #expect(try await other.restoredPlayers() == ["Ben"])
        #expect(try await other.restoredPlayers(at: .transaction(last.number)) == ["Anna"])
        try await expectRefusal(world, "is ahead")
    }

    @Test func anEmptyReplicaIsTakenOver() async throws {
        let world = World()
        let pool = try world.open()
        #expect(try await world.replica.takeOver(by: pool) == nil)
        try pool.close()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        #expect(try await world.restoredPlayers() == ["Anna"])
    }

    @Test func aReplicaWithMoreTransactionsThanTheEngineConfirmsNoWrite() async throws {
        let world = World()
        let other = "00000000000000ff-00000000000000ff.ltx"
        let late = await expectReplicationError(.notReplicated) {
            try await world.replicating { pool, service in
                try await pool.insertReplicated("Anna")
                // After a failed upload, Litestream takes the last transaction of the replica for its own.
                let uploads = try world.stopUploads()
                try pool.insert("Ben")
                try await wait("a failed upload") { service.status(of: pool)?.lastError != nil }
                let last = try #require(FileManager.default.contentsOfDirectory(atPath: uploads.aside).max())
                try FileManager.default.copyItem(
                    atPath: uploads.aside + "/" + last, toPath: uploads.aside + "/" + other)
                try uploads.resume()
                // An upload would confirm the write within a second. This can't be waited for: it must not happen.
                let error = await expectReplicationError(.notReplicated) {
                    try await pool.insertReplicated("Cora", timeout: .seconds(4))
                }
                #expect(error?.isCommitted == true)
            }
        }
        #expect(late?.message.contains("2 transactions are committed") == true)
        try FileManager.default.removeItem(atPath: world.folder.path("replica/ltx/0/" + other))
        try await world.replicating { pool, _ in try await pool.insertReplicated("Dora") }
        #expect(try await world.restoredPlayers() == ["Anna", "Ben", "Cora", "Dora"])
    }

    @Test func aRestoredDatabaseContinuesTheReplica() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let next = World(world.replica)
        let pool = try await DatabasePool(path: next.path, restoringFrom: world.replica, configuration: .replicated)
        try pool.insert("Ben")
        try pool.close()
        try await next.replicating { pool, service in
            try await pool.insertReplicated("Cora")
            try await service.verify(pool)
        }
        #expect(try await world.restoredPlayers() == ["Anna", "Ben", "Cora"])
        // The first owner is behind now.
        try await expectRefusal(world, "is ahead")
    }
}
#endif
