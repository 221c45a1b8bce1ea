import Amalgam
import TestSupport
import Testing

/// The lifetimes of observers.
struct ObservationExtentTests {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try makeQueue(playerSchema)
    }

    private func insert(_ id: Int) throws {
        try dbQueue.inDatabase { try $0.execute(sql: "INSERT INTO player VALUES (\(id), '')") }
    }

    /// An observer whose lines outlive it.
    private func makeLog(_ lines: Lines) -> EventLog {
        let log = EventLog()
        log.onChange = { _, event in lines.append(event.line) }
        log.onCommit = { _, _ in lines.append("didCommit") }
        log.onRollback = { _, _ in lines.append("didRollback") }
        return log
    }

    @Test func anObserverIsNotRetainedByDefault() throws {
        let lines = Lines()
        weak var weakLog: EventLog?
        do {
            let log = makeLog(lines)
            weakLog = log
            dbQueue.add(transactionObserver: log)
            try insert(1)
            #expect(lines.take() == ["insert player(1)", "didCommit"])
        }
        #expect(weakLog == nil)
        try insert(2)
        #expect(lines.take() == [])
    }

    @Test func observerLifetime() throws {
        let lines = Lines()
        do {
            let log = makeLog(lines)
            dbQueue.add(transactionObserver: log, extent: .observerLifetime)
            try dbQueue.inTransaction { _ in .rollback }
            try insert(1)
            #expect(lines.take() == ["didRollback", "insert player(1)", "didCommit"])
            withExtendedLifetime(log) {}
        }
        try insert(2)
        #expect(lines.take() == [])
    }

    @Test func databaseLifetime() throws {
        let lines = Lines()
        weak var weakLog: EventLog?
        do {
            let log = makeLog(lines)
            weakLog = log
            dbQueue.add(transactionObserver: log, extent: .databaseLifetime)
        }
        try insert(1)
        try insert(2)
        #expect(lines.take() == ["insert player(1)", "didCommit", "insert player(2)", "didCommit"])
        #expect(weakLog != nil)
        try dbQueue.close()
        #expect(weakLog == nil)
    }

    @Test(arguments: [Database.TransactionCompletion.commit, .rollback])
    func nextTransaction(completion: Database.TransactionCompletion) throws {
        let lines = Lines()
        weak var weakLog: EventLog?
        do {
            let log = makeLog(lines)
            weakLog = log
            dbQueue.add(transactionObserver: log, extent: .nextTransaction)
        }
        #expect(weakLog != nil)
        try dbQueue.inTransaction { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, '')")
            return completion
        }
        #expect(lines.take() == ["insert player(1)", completion == .commit ? "didCommit" : "didRollback"])
        #expect(weakLog == nil)
        try insert(2)
        #expect(lines.take() == [])
    }

    @Test func nextTransactionIsTheCurrentOne() throws {
        let log = EventLog()
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, '')")
            db.add(transactionObserver: log, extent: .nextTransaction)
            try db.execute(sql: "INSERT INTO player VALUES (2, '')")
        }
        #expect(log.take() == ["insert player(2)", "willCommit", "didCommit"])
        try insert(3)
        #expect(log.take() == [])
    }

    @Test func readsAreNotTheNextTransaction() throws {
        let log = EventLog()
        dbQueue.add(transactionObserver: log, extent: .nextTransaction)
        try dbQueue.read { _ = try $0.integer("SELECT COUNT(*) FROM player") }
        #expect(log.take() == [])
        try insert(1)
        #expect(log.take() == ["insert player(1)", "willCommit", "didCommit"])
    }

    @Test func removedObserversHearNothing() throws {
        let log = EventLog()
        dbQueue.add(transactionObserver: log, extent: .databaseLifetime)
        dbQueue.remove(transactionObserver: log)
        try insert(1)
        #expect(log.take() == [])
        dbQueue.remove(transactionObserver: log)
        dbQueue.add(transactionObserver: log)
        try insert(2)
        #expect(log.take() == ["insert player(2)", "willCommit", "didCommit"])
    }

    @Test func removalInTheMiddleOfATransaction() throws {
        let log = EventLog()
        dbQueue.add(transactionObserver: log)
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, '')")
            db.remove(transactionObserver: log)
            try db.execute(sql: "INSERT INTO player VALUES (2, '')")
        }
        #expect(log.take() == ["insert player(1)"])
    }

    @Test func removalInsideASavepointDropsPendingEvents() throws {
        let log = EventLog()
        dbQueue.add(transactionObserver: log)
        try dbQueue.write { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO player VALUES (1, '')")
                db.remove(transactionObserver: log)
                return .commit
            }
        }
        #expect(log.take() == [])
    }

    @Test func anObserverMayRemoveItselfAndOthersWhileItIsTold() throws {
        let other = EventLog()
        let log = EventLog()
        log.onCommit = { [unowned other] log, db in
            db.remove(transactionObserver: log)
            db.remove(transactionObserver: other)
        }
        dbQueue.add(transactionObserver: log)
        dbQueue.add(transactionObserver: other)
        try insert(1)
        #expect(log.take() == ["insert player(1)", "willCommit", "didCommit"])
        _ = other.take()
        try insert(2)
        #expect(log.take() == [])
        #expect(other.take() == [])
    }

    @Test func anObserverMayAddOthersWhileItIsTold() throws {
        let other = EventLog()
        let log = EventLog()
        log.onCommit = { log, db in
            log.onCommit = { _, _ in }
            db.add(transactionObserver: other)
        }
        dbQueue.add(transactionObserver: log)
        try insert(1)
        #expect(other.take() == [])
        try insert(2)
        #expect(other.take() == ["insert player(2)", "willCommit", "didCommit"])
    }

    @Test func readOnlyConnectionsHaveNoObserver() throws {
        let folder = Folder()
        try DatabaseQueue(path: folder.path("db.sqlite")).write { try $0.execute(sql: playerSchema) }
        var configuration = Configuration()
        configuration.readonly = true
        let dbQueue = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: configuration)
        weak var weakLog: EventLog?
        do {
            let log = EventLog()
            weakLog = log
            dbQueue.add(transactionObserver: log, extent: .databaseLifetime)
            try dbQueue.inDatabase { db in try db.inTransaction { .commit } }
            #expect(log.take() == [])
        }
        #expect(weakLog == nil)
    }
}
