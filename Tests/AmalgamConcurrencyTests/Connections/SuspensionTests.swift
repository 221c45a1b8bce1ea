import Amalgam
import Foundation
import TestSupport
import Testing

/// Databases are suspended while accesses run, wait, and begin.
@Suite(.watchdog)
struct SuspensionTests {
    static let stores: [Store] = [.memoryQueue, .fileQueue, .walQueue, .pool]

    static let write = "INSERT INTO player (name) VALUES (?)"

    private func suspend(_ writer: any DatabaseWriter) { writer.suspend() }

    private func resume(_ writer: any DatabaseWriter) { writer.resume() }

    /// Expects the error of a refused statement.
    private func expectSuspended(
        sql: String?, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) throws {
        let error = try databaseError(.SQLITE_ABORT, sourceLocation: sourceLocation, body)
        #expect(error.message == "Database is suspended", sourceLocation: sourceLocation)
        #expect(error.sql == sql, sourceLocation: sourceLocation)
    }

    // MARK: Accesses

    @Test(arguments: stores)
    func reading(store: Store) throws {
        try store.withWriter { writer in
            suspend(writer)
            if store == .pool || store == .walQueue {
                #expect(try writer.read { try $0.playerCount() } == 0)
                #expect(try writer.unsafeReentrantRead { try $0.playerCount() } == 0)
            } else {
                try expectSuspended(sql: "BEGIN DEFERRED TRANSACTION") { _ = try writer.read { try $0.playerCount() } }
            }
            resume(writer)
            #expect(try writer.read { try $0.playerCount() } == 0)
        }
    }

    @Test(arguments: stores)
    func writing(store: Store) throws {
        try store.withWriter { writer in
            suspend(writer)
            try expectSuspended(sql: "BEGIN IMMEDIATE TRANSACTION") { try writer.write { try $0.addPlayer() } }
            try expectSuspended(sql: Self.write) { try writer.writeWithoutTransaction { try $0.addPlayer() } }
            try expectSuspended(sql: Self.write) { try writer.barrierWriteWithoutTransaction { try $0.addPlayer() } }
            resume(writer)
            try writer.write { try $0.addPlayer() }
        }
    }

    /// Accesses that waited run, and get the errors.
    @Test(arguments: stores)
    func accessesThatWait(store: Store) throws {
        try store.withWriter { writer in
            let goOn = Signal("goOn")
            let errors = Log<String>()
            let end = Signal("end")
            writer.asyncWriteWithoutTransaction { _ in try? goOn.wait() }
            for _ in 1...3 {
                writer.asyncWrite {
                    try $0.addPlayer()
                } completion: { _, result in
                    if case .failure(let error as DatabaseError) = result { errors.append(error.message ?? "") }
                }
            }
            writer.asyncWriteWithoutTransaction { _ in end.fire() }
            suspend(writer)
            goOn.fire()
            try end.wait()
            #expect(errors.elements == Array(repeating: "Database is suspended", count: 3))
            resume(writer)
            #expect(try writer.read { try $0.playerCount() } == 0)
        }
    }

    @Test(arguments: stores)
    func tasks(store: Store) async throws {
        try await store.withWriter { writer in
            suspend(writer)
            let error = await #expect(throws: DatabaseError.self) { try await writer.write { try $0.addPlayer() } }
            #expect(error?.message == "Database is suspended")
            #expect(error?.sql == "BEGIN IMMEDIATE TRANSACTION")
            resume(writer)
            try await writer.write { try $0.addPlayer() }
        }
    }

    @Test(arguments: [Store.fileQueue, .pool])
    func closing(store: Store) throws {
        try store.withWriter { writer in
            suspend(writer)
            try writer.close()
            suspend(writer)
            resume(writer)
            try databaseError(.SQLITE_MISUSE) { try writer.write { try $0.addPlayer() } }
        }
    }

    @Test(arguments: stores)
    func maintenance(store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.addPlayer() }
            suspend(writer)
            try expectSuspended(sql: nil) { try writer.erase() }
            try expectSuspended(sql: "VACUUM") { try writer.vacuum() }
            (writer as? DatabaseQueue)?.releaseMemory()
            (writer as? DatabasePool)?.releaseMemory()
            resume(writer)
            #expect(try writer.read { try $0.playerCount() } == 1)
        }
    }

    @Test func readOnly() throws {
        try Store.fileQueue.withWriter { writer in
            let configuration = Configuration.tested { $0.readonly = true }
            let queue = try DatabaseQueue(path: writer.path, configuration: configuration)
            queue.suspend()
            try expectSuspended(sql: "BEGIN DEFERRED TRANSACTION") { _ = try queue.read { try $0.playerCount() } }
            queue.resume()
            #expect(try queue.read { try $0.playerCount() } == 0)
            let pool = try DatabasePool(path: writer.path, configuration: configuration)
            pool.suspend()
            #expect(try pool.read { try $0.playerCount() } == 0)
        }
    }

    // MARK: Other threads

    /// The SQL function `pause()`, which fires the first signal, and waits for the second.
    private func pausing(_ paused: Signal, _ goOn: Signal) -> Configuration {
        .tested {
            $0.prepareDatabase { db in
                db.add(
                    function: DatabaseFunction("pause", argumentCount: 1) { values in
                        paused.fire()
                        try goOn.wait()
                        return values[0]
                    })
            }
        }
    }

    private static let numbers = "(VALUES (1), (2), (3))"

    @Test(arguments: stores)
    func aReadUnderWay(store: Store) throws {
        let (paused, goOn) = (Signal("paused"), Signal("goOn"))
        try store.withWriter(pausing(paused, goOn)) { writer in
            let sql = "SELECT pause(column1) FROM \(Self.numbers)"
            let worker = Worker {
                try writer.writeWithoutTransaction { db in
                    let error = try databaseError(.SQLITE_INTERRUPT) { try db.execute(sql: sql) }
                    #expect(error.message == "interrupted")
                    #expect(error.sql == sql)
                }
            }
            try paused.wait()
            suspend(writer)
            goOn.fire()
            try worker.join()
            resume(writer)
            try writer.writeWithoutTransaction { try $0.execute(sql: sql) }
        }
    }

    @Test(arguments: stores)
    func aWriteUnderWay(store: Store) throws {
        let (paused, goOn) = (Signal("paused"), Signal("goOn"))
        try store.withWriter(pausing(paused, goOn)) { writer in
            let sql = "INSERT INTO player (name) SELECT pause(column1) FROM \(Self.numbers)"
            let worker = Worker {
                let error = try databaseError(.SQLITE_INTERRUPT) {
                    try writer.write { db in
                        try db.addPlayer()
                        try db.execute(sql: sql)
                    }
                }
                #expect(error.sql == sql)
            }
            try paused.wait()
            suspend(writer)
            goOn.fire()
            try worker.join()
            resume(writer)
            #expect(try writer.read { try $0.playerCount() } == 0)
        }
    }

    /// Readers of pools, and snapshots, aren't suspended.
    @Test func readsOfAPool() throws {
        let (paused, goOn) = (Signal("paused"), Signal("goOn"))
        try withPool(pausing(paused, goOn)) { pool, _ in
            let snapshot = try pool.makeSnapshot()
            let worker = Worker {
                let count = try pool.read { db in
                    try Int.fetchAll(db, sql: "SELECT pause(column1) FROM \(Self.numbers)").count
                }
                #expect(count == 3)
            }
            try paused.wait()
            pool.suspend()
            goOn.fire()
            try worker.join()
            // Neither are new connections.
            pool.invalidateReadOnlyConnections()
            #expect(try pool.read { try $0.playerCount() } == 0)
            #expect(try snapshot.read { try $0.playerCount() } == 0)
            #expect(try pool.makeSnapshot().read { try $0.playerCount() } == 0)
            #expect(try pool.makeSnapshotPool().read { try $0.playerCount() } == 0)
            // The writer may be read, and other connections may read its state.
            try pool.writeWithoutTransaction { db in
                let count = try db.playerCount()
                #expect(count == 0)
                let other = try DatabaseSnapshotPool(db)
                let otherCount = try other.read { try $0.playerCount() }
                #expect(otherCount == 0)
                let result = Box<Int?>(nil)
                let end = Signal("end")
                pool.asyncConcurrentRead { db in
                    result.value = try? db.get().playerCount()
                    end.fire()
                }
                try end.wait()
                #expect(result.value == 0)
            }
        }
    }

    @Test(arguments: stores)
    func resumingFromAnotherThread(store: Store) throws {
        try store.withWriter { writer in
            try writer.writeWithoutTransaction { db in
                try Worker { suspend(writer) }.join()
                try expectSuspended(sql: Self.write) { try db.addPlayer() }
                try Worker { resume(writer) }.join()
                try db.addPlayer()
            }
        }
    }

    // MARK: Cancellation

    @Test(arguments: stores)
    func aCancelledAccessSaysSo(store: Store) async throws {
        try await store.withWriter { writer in
            suspend(writer)
            let task = Task {
                try await writer.writeWithoutTransaction { db in
                    withUnsafeCurrentTask { $0?.cancel() }
                    try db.addPlayer()
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            resume(writer)
            try await writer.write { try $0.addPlayer() }
        }
    }

    // MARK: Waiting for locks

    /// A queue that waits for locks without a limit, and fires a signal when it does.
    private func patientQueue(_ path: String, _ waiting: Signal) throws -> DatabaseQueue {
        let configuration = Configuration.tested {
            $0.busyMode = .callback { _ in
                waiting.fire()
                Thread.sleep(forTimeInterval: 0.001)
                return true
            }
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    @Test(arguments: [Store.fileQueue, .walQueue])
    func waitingToBegin(store: Store) throws {
        try store.withWriter { holder in
            let waiting = Signal("waiting")
            let queue = try patientQueue(holder.path, waiting)
            let begin = "BEGIN IMMEDIATE TRANSACTION"
            try holder.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    let worker = Worker { try expectSuspended(sql: begin) { try queue.write { try $0.addPlayer() } } }
                    try waiting.wait()
                    queue.suspend()
                    try worker.join()
                    // A new transaction doesn't wait either.
                    try expectSuspended(sql: begin) { try queue.write { try $0.addPlayer() } }
                    return .commit
                }
            }
            queue.resume()
            try queue.write { try $0.addPlayer() }
            try queue.close()
        }
    }

    /// Outside of WAL mode, a suspension ends a commit that waits for readers, and releases its locks.
    @Test func waitingToCommit() throws {
        try Store.fileQueue.withWriter { reader in
            let waiting = Signal("waiting")
            let queue = try patientQueue(reader.path, waiting)
            try reader.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN; SELECT * FROM player")
                let worker = Worker {
                    try expectSuspended(sql: "COMMIT TRANSACTION") { try queue.write { try $0.addPlayer() } }
                }
                try waiting.wait()
                queue.suspend()
                try worker.join()
                // The lock is released.
                try db.addPlayer("Bo")
                try db.commit()
            }
            queue.resume()
            #expect(try queue.read { try $0.playerCount() } == 1)
            try queue.close()
        }
    }

    /// A commit by SQL releases its locks as well.
    @Test func waitingToCommitBySQL() throws {
        try Store.fileQueue.withWriter { reader in
            let waiting = Signal("waiting")
            let queue = try patientQueue(reader.path, waiting)
            try reader.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN; SELECT * FROM player")
                let worker = Worker {
                    try queue.inDatabase { db in
                        try db.execute(sql: "BEGIN; INSERT INTO player (name) VALUES ('Anna')")
                        try expectSuspended(sql: "COMMIT") { try db.execute(sql: "COMMIT") }
                        #expect(!db.isInsideTransaction)
                    }
                }
                try waiting.wait()
                queue.suspend()
                try worker.join()
                try db.addPlayer("Bo")
                try db.commit()
            }
            try queue.close()
        }
    }

    @Test func waitingForABackup() throws {
        try Store.fileQueue.withWriter { holder in
            let waiting = Signal("waiting")
            let source = try DatabaseQueue()
            let queue = try patientQueue(holder.path, waiting)
            try holder.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    let worker = Worker { try expectSuspended(sql: nil) { try source.backup(to: queue) } }
                    try waiting.wait()
                    queue.suspend()
                    try worker.join()
                    return .commit
                }
            }
            try queue.close()
        }
    }

    // MARK: Stress

    /// While transfers run and the database is suspended and resumed, the total stays the same, and only the documented
    /// errors occur.
    @Test(arguments: stores)
    func stress(store: Store) throws {
        try store.withWriter { writer in
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER)")
                for id in 1...4 { try db.execute(sql: "INSERT INTO account VALUES (?, 100)", arguments: [id]) }
            }
            let (moves, refusals) = (Box(0), Box(0))
            let end = ContinuousClock.now + .seconds(20)
            // Until both have happened often enough, even on a busy machine.
            let isOpen = { @Sendable in (moves.value < 50 || refusals.value < 50) && ContinuousClock.now < end }
            let switcher = Worker {
                while isOpen() {
                    suspend(writer)
                    Thread.sleep(forTimeInterval: 0.0005)
                    resume(writer)
                    Thread.sleep(forTimeInterval: 0.0005)
                }
            }
            let total = "SELECT SUM(balance) FROM account"
            try onThreads(4) { index in
                while isOpen() {
                    do {
                        if index == 0 {
                            let sum = try writer.read { try Int.fetchOne($0, sql: total) }
                            #expect(sum == 400)
                        } else {
                            try writer.write { db in
                                try db.execute(
                                    sql: "UPDATE account SET balance = balance - 1 WHERE id = ?", arguments: [index])
                                try db.execute(sql: "UPDATE account SET balance = balance + 1 WHERE id = 4")
                            }
                            moves.increment()
                        }
                    } catch DatabaseError.SQLITE_ABORT, DatabaseError.SQLITE_INTERRUPT {
                        refusals.increment()
                    }
                }
            }
            try switcher.join()
            resume(writer)
            #expect(moves.value >= 50 && refusals.value >= 50)
            let (sum, last) = try writer.read { db in
                (
                    try Int.fetchOne(db, sql: total),
                    try Int.fetchOne(db, sql: "SELECT balance FROM account WHERE id = 4")
                )
            }
            #expect(sum == 400)
            #expect(last == 100 + moves.value)
        }
    }

    // MARK: The checkpoint of a commit

    /// `COMMIT` is allowed, but the automatic checkpoint after it isn't, because it would lock the file for as long as
    /// the disk takes.
    @Test(arguments: [Store.walQueue, .pool], [true, false])
    func noCheckpointRunsByItself(store: Store, hasHook: Bool) throws {
        let commits = Box(0)
        let configuration = Configuration.tested {
            $0.automaticCheckpoint = .frames(1)
            $0.prepareDatabase { db in
                if hasHook && !db.configuration.readonly { try db.onWALCommit { _, _ in commits.increment() } }
            }
        }
        try store.withWriter(configuration) { writer in
            func frames() throws -> (Int, Int) {
                let report = try (writer as? DatabasePool)?.walReport() ?? (writer as! DatabaseQueue).walReport()
                return (report.frameCount, report.checkpointedFrameCount)
            }
            #expect(try frames().0 == frames().1)
            commits.value = 0
            try writer.write { db in
                try db.addPlayer()
                writer.suspend()
            }
            let (count, checkpointedCount) = try frames()
            #expect(count > 0 && checkpointedCount < count)
            writer.resume()
            #expect(try frames().1 == checkpointedCount)
            try writer.write { try $0.addPlayer() }
            #expect(try frames().0 == frames().1)
            #expect(commits.value == (hasHook ? 2 : 0))
            // SQLite's own setting is unchanged.
            try writer.writeWithoutTransaction { db in
                #expect(db.automaticCheckpoint == .frames(1))
                let number = try Int.fetchOne(db, sql: "PRAGMA wal_autocheckpoint")
                #expect(hasHook || number == 1)
            }
        }
    }
}
