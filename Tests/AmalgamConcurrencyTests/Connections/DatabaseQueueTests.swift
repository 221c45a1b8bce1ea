import Amalgam
import Foundation
import TestSupport
import Testing

@Suite(.watchdog)
struct DatabaseQueueTests {
    let folder = Folder()

    var path: String { folder.path("db.sqlite") }

    // MARK: Opening

    @Test func opensAMissingFileAndFindsItAgain() throws {
        do {
            let queue = try DatabaseQueue(path: path, configuration: .tested)
            #expect(FileManager.default.fileExists(atPath: path))
            #expect(queue.path == path)
            try queue.write { db in
                try db.createPlayers()
                try db.addPlayer()
            }
        }
        let queue = try DatabaseQueue(path: path, configuration: .tested)
        #expect(try queue.read { try $0.playerCount() } == 1)
    }

    @Test func refusesWhatIsNoDatabase() throws {
        try Data(repeating: 0x41, count: 4096).write(to: folder.url.appendingPathComponent("db.sqlite"))
        try databaseError(.SQLITE_NOTADB) { try DatabaseQueue(path: path) }
    }

    @Test func refusesAMissingFolder() throws {
        try databaseError(.SQLITE_CANTOPEN) { try DatabaseQueue(path: folder.path("missing/db.sqlite")) }
    }

    @Test func connectionsHaveNames() throws {
        let queue = try DatabaseQueue()
        #expect(queue.inDatabase { $0.description } == "GRDB.DatabaseQueue")
        #expect(queue.inDatabase { $0.debugDescription } == "<Database: GRDB.DatabaseQueue>")
        let named = try DatabaseQueue(configuration: .tested { $0.label = "Players" })
        #expect(named.inDatabase { $0.description } == "Players")
    }

    @Test func aConfigurationIsReadBack() throws {
        let queue = try DatabaseQueue(
            configuration: .tested {
                $0.label = "Players"; $0.maximumReaderCount = 7
            })
        #expect(queue.configuration.label == "Players")
        #expect(queue.configuration.maximumReaderCount == 1)
        #expect(queue.path == ":memory:")
        var other = queue.configuration
        other.label = "Teams"
        #expect(try DatabaseQueue(configuration: other).configuration.label == "Teams")
        #expect(queue.configuration.label == "Players")
    }

    // MARK: Memory

    @Test func namedDatabasesAreShared() throws {
        let name = UUID().uuidString
        let first = try DatabaseQueue(named: name, configuration: .tested)
        let second = try DatabaseQueue(named: name, configuration: .tested)
        let other = try DatabaseQueue(named: name + "'", configuration: .tested)
        try first.write { try $0.createPlayers() }
        #expect(try second.read { try $0.playerCount() } == 0)
        try second.write { try $0.addPlayer() }
        #expect(try first.read { try $0.playerCount() } == 1)
        try databaseError(.SQLITE_ERROR) { try other.read { try $0.playerCount() } }
    }

    @Test func namedDatabasesGoWithTheLastQueue() throws {
        let name = UUID().uuidString
        var first: DatabaseQueue? = try DatabaseQueue(named: name)
        try first!.write { try $0.createPlayers() }
        var second: DatabaseQueue? = try DatabaseQueue(named: name)
        first = nil
        #expect(try second!.read { try $0.playerCount() } == 0)
        second = nil
        try databaseError(.SQLITE_ERROR) { try DatabaseQueue(named: name).read { try $0.playerCount() } }
        _ = (first, second)
    }

    @Test(arguments: ["a b", "a?mode=ro", "a%20b", "a#b", "é中", "../x", "a&cache=private"])
    func namesMayContainAnything(name: String) throws {
        let before = try FileManager.default.contentsOfDirectory(atPath: ".").sorted()
        let first = try DatabaseQueue(named: name)
        let second = try DatabaseQueue(named: name)
        try first.write { try $0.createPlayers() }
        #expect(try second.read { try $0.playerCount() } == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: ".").sorted() == before)
    }

    @Test func unnamedDatabasesArePrivate() throws {
        let (first, second) = (try DatabaseQueue(), try DatabaseQueue())
        try first.write { try $0.createPlayers() }
        try databaseError(.SQLITE_ERROR) { try second.read { try $0.playerCount() } }
    }

    // MARK: Accesses

    @Test func closuresThatDoNotThrowNeedNoTry() throws {
        let queue = try DatabaseQueue()
        #expect(queue.inDatabase { _ in 1 } == 1)
        #expect(queue.writeWithoutTransaction { _ in 1 } == 1)
        #expect(queue.unsafeRead { _ in 1 } == 1)
        #expect(queue.unsafeReentrantRead { _ in 1 } == 1)
        #expect(queue.unsafeReentrantWrite { _ in 1 } == 1)
    }

    @Test func aKeptConnectionWorksInsideAccessesOnly() throws {
        let queue = try DatabaseQueue()
        let kept = try queue.write { db in
            try db.createPlayers()
            return db
        }
        let error = try databaseError(.SQLITE_MISUSE) { try kept.execute(sql: "SELECT 1") }
        #expect(error.sql == "SELECT 1")
        try queue.inDatabase { _ in try kept.addPlayer() }
        #expect(try queue.read { _ in try kept.playerCount() } == 1)
    }

    @Test func aKeptConnectionIsRefusedOnAnotherThread() throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            nonisolated(unsafe) let db = db
            let worker = Worker { try db.execute(sql: "SELECT 1") }
            try databaseError(.SQLITE_MISUSE) { try worker.join() }
            try db.execute(sql: "SELECT 1")
        }
    }

    @Test func statementsServeLaterAccesses() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.createPlayers() }
        let statement = try queue.inDatabase { try $0.makeStatement(sql: "INSERT INTO player (name) VALUES (?)") }
        try queue.write { _ in try statement.execute(arguments: ["Anna"]) }
        try queue.write { _ in try statement.execute(arguments: ["Bo"]) }
        #expect(try queue.read { try $0.playerCount() } == 2)
        try databaseError(.SQLITE_MISUSE) { try statement.execute(arguments: ["Cleo"]) }
    }

    @Test func accessesToTwoDatabasesNest() throws {
        let (first, second) = (try DatabaseQueue(), try DatabaseQueue())
        try first.write { a in
            try a.createPlayers()
            try second.write { b in
                try b.createPlayers()
                try a.addPlayer()
                try b.addPlayer()
                // Reentrant in the first queue, through both.
                try databaseError(.SQLITE_MISUSE) { try first.read { _ in } }
                first.unsafeReentrantWrite { #expect($0 === a) }
            }
            #expect(try second.read { try $0.playerCount() } == 1)
            #expect(try a.playerCount() == 1)
        }
    }

    @Test func unsafeReadsMayWrite() throws {
        let queue = try DatabaseQueue()
        try queue.unsafeRead { try $0.createPlayers() }
        try queue.unsafeRead { db in
            try db.execute(sql: "PRAGMA query_only = 1")
            try databaseError(.SQLITE_READONLY) { try db.addPlayer() }
            try db.execute(sql: "PRAGMA query_only = 0")
            try db.addPlayer()
        }
        #expect(try queue.read { try $0.playerCount() } == 1)
    }

    @Test func readsWaitForTheWrite() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.createPlayers() }
        let (writing, goOn) = (Signal("writing"), Signal("goOn"))
        let log = Log<String>()
        let writer = Worker {
            try queue.write { db in
                try db.addPlayer()
                writing.fire()
                try goOn.wait()
                try db.addPlayer()
                log.append("written")
            }
        }
        try writing.wait()
        let reader = Worker {
            let count = try queue.read { try $0.playerCount() }
            log.append("read \(count)")
        }
        Signal.giveOthersAChance()
        goOn.fire()
        try writer.join()
        try reader.join()
        #expect(log.elements == ["written", "read 2"])
    }

    @Test func spawnedReadsRunAtOnce() throws {
        let log = Log<String>()
        let queue = try DatabaseQueue(configuration: .traced(log))
        try queue.write { try $0.createPlayers() }
        let counts = Log<Int>()
        try queue.writeWithoutTransaction { db in
            try db.addPlayer()
            _ = log.take()
            queue.spawnConcurrentRead { result in
                do {
                    let db = try result.get()
                    counts.append(try db.playerCount())
                    try databaseError(.SQLITE_READONLY) { try db.addPlayer() }
                } catch {
                    Issue.record(error)
                }
            }
            #expect(counts.elements == [1])
            #expect(log.take().first == "BEGIN DEFERRED TRANSACTION")
            try db.addPlayer()
        }
        #expect(counts.elements == [1])
    }

    // MARK: Transactions

    @Test(arguments: [
        (nil, "IMMEDIATE"), (Database.TransactionKind.deferred, "DEFERRED"), (.immediate, "IMMEDIATE"),
        (.exclusive, "EXCLUSIVE"),
    ])
    func transactionsHaveAKind(kind: Database.TransactionKind?, sql: String) throws {
        let log = Log<String>()
        let queue = try DatabaseQueue(configuration: .traced(log))
        try queue.write { try $0.createPlayers() }
        _ = log.take()
        try queue.inTransaction(kind) { db in
            try db.addPlayer()
            return .commit
        }
        #expect(
            log.take() == [
                "BEGIN \(sql) TRANSACTION", "INSERT INTO player (name) VALUES (?)", "COMMIT TRANSACTION",
            ])
        try queue.inTransaction(kind) { db in
            try db.addPlayer()
            return .rollback
        }
        #expect(log.take().last == "ROLLBACK TRANSACTION")
        #expect(throws: Oops()) {
            try queue.inTransaction(kind) { db in
                try db.addPlayer()
                throw Oops()
            }
        }
        #expect(log.take().last == "ROLLBACK TRANSACTION")
        #expect(try queue.read { try $0.playerCount() } == 1)
    }

    @Test func aTransactionOutlivesItsAccessWhenAllowed() throws {
        let queue = try DatabaseQueue(configuration: .tested { $0.allowsUnsafeTransactions = true })
        try queue.inDatabase { db in
            try db.createPlayers()
            try db.beginTransaction()
            try db.addPlayer()
        }
        #expect(queue.inDatabase { $0.isInsideTransaction })
        try queue.inDatabase { try $0.rollback() }
        #expect(try queue.read { try $0.playerCount() } == 0)
    }

    // MARK: Two queues on one file

    @Test func twoQueuesSeeCommittedChangesOnly() throws {
        let first = try DatabaseQueue(path: path, configuration: .tested)
        let second = try DatabaseQueue(path: path, configuration: .tested)
        try first.write { try $0.createPlayers() }
        try first.inTransaction { db in
            try db.addPlayer()
            // A reader isn't blocked by an open IMMEDIATE transaction.
            #expect(try second.read { try $0.playerCount() } == 0)
            return .commit
        }
        #expect(try second.read { try $0.playerCount() } == 1)
    }

    @Test func theSecondOfTwoDeferredTransactionsIsBusy() throws {
        let first = try DatabaseQueue(path: path, configuration: .tested)
        let second = try DatabaseQueue(path: path, configuration: .tested)
        try first.write { try $0.createPlayers() }
        try first.inTransaction(.deferred) { db in
            try db.addPlayer("first")
            let error = try databaseError(.SQLITE_BUSY) {
                try second.inTransaction(.deferred) { db in
                    _ = try db.playerCount()
                    try db.addPlayer("second")
                    return .commit
                }
            }
            #expect(error.sql == "INSERT INTO player (name) VALUES (?)")
            #expect(second.inDatabase { !$0.isInsideTransaction })
            return .commit
        }
        #expect(try second.read { try String.fetchAll($0, sql: "SELECT name FROM player") } == ["first"])
    }

    // MARK: End

    @Test func theConnectionIsClosedWithTheQueue() throws {
        let closings = Log<Int>()
        let configuration = Configuration.tested { $0.onConnectionWillClose { _ in closings.append(1) } }
        var queue: DatabaseQueue? = try DatabaseQueue(path: path, configuration: configuration)
        try queue!.write { try $0.createPlayers() }
        _ = try queue!.inDatabase { try $0.cachedStatement(sql: "SELECT * FROM player") }
        #expect(closings.count == 0)
        queue = nil
        #expect(closings.count == 1)
    }

    @Test func scheduledAccessesRunAfterTheQueueIsReleased() throws {
        let (goOn, closed) = (Signal("goOn"), Signal("closed"))
        let log = Log<Int>()
        let configuration = Configuration.tested { $0.onConnectionWillClose { _ in closed.fire() } }
        var queue: DatabaseQueue? = try DatabaseQueue(path: path, configuration: configuration)
        try queue!.write { try $0.createPlayers() }
        queue!.asyncWriteWithoutTransaction { _ in try? goOn.wait() }
        for _ in 0..<10 {
            queue!.asyncWrite {
                try $0.addPlayer()
            } completion: { db, _ in
                log.append((try? db.playerCount()) ?? -1)
            }
        }
        queue = nil
        #expect(!closed.hasFired)
        goOn.fire()
        try closed.wait()
        #expect(log.elements == Array(1...10))
    }

    @Test func aQueueMayBeReleasedInsideItsLastAccess() throws {
        let closed = Signal("closed")
        let configuration = Configuration.tested { $0.onConnectionWillClose { _ in closed.fire() } }
        let holder = Box<DatabaseQueue?>(try DatabaseQueue(configuration: configuration))
        holder.value!.asyncWriteWithoutTransaction { db in
            holder.value = nil
            try! db.createPlayers()
        }
        try closed.wait()
    }
}
