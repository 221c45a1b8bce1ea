import Amalgam
import CAmalgam
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite(.watchdog)
struct ConfigurationTests {
    let folder = Folder()

    var path: String { folder.path("db.sqlite") }

    @Test func defaults() {
        let configuration = Configuration()
        #expect(configuration.foreignKeysEnabled)
        #expect(!configuration.readonly)
        #expect(configuration.label == nil)
        #expect(!configuration.acceptsDoubleQuotedStringLiterals)
        #expect(!configuration.observesSuspensionNotifications)
        #expect(!configuration.publicStatementArguments)
        #expect(!configuration.allowsUnsafeTransactions)
        #expect(configuration.maximumReaderCount == 5)
        #expect(configuration.qos == .userInitiated)
        #expect(configuration.readQoS == .userInitiated)
        #expect(configuration.writeQoS == .userInitiated)
        #expect(configuration.targetQueue == nil)
        #expect(configuration.writeTargetQueue == nil)
        #expect(configuration.automaticMemoryManagement)
        #expect(!configuration.persistentReadOnlyConnections)
        guard case .immediateError = configuration.busyMode else {
            Issue.record("busyMode")
            return
        }
        #expect(configuration.journalMode == .default)
        #expect(configuration.vfsName == nil)
    }

    // MARK: The VFS

    /// SQLite has a VFS with lock files on all Unix systems.
    @Test func aNamedVFS() throws {
        var configuration = Configuration()
        configuration.vfsName = "unix-dotfile"
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        let names = try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH DATABASE ? AS other", arguments: [folder.path("other.sqlite")])
            return try [db.vfsName(), db.vfsName("other")]
        }
        #expect(names == ["unix-dotfile", "unix-dotfile"])
        try dbQueue.close()
    }

    @Test func aVFSThatDoesNotExist() throws {
        for name in ["no-such-vfs", "unix\0"] {
            var configuration = Configuration()
            configuration.vfsName = name
            let error = #expect(throws: DatabaseError.self) {
                try DatabaseQueue(path: path, configuration: configuration)
            }
            #expect(error?.resultCode == .SQLITE_ERROR)
            let message = name == "unix\0" ? "the name of the VFS contains a NUL character" : "no such vfs: \(name)"
            #expect(error?.message == message)
            #expect(throws: DatabaseError.self) { try DatabasePool(path: path, configuration: configuration) }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    // MARK: Preparation

    @Test(arguments: Store.allCases)
    func eachConnectionIsPreparedOnce(store: Store) throws {
        let prepared = Log<String>()
        let configuration = Configuration.tested { $0.prepareDatabase { prepared.append($0.description) } }
        try store.withWriter(configuration) { writer in
            #expect(prepared.take().count == 1)
            for _ in 0..<3 { _ = try writer.read { try $0.playerCount() } }
            let isPool = store == .pool || store == .erasedPool
            #expect(prepared.take().count == (isPool ? 1 : 0))
            guard let pool = writer as? DatabasePool else { return }
            _ = try pool.makeSnapshot()
            #expect(prepared.take().count == 1)
            let snapshot = try pool.makeSnapshotPool()
            #expect(prepared.take().count == 1)
            for _ in 0..<3 { _ = try snapshot.read { try $0.playerCount() } }
            #expect(prepared.take().count == 1)
        }
    }

    @Test(arguments: Store.allCases)
    func preparationsAddUpInOrder(store: Store) throws {
        let log = Log<Int>()
        let configuration = Configuration.tested {
            $0.prepareDatabase { _ in log.append(1) }
            $0.prepareDatabase { _ in log.append(2) }
        }
        try store.withWriter(configuration) { _ in #expect(log.elements == [1, 2]) }
    }

    @Test(arguments: Store.allCases)
    func aPreparationErrorFailsTheOpening(store: Store) throws {
        let configuration = Configuration.tested { $0.prepareDatabase { _ in throw Oops(number: 5) } }
        #expect(throws: Oops(number: 5)) { try store.open(in: folder, configuration) }
    }

    @Test func aPreparationErrorOfAReaderFailsTheRead() async throws {
        let fails = Box(false)
        let configuration = Configuration.tested {
            $0.maximumReaderCount = 1
            $0.prepareDatabase { _ in if fails.value { throw Oops() } }
        }
        try await withPool(configuration) { pool, _ in
            fails.value = true
            for _ in 0..<3 {
                #expect(throws: Oops()) { try pool.read { _ in } }
                await #expect(throws: Oops()) { try await pool.read { _ in } }
            }
            let done = Signal()
            pool.asyncRead { result in
                #expect(throws: Oops()) { try result.get() }
                done.fire()
            }
            try await done.value()
            fails.value = false
            #expect(try await pool.read { try $0.playerCount() } == 0)
        }
    }

    @Test func aPreparationMaySetTheJournalMode() throws {
        let configuration = Configuration.tested {
            $0.prepareDatabase { db in
                if !db.configuration.readonly { try db.execute(sql: "PRAGMA journal_mode = truncate") }
            }
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        #expect(try queue.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "truncate")
    }

    // MARK: Journal modes

    @Test func aQueueIsNotInWALModeUnlessAsked() throws {
        let queue = try DatabaseQueue(path: path, configuration: .tested)
        #expect(try queue.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "delete")
        for mode in ["wal", "truncate", "delete"] {
            let result = try queue.inDatabase { try String.fetchOne($0, sql: "PRAGMA journal_mode = \(mode)") }
            #expect(result == mode)
        }
        let wal = try DatabaseQueue(
            path: folder.path("wal.sqlite"), configuration: .tested { $0.journalMode = .wal })
        #expect(try wal.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
        let readonly = try DatabaseQueue(
            path: path,
            configuration: .tested {
                $0.journalMode = .wal; $0.readonly = true
            })
        #expect(try readonly.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "delete")
    }

    @Test(arguments: Store.files)
    func theDurabilityOfAPreparationStays(store: Store) throws {
        let configuration = Configuration.tested {
            $0.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = EXTRA") }
        }
        let writer = try store.open(in: folder, configuration)
        let synchronous = try writer.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        #expect(synchronous == 3)
    }

    // MARK: Connections

    @Test(arguments: Store.allCases, [true, false])
    func foreignKeysAreEnforced(store: Store, isEnabled: Bool) throws {
        try store.withWriter(.tested { $0.foreignKeysEnabled = isEnabled }) { writer in
            let read = try writer.read { try Bool.fetchOne($0, sql: "PRAGMA foreign_keys") }
            let written = try writer.writeWithoutTransaction { try Bool.fetchOne($0, sql: "PRAGMA foreign_keys") }
            #expect(read == isEnabled && written == isEnabled)
        }
    }

    @Test(arguments: Store.allCases, [true, false])
    func doubleQuotedStringsAreAccepted(store: Store, isAccepted: Bool) throws {
        try store.withWriter(.tested { $0.acceptsDoubleQuotedStringLiterals = isAccepted }) { writer in
            try writer.write { try $0.addPlayer() }
            let select = "SELECT \"foo\" FROM player"
            let index = "CREATE INDEX i ON player(\"foo\")"
            if isAccepted {
                #expect(try writer.read { try String.fetchOne($0, sql: select) } == "foo")
                try writer.write { try $0.execute(sql: index) }
            } else {
                #expect(
                    try databaseError(.SQLITE_ERROR) {
                        try writer.read { try String.fetchOne($0, sql: select) }
                    }.sql == select)
                #expect(
                    try databaseError(.SQLITE_ERROR) { try writer.write { try $0.execute(sql: index) } }.sql == index)
            }
        }
    }

    @Test(arguments: [false, true])
    func readOnlyConnectionsNeedAFile(isPool: Bool) throws {
        let configuration = Configuration.tested { $0.readonly = true }
        let error = try databaseError(.SQLITE_CANTOPEN) {
            if isPool {
                _ = try DatabasePool(path: path, configuration: configuration)
            } else {
                _ = try DatabaseQueue(path: path, configuration: configuration)
            }
        }
        #expect(error.message == "unable to open database file")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func readOnlyConnectionsRefuseToWrite() throws {
        _ = try DatabaseQueue(path: path).write { try $0.createPlayers() }
        let queue = try DatabaseQueue(path: path, configuration: .tested { $0.readonly = true })
        #expect(try queue.read { try $0.playerCount() } == 0)
        let sql = "CREATE TABLE items (id INTEGER PRIMARY KEY)"
        let statement = try queue.inDatabase { try $0.makeStatement(sql: sql) }
        let error = try databaseError(.SQLITE_READONLY) { try queue.inDatabase { _ in try statement.execute() } }
        #expect(error.message == "attempt to write a readonly database")
        #expect(
            error.description
                == "SQLite error 8: attempt to write a readonly database - while executing `\(sql)`")
        // Transactions are deferred, and end.
        try queue.inTransaction { db in
            let count = try db.playerCount()
            #expect(count == 0)
            return .commit
        }
        try queue.write { _ in }
        try databaseError(.SQLITE_READONLY) { try queue.write { try $0.addPlayer() } }
    }

    // MARK: Busy modes

    private func twoQueues(_ busyMode: Database.BusyMode) throws -> (DatabaseQueue, DatabaseQueue) {
        let first = try DatabaseQueue(path: path, configuration: .tested)
        try first.write { try $0.createPlayers() }
        let second = try DatabaseQueue(path: path, configuration: .tested { $0.busyMode = busyMode })
        return (first, second)
    }

    @Test(arguments: [
        (Database.TransactionKind.immediate, "BEGIN IMMEDIATE TRANSACTION"),
        (.exclusive, "BEGIN EXCLUSIVE TRANSACTION"),
    ])
    func immediateErrors(kind: Database.TransactionKind, sql: String) throws {
        let (first, second) = try twoQueues(.immediateError)
        try first.inTransaction(kind) { _ in
            let error = try databaseError(.SQLITE_BUSY) { try second.inTransaction(kind) { _ in .commit } }
            #expect(error.sql == sql)
            #expect(error.message == "database is locked")
            return .commit
        }
        do {
            try first.inTransaction(.exclusive) { _ in
                try second.inTransaction(.exclusive) { _ in .commit }
                return .commit
            }
            Issue.record("no error")
        } catch DatabaseError.SQLITE_BUSY {
        }
        try second.inTransaction(kind) { _ in .commit }
    }

    @Test func timeouts() throws {
        let (first, second) = try twoQueues(.timeout(0.1))
        try first.inTransaction(.exclusive) { _ in
            let start = ContinuousClock.now
            try databaseError(.SQLITE_BUSY) { try second.inTransaction(.exclusive) { _ in .commit } }
            #expect(ContinuousClock.now - start >= .milliseconds(100))
            return .commit
        }
    }

    @Test func timeoutsThatAreLongEnough() throws {
        let (first, second) = try twoQueues(.timeout(600))
        let (locked, trying) = (Signal("locked"), Signal("trying"))
        let holder = Worker {
            try first.inTransaction(.exclusive) { _ in
                locked.fire()
                try trying.wait()
                Signal.giveOthersAChance()
                return .commit
            }
        }
        try locked.wait()
        trying.fire()
        try second.inTransaction(.exclusive) { _ in .commit }
        try holder.join()
    }

    @Test func callbacks() throws {
        let tries = Log<Int>()
        let (first, second) = try twoQueues(
            .callback { count in
                tries.append(count)
                return count < 3
            })
        try first.inTransaction(.exclusive) { _ in
            try databaseError(.SQLITE_BUSY) { try second.inTransaction(.exclusive) { _ in .commit } }
            return .commit
        }
        #expect(tries.take() == [0, 1, 2, 3])
        try second.inTransaction(.exclusive) { _ in .commit }
        #expect(tries.take() == [])
    }

    @Test func aCommitWaitsForReaders() throws {
        let (reading, goOn, done) = (Signal("reading"), Signal("goOn"), Signal("done"))
        let tries = Box(0)
        let (first, second) = try twoQueues(
            .callback { _ in
                tries.increment()
                goOn.fire()
                return (try? done.wait()) != nil
            })
        try first.write { db in for _ in 0..<3 { try db.addPlayer() } }
        let reader = Worker {
            try first.read { db in
                _ = try db.playerCount()
                reading.fire()
                try goOn.wait()
                #expect(try db.playerCount() == 3)
            }
            done.fire()
        }
        try reading.wait()
        try second.write { try $0.addPlayer() }
        try reader.join()
        #expect(tries.value > 0)
        #expect(try first.read { try $0.playerCount() } == 4)
    }

    @Test func readersOfAPoolWaitForLocks() throws {
        try withPool { pool, _ in
            guard case .timeout(let seconds) = try pool.read({ $0.configuration.busyMode }) else {
                Issue.record("readers fail at once")
                return
            }
            #expect(seconds > 1)
            guard case .immediateError = pool.configuration.busyMode else {
                Issue.record("the configuration has changed")
                return
            }
        }
    }

    // MARK: Dispatch

    @Test(arguments: [Store.memoryQueue, .fileQueue, .pool])
    func accessesRunOnTargetQueues(store: Store) async throws {
        let key = DispatchSpecificKey<String>()
        let target = DispatchQueue(label: "target", attributes: .concurrent)
        target.setSpecific(key: key, value: "target")
        let writeTarget = DispatchQueue(label: "writeTarget")
        writeTarget.setSpecific(key: key, value: "writeTarget")
        let configuration = Configuration.tested {
            $0.targetQueue = target
            $0.writeTargetQueue = writeTarget
        }
        try await store.withWriter(configuration) { writer in
            let written = try await writer.write { _ in DispatchQueue.getSpecific(key: key) }
            #expect(written == "writeTarget")
            let syncWritten = try await writer.write { _ in DispatchQueue.getSpecific(key: key) }
            #expect(syncWritten == "writeTarget")
            let read = try await writer.read { _ in DispatchQueue.getSpecific(key: key) }
            #expect(read == (store == .pool ? "target" : "writeTarget"))
            if let pool = writer as? DatabasePool {
                let snapshot = try pool.makeSnapshot()
                #expect(try await snapshot.read { _ in DispatchQueue.getSpecific(key: key) } == "target")
                let snapshotPool = try pool.makeSnapshotPool()
                #expect(try await snapshotPool.read { _ in DispatchQueue.getSpecific(key: key) } == "target")
            }
        }
    }

    @Test func qualitiesOfService() {
        var configuration = Configuration()
        configuration.qos = .background
        #expect(configuration.readQoS == .background)
        #expect(configuration.writeQoS == .background)
        let target = DispatchQueue(label: "target", qos: .utility)
        configuration.targetQueue = target
        #expect(configuration.readQoS == target.qos)
        #expect(configuration.writeQoS == target.qos)
        let writeTarget = DispatchQueue(label: "writeTarget", qos: .userInitiated)
        configuration.writeTargetQueue = writeTarget
        #expect(configuration.readQoS == target.qos)
        #expect(configuration.writeQoS == writeTarget.qos)
    }
}
