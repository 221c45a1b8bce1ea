import Amalgam
import Foundation
import TestSupport
import Testing

/// The guarantees of all writers.
@Suite(.watchdog)
struct DatabaseWriterTests {
    // MARK: Transactions

    @Test(arguments: Store.allCases)
    func writesAreTransactions(store: Store) throws {
        let log = Log<String>()
        try store.withWriter(.traced(log)) { writer in
            _ = log.take()
            let count = try writer.write { db in
                try db.addPlayer()
                return db.changesCount
            }
            #expect(count == 1)
            #expect(
                log.take() == [
                    "BEGIN IMMEDIATE TRANSACTION", "INSERT INTO player (name) VALUES (?)", "COMMIT TRANSACTION",
                ])
            #expect(try writer.read { try $0.playerCount() } == 1)
            #expect(
                log.take().suffix(3) == [
                    "BEGIN DEFERRED TRANSACTION", "SELECT COUNT(*) FROM player", "COMMIT TRANSACTION",
                ])
        }
    }

    @Test(arguments: Store.allCases)
    func errorsUndoWrites(store: Store) async throws {
        try await store.withWriter { writer in
            #expect(throws: Oops(number: 1)) {
                try writer.write { db in
                    try db.addPlayer()
                    throw Oops(number: 1)
                }
            }
            await #expect(throws: Oops(number: 2)) {
                try await writer.write { db in
                    try db.addPlayer()
                    throw Oops(number: 2)
                }
            }
            let error = try databaseError(.SQLITE_ERROR) {
                try writer.write { db in
                    try db.addPlayer()
                    try db.execute(sql: "INSERT INTO missing VALUES (1)")
                }
            }
            #expect(error.message == "no such table: missing")
            #expect(try await writer.read { try $0.playerCount() } == 0)
        }
    }

    @Test(arguments: Store.allCases)
    func writesWithoutTransactionKeepWhatTheyDid(store: Store) async throws {
        try await store.withWriter { writer in
            #expect(throws: Oops()) {
                try writer.writeWithoutTransaction { db in
                    #expect(!db.isInsideTransaction)
                    try db.addPlayer()
                    throw Oops()
                }
            }
            await #expect(throws: Oops()) {
                try await writer.barrierWriteWithoutTransaction { db in
                    #expect(!db.isInsideTransaction)
                    try db.addPlayer()
                    throw Oops()
                }
            }
            let count = try await writer.read { try $0.playerCount() }
            #expect(count == 2)
        }
    }

    @Test(arguments: Store.allCases)
    func aFailedCommitIsUndone(store: Store) throws {
        try store.withWriter { writer in
            try writer.write { db in
                try db.execute(
                    sql: "CREATE TABLE pet (owner INTEGER REFERENCES player(id) DEFERRABLE INITIALLY DEFERRED)")
            }
            let error = try databaseError(.SQLITE_CONSTRAINT) {
                try writer.write { try $0.execute(sql: "INSERT INTO pet VALUES (1)") }
            }
            #expect(error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
            #expect(error.sql == "COMMIT TRANSACTION")
            #expect(writer.writeWithoutTransaction { !$0.isInsideTransaction })
            try writer.write { try $0.addPlayer() }
            #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM pet") } == 0)
        }
    }

    // MARK: Reads

    @Test(arguments: Store.allCases)
    func readsRefuseToWrite(store: Store) async throws {
        try await store.withWriter { writer in
            try await writer.write { try $0.addPlayer() }
            let statements = [
                "INSERT INTO player (name) VALUES ('Bo')", "UPDATE player SET name = 'Bo'", "DELETE FROM player",
                "CREATE TABLE t (a)", "DROP TABLE player", "PRAGMA user_version = 1",
            ]
            for sql in statements {
                let error = try databaseError(.SQLITE_READONLY) {
                    try writer.read { try $0.execute(sql: sql) }
                }
                #expect(error.sql == sql)
                await #expect(throws: DatabaseError.self) { try await writer.read { try $0.execute(sql: sql) } }
                let done = Signal()
                writer.asyncRead { result in
                    #expect(throws: DatabaseError.self) { try result.get().execute(sql: sql) }
                    done.fire()
                }
                try await done.value()
            }
            let names = try await writer.read { try String.fetchAll($0, sql: "SELECT name FROM player") }
            #expect(names == ["Anna"])
            // The writing connection can write again.
            try await writer.write { try $0.addPlayer() }
        }
    }

    @Test(arguments: Store.allCases)
    func errorsOfReadsAreTheirOwn(store: Store) async throws {
        try await store.withWriter { writer in
            #expect(throws: Oops()) { try writer.read { _ in throw Oops() } }
            #expect(throws: Oops()) { try writer.unsafeRead { _ in throw Oops() } }
            #expect(throws: Oops()) { try writer.unsafeReentrantRead { _ in throw Oops() } }
            await #expect(throws: Oops()) { try await writer.read { _ in throw Oops() } }
            await #expect(throws: Oops()) { try await writer.unsafeRead { _ in throw Oops() } }
            let isInside = try await [
                writer.unsafeRead { $0.isInsideTransaction }, writer.read { $0.isInsideTransaction },
            ]
            #expect(isInside == [false, true])
        }
    }

    @Test(arguments: Store.allCases)
    func scheduledReadsGetAConnection(store: Store) async throws {
        try await store.withWriter { writer in
            try await writer.write { try $0.addPlayer() }
            let (read, unsafeRead) = (Signal("read"), Signal("unsafeRead"))
            let log = Log<Int>()
            writer.asyncRead { result in
                #expect((try? result.get().isInsideTransaction) == true)
                log.append((try? result.get().playerCount()) ?? -1)
                read.fire()
            }
            try await read.value()
            writer.asyncUnsafeRead { result in
                #expect((try? result.get().isInsideTransaction) == false)
                log.append((try? result.get().playerCount()) ?? -1)
                unsafeRead.fire()
            }
            try await unsafeRead.value()
            #expect(log.elements == [1, 1])
        }
    }

    // MARK: Reentrancy

    @Test(arguments: Store.allCases)
    func reentrantAccessesUseTheSameConnection(store: Store) throws {
        try store.withWriter { writer in
            try writer.write { db in
                try db.addPlayer()
                writer.unsafeReentrantWrite { #expect($0 === db) }
                try writer.unsafeReentrantWrite { try $0.addPlayer() }
            }
            try writer.read { db in
                try writer.unsafeReentrantRead { inner in
                    #expect(inner === db)
                    let count = try inner.playerCount()
                    #expect(count == 2)
                }
            }
            try writer.unsafeReentrantWrite { try $0.addPlayer() }
            #expect(try writer.unsafeReentrantRead { try $0.playerCount() } == 3)
        }
    }

    @Test(arguments: Store.allCases)
    func readsAreNotReentrant(store: Store) throws {
        try store.withWriter { writer in
            try writer.read { _ in
                let error = try databaseError(.SQLITE_MISUSE) { try writer.read { _ in } }
                #expect(error.message == "Database methods are not reentrant.")
            }
            // The database is usable after the failure.
            #expect(try writer.read { try $0.playerCount() } == 0)
            try writer.write { try $0.addPlayer() }
        }
    }

    @Test(arguments: [Store.memoryQueue, .fileQueue, .pool])
    func barriersAreNotReentrant(store: Store) throws {
        try store.withWriter { writer in
            try writer.write { _ in
                _ = try databaseError(.SQLITE_MISUSE) { try writer.barrierWriteWithoutTransaction { _ in } }
            }
            try writer.read { _ in
                _ = try databaseError(.SQLITE_MISUSE) { try writer.barrierWriteWithoutTransaction { _ in } }
            }
        }
    }

    // MARK: Scheduled writes

    @Test(arguments: Store.allCases)
    func scheduledWritesTellTheirResult(store: Store) async throws {
        try await store.withWriter { writer in
            let log = Log<String>()
            let done = Signal()
            writer.asyncWrite { db in
                try db.addPlayer()
                return "Anna"
            } completion: { db, result in
                #expect(!db.isInsideTransaction)
                log.append("\((try? result.get()) ?? "?") \((try? db.playerCount()) ?? -1)")
            }
            writer.asyncWrite { db in
                try db.addPlayer()
                throw Oops(number: 3)
            } completion: { db, result in
                #expect(!db.isInsideTransaction)
                #expect(throws: Oops(number: 3)) { try result.get() }
                log.append("failed \((try? db.playerCount()) ?? -1)")
            }
            writer.asyncWriteWithoutTransaction { db in
                #expect(!db.isInsideTransaction)
                log.append("without transaction")
            }
            writer.asyncBarrierWriteWithoutTransaction { result in
                #expect((try? result.get().isInsideTransaction) == false)
                log.append("barrier")
                done.fire()
            }
            try await done.value()
            #expect(log.elements == ["Anna 1", "failed 1", "without transaction", "barrier"])
        }
    }

    @Test(arguments: Store.allCases)
    func writesOfManyThreadsRunOneAfterTheOther(store: Store) throws {
        try store.withWriter { writer in
            let inside = Box(0)
            try onThreads(8) { _ in
                for _ in 0..<25 {
                    try writer.write { db in
                        #expect(inside.increment() == 1)
                        let count = try db.playerCount()
                        try db.addPlayer()
                        #expect(try db.playerCount() == count + 1)
                        inside.decrement()
                    }
                    _ = try writer.read { try $0.playerCount() }
                }
            }
            #expect(try writer.read { try $0.playerCount() } == 200)
        }
    }

    @Test(arguments: Store.allCases)
    func tasksWriteAndRead(store: Store) async throws {
        try await store.withWriter { writer in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask { try await writer.write { try $0.addPlayer() } }
                    group.addTask { _ = try await writer.read { try $0.playerCount() } }
                    group.addTask { _ = try await writer.unsafeRead { try $0.playerCount() } }
                    group.addTask { try await writer.writeWithoutTransaction { try $0.addPlayer() } }
                    group.addTask { try await writer.barrierWriteWithoutTransaction { try $0.addPlayer() } }
                }
                try await group.waitForAll()
            }
            #expect(try await writer.read { try $0.playerCount() } == 150)
        }
    }

    // MARK: Observers

    final class Observer: TransactionObserver {
        let log: Log<String>

        init(_ log: Log<String>) {
            self.log = log
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) { log.append("\(event.kind) \(event.rowID)") }
        func databaseDidCommit(_ db: Database) { log.append("commit \((try? db.playerCount()) ?? -1)") }
        func databaseDidRollback(_ db: Database) { log.append("rollback \((try? db.playerCount()) ?? -1)") }
    }

    @Test(arguments: Store.allCases)
    func observersAreAddedAndRemoved(store: Store) throws {
        let log = Log<String>()
        try store.withWriter { writer in
            let observer = Observer(log)
            writer.add(transactionObserver: observer)
            try writer.write { try $0.addPlayer() }
            #expect(log.take() == ["insert 1", "commit 1"])
            try? writer.write { db in
                try db.addPlayer()
                throw Oops()
            }
            #expect(log.take() == ["insert 2", "rollback 1"])
            _ = try writer.read { try $0.playerCount() }
            #expect(log.take() == [])
            writer.remove(transactionObserver: observer)
            try writer.write { try $0.addPlayer() }
            #expect(log.take() == [])
        }
    }

    @Test(arguments: Store.allCases)
    func observersAreKeptAsLongAsAsked(store: Store) throws {
        let log = Log<String>()
        try store.withWriter { writer in
            writer.add(transactionObserver: Observer(log))
            try writer.write { try $0.addPlayer() }
            #expect(log.take() == [])
            writer.add(transactionObserver: Observer(log), extent: .nextTransaction)
            try writer.write { try $0.addPlayer() }
            #expect(log.take() == ["insert 2", "commit 2"])
            try writer.write { try $0.addPlayer() }
            #expect(log.take() == [])
            writer.add(transactionObserver: Observer(log), extent: .databaseLifetime)
            try writer.write { try $0.addPlayer() }
            try writer.write { try $0.addPlayer() }
            #expect(log.take() == ["insert 4", "commit 4", "insert 5", "commit 5"])
            // Inside an access.
            try writer.write { db in
                writer.add(transactionObserver: Observer(log), extent: .nextTransaction)
                try db.addPlayer()
            }
            #expect(log.take() == ["insert 6", "insert 6", "commit 6", "commit 6"])
        }
    }

    // MARK: Interruption

    @Test(arguments: Store.allCases)
    func interruptionStopsStatements(store: Store) throws {
        try store.withWriter { writer in
            let started = Signal()
            let worker = Worker {
                try writer.write { db in
                    try db.addPlayer()
                    started.fire()
                    try db.runForever()
                }
            }
            try started.wait()
            let ended = Signal()
            let waiter = Worker {
                defer { ended.fire() }
                try worker.join()
            }
            // The statement may not have begun yet.
            while !ended.hasFired { writer.interrupt() }
            try databaseError(.SQLITE_INTERRUPT) { try waiter.join() }
            #expect(try writer.read { try $0.playerCount() } == 0)
            try writer.write { try $0.addPlayer() }
        }
    }

    @Test(arguments: Store.allCases)
    func interruptionOfNothingHasNoEffect(store: Store) throws {
        try store.withWriter { writer in
            writer.interrupt()
            try writer.write { db in
                writer.interrupt()
                try db.addPlayer()
                writer.interrupt()
            }
            #expect(
                try writer.read { db in
                    writer.interrupt()
                    return try db.playerCount()
                } == 1)
        }
    }

    @Test(arguments: Store.allCases)
    func anInterruptedRollbackSucceeds(store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(content)") }
            try writer.writeWithoutTransaction { db in
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO document VALUES ('hello')")
                    writer.interrupt()
                    return .rollback
                }
            }
            let count = try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM document") }
            #expect(count == 0)
        }
    }

    @Test(arguments: Store.allCases)
    func anInterruptedCommitLeavesNothingInterrupted(store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(content)") }
            var isCommitted = true
            do {
                try writer.write { db in
                    try db.execute(sql: "INSERT INTO document VALUES ('hello')")
                    writer.interrupt()
                }
            } catch DatabaseError.SQLITE_INTERRUPT {
                isCommitted = false
            }
            let count = try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM document") }
            #expect(count == (isCommitted ? 1 : 0))
            try writer.write { try $0.execute(sql: "INSERT INTO document VALUES ('world')") }
        }
    }

    @Test(arguments: Store.allCases)
    func aTransactionThatInterruptionEndedIsAborted(store: Store) throws {
        try store.withWriter { writer in
            let error = try databaseError(.SQLITE_ABORT) {
                try writer.write { db in
                    try db.addPlayer()
                    // A statement that writes is interrupted by its own row events.
                    db.add(transactionObserver: Interrupter(writer), extent: .nextTransaction)
                    try databaseError(.SQLITE_INTERRUPT) {
                        try db.execute(
                            sql: """
                                WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n LIMIT 1000000)
                                INSERT INTO player (name) SELECT x FROM n
                                """)
                    }
                    #expect(!db.isInsideTransaction)
                    let error = try databaseError(.SQLITE_ABORT) { try db.addPlayer("lost") }
                    #expect(error.message == "Transaction was aborted")
                    #expect(error.sql == "INSERT INTO player (name) VALUES (?)")
                }
            }
            #expect(error.message == "Transaction was aborted")
            #expect(try writer.read { try $0.playerCount() } == 0)
        }
    }

    final class Interrupter: TransactionObserver {
        let writer: any DatabaseWriter

        init(_ writer: any DatabaseWriter) {
            self.writer = writer
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) { writer.interrupt() }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    // MARK: Closing

    @Test(arguments: Store.allCases)
    func aClosedDatabaseRefusesAccesses(store: Store) async throws {
        try await store.withWriter { writer in
            try await writer.write { try $0.addPlayer() }
            _ = try await writer.read { try $0.playerCount() }
            try await writer.writeWithoutTransaction { _ = try $0.cachedStatement(sql: "SELECT * FROM player") }
            try await writer.read { _ = try $0.cachedStatement(sql: "SELECT * FROM player") }
            try writer.close()
            try databaseError(.SQLITE_MISUSE) { try writer.read { try $0.playerCount() } }
            try databaseError(.SQLITE_MISUSE) { try writer.read { _ in } }
            try databaseError(.SQLITE_MISUSE) { try writer.write { try $0.addPlayer() } }
            try databaseError(.SQLITE_MISUSE) { try writer.write { _ in } }
            try databaseError(.SQLITE_MISUSE) { try writer.unsafeRead { try $0.playerCount() } }
            try databaseError(.SQLITE_MISUSE) { try writer.writeWithoutTransaction { try $0.addPlayer() } }
            try databaseError(.SQLITE_MISUSE) { try writer.barrierWriteWithoutTransaction { try $0.addPlayer() } }
            await #expect(throws: DatabaseError.self) { try await writer.read { try $0.playerCount() } }
            await #expect(throws: DatabaseError.self) { try await writer.write { try $0.addPlayer() } }
            let (read, written) = (Signal("read"), Signal("written"))
            writer.asyncRead { result in
                #expect(throws: DatabaseError.self) { try result.get() }
                read.fire()
            }
            try await read.value()
            writer.asyncWrite {
                try $0.addPlayer()
            } completion: { _, result in
                #expect(throws: DatabaseError.self) { try result.get() }
                written.fire()
            }
            try await written.value()
            writer.interrupt()
            try writer.close()
        }
    }
}
