#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@Suite(.limited) struct FollowerTests {
    private func follower(_ world: World, readTime: Duration? = .seconds(300)) -> Follower {
        var options = Follower.Configuration()
        options.pollInterval = .milliseconds(100)
        options.maximumReadTime = readTime
        return Follower(world.replica, folder: world.folder.path("follower"), configuration: options, logger: .silent)
    }

    private func players(_ follower: Follower) async throws -> [String] {
        do {
            return try await follower.read { try String.fetchAll($0, sql: "SELECT name FROM player ORDER BY id") }
        } catch let error as ReplicationError where error.code == .notReady {
            return []
        }
    }

    @Test func aFollowerHasTheTransactionsOfTheReplica() async throws {
        let world = World()
        let follower = follower(world)
        await expectReplicationError(.notReady) { _ = try await follower.lag() }
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            let running = RunningService(follower)
            try await wait("a copy") { try await players(follower) == ["Anna"] }
            // Pages are changed without the first one, whose counter SQLite compares.
            for number in 0..<5 {
                try await pool.insertReplicated("\(number)")
                try await wait("transaction \(number)") { try await players(follower).count == number + 2 }
            }
            try await wait("the last transaction") {
                try await follower.transaction == world.replica.transactions().last?.number
            }
            try await wait("no lag") { try await follower.lag() == .zero }
            await #expect(throws: DatabaseError.self) {
                try await follower.read { try $0.execute(sql: "DELETE FROM player") }
            }
            try await running.stop()
        }
        #expect(try await processes(containing: world.folder.path("follower")).isEmpty)
    }

    @Test func valuesAreFetchedAgainAfterEachChange() async throws {
        let world = World()
        let follower = follower(world)
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            let running = RunningService(follower)
            var names = ["Ben", "Cora", "Dora"]
            for try await count in follower.values({ try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player")! }) {
                if count == 4 { break }
                if count == 4 - names.count { try await pool.insertReplicated(names.removeFirst()) }
            }
            try await running.stop()
        }
    }

    @Test func noReadIsTornWhileTheSchemaAndAllPagesChange() async throws {
        let world = World()
        let follower = follower(world)
        try await world.replicating { pool, _ in
            // Each transaction sets all 500 rows, on many pages, to one value.
            try await pool.write(durability: .replicated(timeout: .seconds(300))) { db in
                try db.execute(sql: "CREATE TABLE value (id INTEGER PRIMARY KEY, number INTEGER, filler TEXT)")
                for _ in 0..<500 {
                    try db.execute(sql: "INSERT INTO value (number, filler) VALUES (0, hex(randomblob(200)))")
                }
            }
            let running = RunningService(follower)
            try await wait("a copy") { follower.path != nil }
            let isDone = Mutex(false)
            let seen = Box(Set<Int>())
            let reader = Task {
                var reads = 0
                while !isDone.withLock({ $0 }) {
                    let (smallest, largest, count) = try await follower.read { db in
                        let row = try Row.fetchOne(db, sql: "SELECT MIN(number), MAX(number), COUNT(*) FROM value")!
                        return (row[0] as Int, row[1] as Int, row[2] as Int)
                    }
                    #expect(smallest == largest && count == 500)
                    reads += 1
                    _ = seen.withLock { $0.insert(smallest) }
                }
                return reads
            }
            for number in 1...12 {
                try await pool.write(durability: .replicated(timeout: .seconds(300))) { db in
                    try db.execute(sql: "UPDATE value SET number = ?", arguments: [number])
                    if number % 4 == 0 { try db.execute(sql: "ALTER TABLE value ADD COLUMN c\(number)") }
                }
                if number == 6 { try await pool.vacuum() }
                if number % 3 == 0 { try await wait("a read of \(number)") { seen.value.contains(number) } }
            }
            try await wait("the last transaction") {
                try await follower.read { try Int.fetchOne($0, sql: "SELECT MAX(number) FROM value") } == 12
            }
            isDone.withLock { $0 = true }
            let reads = try await reader.value
            #expect(reads >= seen.value.count && seen.value.count > 3, "\(reads) reads of \(seen.value.count) states")
            #expect(try await follower.read { try $0.columns(in: "value").count } == 6)
            try await running.stop()
        }
    }

    @Test func onlyThisUserCanReadTheFiles() async throws {
        let world = World()
        let follower = follower(world)
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            let running = RunningService(follower)
            try await wait("a copy") { try await players(follower) == ["Anna"] }
            #expect(world.folder.permissions("follower") == 0o700)
            let names = try FileManager.default.contentsOfDirectory(atPath: world.folder.path("follower"))
            #expect(names.contains("copy-1.sqlite"))
            for name in names { #expect(world.folder.permissions("follower/" + name) == 0o600, "\(name)") }
            try await running.stop()
        }
    }

    /// Litestream polls on without a word when the replica has lost what continues the copy, such as after a long sleep of
    /// the machine.
    @Test func aCopyThatStandsStillIsRestoredAgain() async throws {
        let world = World()
        let errors = Log<String>()
        var options = Follower.Configuration()
        options.pollInterval = .milliseconds(100)
        options.checkInterval = .milliseconds(500)
        let follower = Follower(
            world.replica, folder: world.folder.path("follower"), configuration: options,
            logger: Logger(label: "tests") { _ in ErrorLog(errors: errors) })
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let running = RunningService(follower)
        try await wait("a copy") { try await players(follower) == ["Anna"] }
        let path = try #require(follower.path)
        let engines = try await processes(containing: "-o \(path)")
        for engine in engines { kill(engine, SIGSTOP) }

        // The replica has a snapshot of the later state, and no file that continues the copy.
        let own = try #require(follower.transaction)
        let pool = try world.open()
        let service = RunningService(try world.service(pool) { $0.snapshotInterval = .seconds(1) })
        for name in ["Ben", "Cora"] { try await pool.insertReplicated(name) }
        let snapshots = world.folder.path("replica/ltx/9")
        try await wait("a snapshot") {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: snapshots)) ?? []
            return names.contains { UInt64($0.dropFirst(17).prefix(16), radix: 16) ?? 0 > own + 1 }
        }
        try await service.stop()
        for level in 0..<9 { try? FileManager.default.removeItem(atPath: world.folder.path("replica/ltx/\(level)")) }
        for engine in engines { kill(engine, SIGCONT) }

        try await wait("a new copy") { try await players(follower) == ["Anna", "Ben", "Cora"] }
        #expect(follower.path != path)
        let isReported = errors.elements.contains { $0.contains("The copy stands still at the transaction \(own)") }
        #expect(isReported, "\(errors.elements)")
        try await running.stop()
        try pool.close()
    }

    @Test func aCopyThatALongReadHoldsUpDoesNotStandStill() async throws {
        let world = World()
        let errors = Log<String>()
        var options = Follower.Configuration()
        options.pollInterval = .milliseconds(100)
        options.checkInterval = .milliseconds(500)
        options.maximumReadTime = nil
        let follower = Follower(
            world.replica, folder: world.folder.path("follower"), configuration: options,
            logger: Logger(label: "tests") { _ in ErrorLog(errors: errors) })
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            let running = RunningService(follower)
            try await wait("a copy") { try await players(follower) == ["Anna"] }
            let path = follower.path
            let start = ContinuousClock.now
            let names = try await follower.read { db in
                // Litestream waits for the lock of this statement. The commit is made during it, and several checks.
                let cursor = try String.fetchCursor(db, sql: "SELECT name FROM player")
                var names: [String] = []
                while let name = try cursor.next() {
                    names.append(name)
                    try pool.insert("Ben")
                    while ContinuousClock.now - start < .seconds(3) { usleep(10_000) }
                }
                return names
            }
            #expect(names == ["Anna"])
            try await wait("the commit") { try await players(follower) == ["Anna", "Ben"] }
            #expect(follower.path == path)
            #expect(!errors.elements.contains { $0.contains("stands still") }, "\(errors.elements)")
            try await running.stop()
        }
    }

    @Test func aKilledEngineIsReplacedByOneWithANewCopy() async throws {
        let world = World()
        let follower = follower(world)
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            let running = RunningService(follower)
            try await wait("a copy") { try await players(follower) == ["Anna"] }
            let path = try #require(follower.path)
            let engine = try #require(try await processes(containing: "-o \(path)").first { $0 != 0 })
            kill(engine, SIGKILL)
            try await pool.insertReplicated("Ben")
            try await wait("a new copy") { try await players(follower) == ["Anna", "Ben"] }
            #expect(follower.path != path)
            try await wait("the old copy is removed") { !FileManager.default.fileExists(atPath: path) }
            try await running.stop()
        }
    }

    @Test func aKilledProcessLeavesNoEngine() async throws {
        let world = World()
        let folder = world.folder.path("follower")
        let server = try SilentServer()
        let host = try Host("follow", folder, server.replica)
        try await wait("an engine") { try await !processes(containing: "-o \(folder)").isEmpty }
        host.kill()
        try await wait("the end of the engine") {
            try await processes(containing: folder).isEmpty
        }
        withExtendedLifetime(server) {}
    }

    @Test func aLongReadIsInterrupted() async throws {
        let world = World()
        let follower = follower(world, readTime: .milliseconds(100))
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            let running = RunningService(follower)
            try await wait("a copy") { follower.path != nil }
            do {
                _ = try await follower.read { db in
                    try Int.fetchOne(
                        db, sql: "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n"
                    )
                }
                Issue.record("no error")
            } catch let error as DatabaseError {
                #expect(error.resultCode == .SQLITE_INTERRUPT)
            }
            try await running.stop()
        }
    }

    @Test func aSecondFollowerOfTheFolderIsRefused() async throws {
        let world = World()
        let (first, second) = (follower(world), follower(world))
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            let running = RunningService(first)
            try await wait("a copy") { first.path != nil }
            await expectReplicationError(.inUse) { try await RunningService(second).wait() }
            try await running.stop()
        }
    }

    /// What an application may try in a read to get a snapshot.
    @Test func snapshotsAndVersionsAreRefusedWithAReason() async throws {
        let world = World()
        let follower = follower(world)
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            let running = RunningService(follower)
            try await wait("a copy") { follower.path != nil }
            let attempts: [(String, @Sendable (Database) throws -> Void)] = [
                ("snapshotVersion()", { _ = try $0.snapshotVersion() }),
                ("DatabaseSnapshotPool(_:)", { _ = try DatabaseSnapshotPool($0) }),
            ]
            for (name, attempt) in attempts {
                do {
                    try await follower.read(attempt)
                    Issue.record("\(name) throws no error")
                } catch let error as DatabaseError {
                    #expect(error.resultCode == .SQLITE_ERROR, "\(name)")
                    #expect(
                        error.message?.contains("Litestream writes to the copy of a follower") == true,
                        "\(name): \(error)")
                }
            }
            try await running.stop()
        }
    }

    @Test func aRestoreOverTheCopyIsRefused() async throws {
        let world = World()
        let follower = follower(world)
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            let running = RunningService(follower)
            try await wait("a copy") { try await players(follower) == ["Anna"] }
            let path = try #require(follower.path)
            // The second path is that of the copy after the next start.
            for path in [path, path.replacing("copy-1", with: "copy-2")] {
                let error = await expectReplicationError(.inUse) { try await world.replica.restore(to: path) }
                #expect(error?.message.contains("is the file of a follower") == true, "\(error?.message ?? "")")
            }
            try await pool.insertReplicated("Ben")
            try await wait("the next transaction") { try await players(follower) == ["Anna", "Ben"] }
            #expect(follower.path == path)
            try await running.stop()
        }
    }
}

/// Keeps the errors that are logged.
private struct ErrorLog: LogHandler {
    let errors: Log<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.error

    init(errors: Log<String>) { self.errors = errors }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { errors.append("\(event.message)") }
}
#endif
