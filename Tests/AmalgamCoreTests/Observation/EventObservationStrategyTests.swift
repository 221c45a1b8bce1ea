import Amalgam
import AmalgamCore
import CAmalgam
import TestSupport
import Testing

/// An observer that receives all row events, and isn't asked for kinds.
private final class AllEvents: TransactionObserver {
    private(set) var lines: [String] = []
    private(set) var strategyReads = 0

    /// Called with each event.
    var onEvent: (AllEvents) -> Void = { _ in }

    var databaseEventObservationStrategy: DatabaseEventObservationStrategy {
        strategyReads += 1
        var strategy = DatabaseEventObservationStrategy.default
        strategy.requiresDatabaseEventKind = false
        return strategy
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        Issue.record("the observer is asked about \(eventKind)")
        return false
    }

    func databaseDidChange(with event: DatabaseEvent) {
        lines.append("\(event.kind) \(event.tableName)(\(event.rowID))")
        onEvent(self)
    }

    func databaseDidChange() { lines.append("change without rows") }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}

    func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}

/// Observers that receive every change, whatever its cause.
@Suite("Observers of all events")
struct EventObservationStrategyTests {
    private static let schema = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a);
        CREATE TABLE log (id INTEGER PRIMARY KEY, a);
        """

    private let observer = AllEvents()

    private func run(_ body: (Database) throws -> Void) throws {
        try makeQueue(Self.schema).inDatabase { db in
            db.add(transactionObserver: observer)
            try body(db)
        }
    }

    /// Adds an SQL function whose C code inserts a row into the log.
    private func addLoggingFunction(_ db: Database) {
        nonisolated(unsafe) let connection = db.sqliteConnection
        db.add(
            function: DatabaseFunction("logged", argumentCount: 1) { arguments in
                sqlite3_exec(connection, "INSERT INTO log (a) VALUES ('logged')", nil, nil, nil)
                return arguments[0]
            })
    }

    @Test("By default, an observer is asked about the kinds of events")
    func theDefault() throws {
        #expect(DatabaseEventObservationStrategy.default.requiresDatabaseEventKind)
        #expect(EventLog().databaseEventObservationStrategy.requiresDatabaseEventKind)
        #expect(!observer.databaseEventObservationStrategy.requiresDatabaseEventKind)
    }

    @Test("The strategy is read once, when the observer is added")
    func readOnce() throws {
        try run { db in
            for _ in 1...3 { try db.execute(sql: "INSERT INTO t (a) VALUES (1)") }
            #expect(observer.strategyReads == 1)
            #expect(observer.take() == ["insert t(1)", "insert t(2)", "insert t(3)"])
        }
    }

    @Test("Statements, triggers and foreign keys")
    func statements() throws {
        try run { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log (a) VALUES (new.a); END;
                    CREATE TABLE child (id INTEGER PRIMARY KEY, t REFERENCES t ON DELETE CASCADE);
                    """)
            #expect(observer.take() == [])
            try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
            try db.execute(sql: "INSERT INTO child VALUES (5, 1)")
            try db.execute(sql: "UPDATE t SET a = 'y'")
            try db.execute(sql: "DELETE FROM t WHERE id = 1")
            #expect(
                observer.take() == [
                    "insert t(1)", "insert log(1)", "insert child(5)", "update t(1)", "delete t(1)", "delete child(5)",
                ])
        }
    }

    @Test("C code that runs statements")
    func cCode() throws {
        try run { db in
            let sql =
                "INSERT INTO t VALUES (1, 'x'); UPDATE t SET a = 'y'; REPLACE INTO t VALUES (1, 'z'); DELETE FROM t"
            #expect(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK)
            #expect(
                observer.take() == ["insert t(1)", "update t(1)", "delete t(1)", "insert t(1)", "delete t(1)"])
        }
    }

    @Test("SQL functions that run statements, in reads and in writes")
    func functions() throws {
        try run { db in
            addLoggingFunction(db)
            #expect(try Int.fetchOne(db, sql: "SELECT logged(1)") == 1)
            #expect(observer.take() == ["insert log(1)"])
            try db.execute(sql: "INSERT INTO t VALUES (7, logged('x'))")
            #expect(observer.take() == ["insert log(2)", "insert t(7)"])
            try db.execute(sql: "UPDATE t SET a = logged(a) WHERE id = 7")
            #expect(observer.take() == ["insert log(3)", "update t(7)"])
            // The statement itself changes no row.
            try db.execute(sql: "DELETE FROM t WHERE id > 100 OR logged(0)")
            #expect(observer.take() == ["insert log(4)"])
        }
    }

    @Test("SQL functions in writes that no other observer is interested in")
    func functionsNextToOtherObservers() throws {
        try run { db in
            let indifferent = EventLog { _ in false }
            db.add(transactionObserver: indifferent)
            addLoggingFunction(db)
            try db.inTransaction {
                // The second run of a statement in a transaction is known to be uninteresting.
                for id in 1...2 { try db.execute(sql: "INSERT INTO t VALUES (?, logged('x'))", arguments: [id]) }
                return .commit
            }
            #expect(observer.take() == ["insert log(1)", "insert t(1)", "insert log(2)", "insert t(2)"])
            #expect(!indifferent.take().contains { $0.hasPrefix("insert") })
        }
    }

    @Test("Each row of a DELETE without WHERE, also of a statement compiled before")
    func truncateOptimization() throws {
        try makeQueue(Self.schema).inDatabase { db in
            try db.execute(sql: "INSERT INTO t (a) VALUES (1), (2)")
            let deletion = try db.makeStatement(sql: "DELETE FROM t")
            db.add(transactionObserver: observer)
            try deletion.execute()
            #expect(observer.take() == ["delete t(1)", "delete t(2)"])
        }
    }

    @Test("Savepoints hold events back, and virtual tables report changes without rows")
    func savepointsAndVirtualTables() throws {
        try run { db in
            try db.execute(sql: "SAVEPOINT s; INSERT INTO t VALUES (1, 'x')")
            #expect(observer.take() == [])
            try db.execute(sql: "RELEASE s")
            #expect(observer.take() == ["insert t(1)"])
            try db.execute(sql: "SAVEPOINT s; INSERT INTO t VALUES (2, 'x'); ROLLBACK TO s; RELEASE s")
            #expect(observer.take() == [])
            try db.execute(sql: "CREATE VIRTUAL TABLE ft USING fts5(text)")
            _ = observer.take()
            try db.execute(sql: "INSERT INTO ft VALUES ('word')")
            #expect(observer.take() == ["change without rows"])
        }
    }

    @Test("Until the observer stops observing the transaction")
    func stopping() throws {
        try run { db in
            observer.onEvent = { $0.stopObservingDatabaseChangesUntilNextTransaction() }
            try db.execute(sql: "INSERT INTO t (a) VALUES (1), (2)")
            try db.execute(sql: "INSERT INTO t (a) VALUES (3)")
            #expect(observer.take() == ["insert t(1)", "insert t(3)"])
        }
    }
}
