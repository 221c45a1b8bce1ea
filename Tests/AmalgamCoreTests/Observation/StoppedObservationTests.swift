import Amalgam
import TestSupport
import Testing

/// Observers that call `stopObservingDatabaseChangesUntilNextTransaction` receive no further row events of the
/// transaction.
struct StoppedObservationTests {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try makeQueue(playerSchema)
    }

    private func insert(_ id: Int) throws {
        try dbQueue.inDatabase { try $0.execute(sql: "INSERT INTO player VALUES (\(id), '')") }
    }

    @Test func anObserverMayHaveSeenEnough() throws {
        let log = EventLog()
        log.onChange = { log, _ in log.stopObservingDatabaseChangesUntilNextTransaction() }
        let other = EventLog()
        dbQueue.add(transactionObserver: log)
        dbQueue.add(transactionObserver: other)
        for id in [1, 3] {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO player VALUES (\(id), ''), (\(id + 1), '')")
                try db.execute(sql: "UPDATE player SET name = 'x' WHERE id = \(id)")
            }
            #expect(log.take() == ["insert player(\(id))", "willCommit", "didCommit"])
            #expect(other.take().count == 5)
        }
    }

    @Test func anObserverThatHasSeenEnoughIsNotAsked() throws {
        let log = EventLog()
        log.onChange = { log, _ in log.stopObservingDatabaseChangesUntilNextTransaction() }
        dbQueue.add(transactionObserver: log)
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, '')")
            _ = log.takeAsked()
            try db.execute(sql: "UPDATE player SET name = 'x'")
            #expect(log.takeAsked() == [])
        }
    }

    @Test func aRollbackBringsEventsBack() throws {
        let log = EventLog()
        log.onChange = { log, _ in log.stopObservingDatabaseChangesUntilNextTransaction() }
        dbQueue.add(transactionObserver: log)
        try dbQueue.inTransaction { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, ''), (2, '')")
            return .rollback
        }
        try insert(1)
        #expect(log.take() == ["insert player(1)", "didRollback", "insert player(1)", "willCommit", "didCommit"])
    }

    @Test func stoppingBeforeTheChangeSkipsTheChange() throws {
        final class Early: TransactionObserver {
            var lines: [String] = []
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseWillChange(with event: DatabasePreUpdateEvent) {
                lines.append("will")
                stopObservingDatabaseChangesUntilNextTransaction()
            }
            func databaseDidChange(with event: DatabaseEvent) { lines.append("did") }
            func databaseDidCommit(_ db: Database) { lines.append("commit") }
            func databaseDidRollback(_ db: Database) {}
        }
        let observer = Early()
        dbQueue.add(transactionObserver: observer)
        try insert(1)
        try insert(2)
        #expect(observer.lines == ["will", "commit", "will", "commit"])
    }

    @Test func stoppingElsewhereHasNoEffect() throws {
        let log = EventLog()
        dbQueue.add(transactionObserver: log)
        log.stopObservingDatabaseChangesUntilNextTransaction()
        log.onCommit = { log, _ in log.stopObservingDatabaseChangesUntilNextTransaction() }
        try insert(1)
        try insert(2)
        #expect(
            log.take() == [
                "insert player(1)", "willCommit", "didCommit", "insert player(2)", "willCommit", "didCommit",
            ])
    }

    @Test func stoppingInsideASavepoint() throws {
        let log = EventLog()
        log.onChange = { log, _ in log.stopObservingDatabaseChangesUntilNextTransaction() }
        dbQueue.add(transactionObserver: log)
        try dbQueue.write { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO player VALUES (1, ''), (2, '')")
                return .commit
            }
            try db.execute(sql: "INSERT INTO player VALUES (3, '')")
        }
        #expect(log.take() == ["insert player(1)", "willCommit", "didCommit"])
    }
}
