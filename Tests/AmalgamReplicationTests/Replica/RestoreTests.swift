#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AmalgamReplication

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

@Suite(.limited) struct RestoreTests {
    @Test func transactionsAndTimesAreRestored() async throws {
        let world = World()
        var transactions: [ReplicaTransaction] = []
        try await world.replicating { pool, _ in
            try await pool.insertReplicated("Anna")
            let second = try #require(try await world.replica.transactions().last).date
            try await wait("the next second") { Date() > second }
            try await pool.insertReplicated("Ben")
            transactions = try await world.replica.transactions()
        }
        let last = try #require(transactions.last)
        #expect(try await world.restoredPlayers(at: .transaction(last.number)) == ["Anna", "Ben"])
        #expect(try await world.restoredPlayers(at: .transaction(last.number - 1)) == ["Anna"])
        let first = try #require(transactions.last { $0.date < last.date })
        #expect(try await world.restoredPlayers(at: .time(first.date)) == ["Anna"])
        #expect(try await world.restoredPlayers(at: .time(last.date)) == ["Anna", "Ben"])
        for number in [0, last.number + 100, .max] {
            await expectReplicationError(.noBackup) {
                _ = try await world.restoredPlayers(at: .transaction(number))
            }
        }
        for seconds in [1e300, 1e12, 1, -1, -1e300, .infinity, .nan] {
            await expectReplicationError(.noBackup) {
                _ = try await world.restoredPlayers(at: .time(Date(timeIntervalSince1970: seconds)))
            }
        }
        await expectReplicationError(.noBackup) { _ = try await World().restoredPlayers() }
    }

    /// Times have a resolution of one millisecond.
    @Test func aTimeRestoresWhatWasConfirmedBeforeIt() async throws {
        let world = World()
        var dates: [Date] = []
        try await world.replicating { pool, _ in
            for number in 0..<6 {
                try await pool.insertReplicated("\(number)")
                let date = Date()
                dates.append(date)
                try await wait("the next millisecond") { Date() > date + 0.002 }
            }
        }
        for (number, date) in dates.enumerated() {
            #expect(try await world.restoredPlayers(at: .time(date)).count == number + 1)
        }
        for transaction in try await world.replica.transactions() {
            let path = world.folder.path("transaction-\(transaction.number).sqlite")
            #expect(try await world.replica.restore(to: path, at: .time(transaction.date)) >= transaction.number)
        }
    }

    /// The listing of a replica has the seconds of uploads. Litestream refuses times before and after this upload.
    @Test func aTimeBeforeTheOnlyUploadHasNoState() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let (folder, manager) = (world.folder.path("replica/ltx"), FileManager.default)
        for level in try manager.contentsOfDirectory(atPath: folder) {
            for name in try manager.contentsOfDirectory(atPath: "\(folder)/\(level)") {
                if level == "0" && name.hasPrefix(UInt64(1).engineText) { continue }
                try manager.removeItem(atPath: "\(folder)/\(level)/\(name)")
            }
        }
        let name = try #require(try manager.contentsOfDirectory(atPath: folder + "/0").first)
        let upload = try #require(TransactionFile("\(folder)/0/\(name)")?.milliseconds)
        for milliseconds in [upload / 1000 * 1000, upload - 1, upload, upload + 1, upload / 1000 * 1000 + 1000] {
            let point = RestorePoint.time(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
            let path = world.folder.path("at-\(UUID().uuidString).sqlite")
            if milliseconds < upload {
                await expectReplicationError(.noBackup) { try await world.replica.restore(to: path, at: point) }
                #expect(!manager.fileExists(atPath: path))
            } else {
                #expect(try await world.replica.restore(to: path, at: point) == 1)
            }
        }
    }

    /// A second start of the application restores, too, while the first one replicates what it has restored.
    @Test(arguments: [false, true])
    func aRestoreThatComesTooLateTouchesNothing(isReplicated: Bool) async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let next = World(world.replica)
        let (isRestored, proceed) = (Signal("restored"), Signal("proceed"))
        let second = Task {
            try await world.replica.restore(to: next.path) { progress in
                if progress.totalByteCount == progress.writtenByteCount, !isRestored.hasFired {
                    isRestored.fire()
                    while !proceed.hasFired { Thread.sleep(forTimeInterval: 0.01) }
                }
            }
        }
        try await isRestored.value()
        let pool = try await DatabasePool(path: next.path, restoringFrom: world.replica, configuration: .replicated)
        let running = isReplicated ? RunningService(try next.service(pool)) : nil
        if isReplicated { try await pool.insertReplicated("Ben") }
        let before = try? next.engineFiles()
        proceed.fire()
        await expectReplicationError(isReplicated ? .inUse : .fileExists) { _ = try await second.value }
        let after = try? next.engineFiles()
        #expect(Set(before ?? []).isSubset(of: after ?? []))
        if isReplicated { try await pool.insertReplicated("Cora") }
        #expect(try await pool.read(players) == (isReplicated ? ["Anna", "Ben", "Cora"] : ["Anna"]))
        try await running?.stop()
        try pool.close()
    }

    @Test func twoPoolsThatRestoreTheSameFileShareIt() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let next = World(world.replica)
        async let first = DatabasePool(path: next.path, restoringFrom: world.replica, configuration: .replicated)
        let second = try await DatabasePool(path: next.path, restoringFrom: world.replica, configuration: .replicated)
        #expect(try await second.read(players) == ["Anna"])
        #expect(try await first.read(players) == ["Anna"])
    }

    @Test func onlyThisUserCanReadARestoredDatabase() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        try await world.replica.restore(to: world.folder.path("restored.sqlite"))
        #expect(world.folder.permissions("restored.sqlite") == 0o600)
        #expect(world.folder.permissions(".restored.sqlite-replication") == 0o700)
        #expect(world.folder.permissions(".db.sqlite-replication") == 0o700)
    }

    @Test(arguments: ["", "-wal", "-journal"])
    func filesAtThePathAreNotReplaced(suffix: String) async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let folder = Folder()
        let path = folder.path("db.sqlite")
        try Data("content".utf8).write(to: URL(fileURLWithPath: path + suffix))
        await expectReplicationError(.fileExists) { try await world.replica.restore(to: path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["db.sqlite" + suffix])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + suffix)) == Data("content".utf8))
    }

    @Test func aRestoreReportsItsProgress() async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let progress = Mutex<[RestoreProgress]>([])
        let path = world.folder.path("restored.sqlite")
        try await world.replica.restore(to: path) { step in progress.withLock { $0.append(step) } }
        let last = try #require(progress.withLock { $0.last })
        #expect(last.writtenByteCount == world.folder.size("restored.sqlite"))
        #expect(last.totalByteCount == last.writtenByteCount)
    }

    @Test func theProgressHasATotalWhileTheFileIsWritten() async throws {
        let world = try await largeWorld()
        let progress = Mutex<[RestoreProgress]>([])
        try await world.replica.restore(to: world.folder.path("restored.sqlite")) { step in
            progress.withLock { $0.append(step) }
        }
        let size = try #require(world.folder.size("restored.sqlite"))
        let steps = progress.withLock { $0 }
        #expect(steps.contains { $0.writtenByteCount < size && $0.totalByteCount == size }, "\(steps)")
        #expect(steps.allSatisfy { $0.totalByteCount == size || $0.writtenByteCount == 0 }, "\(steps)")
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.writtenByteCount <= $1.writtenByteCount })
    }

    /// A world whose replica takes some hundred milliseconds to restore.
    private func largeWorld() async throws -> World {
        let world = World()
        try await world.replicating { pool, _ in
            try await pool.write(durability: .replicated(timeout: .seconds(300))) { db in
                for _ in 0..<2000 { try db.execute(sql: "INSERT INTO player (name) VALUES (randomblob(20000))") }
            }
        }
        return world
    }

    @Test func aKilledProcessLeavesNoRestoreAndTheNextOneRemovesItsFiles() async throws {
        let world = try await largeWorld()
        let folder = Folder()
        let path = folder.path("db.sqlite")
        let host = try Host("restore", path, world.replica)
        var engines: [Int32] = []
        try await wait("a restore") {
            engines = try await processes(containing: "-o \(folder.url.path)")
            return !engines.isEmpty
        }
        // The restore, and the shell that watches it, stand still while the process is killed.
        for engine in engines { kill(engine, SIGSTOP) }
        host.kill()
        for engine in engines { kill(engine, SIGCONT) }
        try await wait("the end of the restore") {
            try await processes(containing: folder.url.path).isEmpty
        }
        // It hasn't written the whole file.
        let remaining = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
        #expect(!remaining.isEmpty && !remaining.contains { $0.hasSuffix("/db.sqlite") }, "\(remaining)")
        #expect(!FileManager.default.fileExists(atPath: path))
        // Folders of other databases stay.
        for name in [".db.sqlite-restore-1.sqlite-replication", ".db.sqlite-restore-\(UUID().uuidString)"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
        }
        // A second restore at the same time isn't disturbed: one of them creates the file.
        async let other = Result { try await world.replica.restore(to: path) }
        let result = await Result { try await world.replica.restore(to: path) }
        let results = await [result, other]
        #expect(results.contains { (try? $0.get()) != nil }, "\(results)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.sorted() == [".db.sqlite-replication", ".db.sqlite-restore-1.sqlite-replication", "db.sqlite"])
        #expect(try await DatabaseQueue(path: path).read { try $0.integrityCheck().isEmpty })
    }

    @Test func aRestoreFromAStoreThatDoesNotAnswerFails() async throws {
        let folder = Folder()
        let server = try SilentServer()
        let error = await expectReplicationError(.engineFailed) {
            _ = try await DatabasePool(
                path: folder.path("db.sqlite"), restoringFrom: server.replica, configuration: .replicated)
        }
        #expect(error?.message == "The store of s3://bucket/path doesn't answer.")
        // No empty database takes the place of the one that can't be restored.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
        withExtendedLifetime(server) {}
    }

    @Test func aCancelledRestoreLeavesNoFile() async throws {
        let world = try await largeWorld()
        let folder = Folder()
        let task = Task { try await world.replica.restore(to: folder.path("db.sqlite")) }
        try await wait("a temporary file") {
            try !FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty
        }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test(
        "a restore that can't forget an earlier database leaves no file",
        .enabled(if: getuid() != 0, "nothing is forbidden to root"), arguments: ["owners", "restored"])
    func factsOfAnEarlierDatabase(name: String) async throws {
        let world = World()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }
        let folder = Folder()
        let (path, facts) = (folder.path("db.sqlite"), folder.path(".db.sqlite-replication"))
        try FileManager.default.createDirectory(atPath: facts, withIntermediateDirectories: true)
        for file in [name, "lock"] { try Data("1".utf8).write(to: URL(fileURLWithPath: facts + "/" + file)) }
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: facts)
        await #expect(throws: (any Error).self) { try await world.replica.restore(to: path) }
        #expect(!FileManager.default.fileExists(atPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: facts)
        try await world.replica.restore(to: path)
        #expect(try await DatabaseQueue(path: path).read(players) == ["Anna"])
    }

    @Test func aPoolRestoresAMissingFileOnly() async throws {
        let world = World()
        let pool = try await DatabasePool(path: world.path, restoringFrom: world.replica, configuration: .replicated)
        #expect(try await pool.read { try $0.tableExists("player") } == false)
        try pool.close()
        try await world.replicating { pool, _ in try await pool.insertReplicated("Anna") }

        let next = World(world.replica)
        for _ in 0..<2 {
            let pool = try await DatabasePool(path: next.path, restoringFrom: world.replica, configuration: .replicated)
            #expect(try await pool.read(players) == ["Anna"])
            try pool.close()
        }
    }

    @Test func aReplicaIsVerified() async throws {
        let world = World()
        try await world.replicating { pool, service in
            try await pool.write { db in
                try db.execute(sql: "CREATE TABLE \"a \"\"name\"\"\" (k TEXT PRIMARY KEY, v) WITHOUT ROWID")
                try db.execute(sql: "INSERT INTO \"a \"\"name\"\"\" VALUES ('k', 1.5)")
                try db.execute(sql: "CREATE VIRTUAL TABLE words USING fts5(word)")
                try db.execute(sql: "INSERT INTO words VALUES ('word')")
            }
            try await pool.insertReplicated("Anna")
            try pool.insert("Ben")
            let transaction = try await service.verify(pool)
            #expect(try await world.replica.transactions().last?.number == transaction)
            let files = try FileManager.default.contentsOfDirectory(atPath: world.folder.url.path)
            #expect(!files.contains { $0.contains("-restore-") })
        }
    }

    @Test func aReplicaThatDiffersFailsItsVerification() async throws {
        let world = World()
        try await world.replicating { pool, service in
            try await pool.insertReplicated("Anna")
            // Another replica is put in its place.
            let other = World()
            try await other.replicating { pool, _ in try await pool.insertReplicated("Ben") }
            let (source, target) = (other.folder.path("replica"), world.folder.path("replica"))
            try FileManager.default.moveItem(atPath: target, toPath: target + "-before")
            try FileManager.default.moveItem(atPath: source, toPath: target)
            let error = await expectReplicationError(.verificationFailed) { try await service.verify(pool) }
            #expect(error?.message.contains("the table player") == true)
        }
    }
}
#endif
