import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// Observers that use the connection during a change: it throws `SQLITE_MISUSE`, and stays usable.
struct ObserverMisuseTests {
    /// The calls in which an observer must not use the connection.
    enum Moment: CaseIterable { case observes, willChange, didChange, willCommit }

    /// The ways in which an observer tries to use the connection.
    static var uses: KeyValuePairs<String, (Database) throws -> Void> {
        [
            "read": { _ = try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") },
            "insert": { try $0.execute(sql: "INSERT INTO player (name) VALUES ('more')") },
            "update": { try $0.execute(sql: "UPDATE player SET name = 'other'") },
            "delete": { try $0.execute(sql: "DELETE FROM player") },
            "alter": { try $0.execute(sql: "ALTER TABLE player ADD COLUMN z") },
            "create": { try $0.execute(sql: "CREATE TABLE more (a)") },
            "drop": { try $0.execute(sql: "DROP TABLE team") },
            "vacuum": { try $0.execute(sql: "VACUUM") },
            "begin": { try $0.beginTransaction() },
            "commit": { try $0.commit() },
            "rollback": { try $0.rollback() },
            "savepoint": { try $0.inSavepoint { .commit } },
            "compile": { _ = try $0.makeStatement(sql: "SELECT * FROM player") },
            "schema": { _ = try $0.columns(in: "team") },
            "pragma": { try $0.execute(sql: "PRAGMA foreign_keys = 0") },
            "blob": { _ = try $0.openBlob(table: "player", column: "name", rowID: 1) },
            "session": { _ = try $0.makeSession() },
            "checkpoint": { _ = try $0.checkpoint() },
        ]
    }

    private static let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score);
        CREATE INDEX player_name ON player (name);
        CREATE INDEX player_score ON player (score);
        CREATE TABLE team (id INTEGER PRIMARY KEY);
        INSERT INTO player VALUES (1, 'Anna', 1), (2, 'Bo', 2), (3, 'Cleo', 3);
        """

    @Test(arguments: Moment.allCases, uses.map(\.key))
    func theConnection(_ moment: Moment, _ use: String) throws {
        let body = try #require(Self.uses.first { $0.key == use }).value
        try DatabaseKind.file.run { db in
            try db.execute(sql: Self.schema)
            let observer = ActingObserver(moment) { _ = expectFailure(.SQLITE_MISUSE) { try body(db) } }
            db.add(transactionObserver: observer)
            try db.execute(sql: "UPDATE player SET name = name || '!', score = -score")
            #expect(observer.count > 0)
            db.remove(transactionObserver: observer)
            #expect(
                try String.fetchAll(db, sql: "SELECT name || score FROM player ORDER BY id") == [
                    "Anna!-1", "Bo!-2", "Cleo!-3",
                ])
            try #expect(String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
        }
    }

    /// For observers, it makes no difference that a transaction without changes ends without SQLite's hook, and that a
    /// savepoint sends its events when it is released.
    @Test(arguments: [
        (Moment.willCommit, "BEGIN; SELECT * FROM player; COMMIT"),
        (.willChange, "SAVEPOINT s; DELETE FROM player; RELEASE s"),
        (.didChange, "BEGIN; SAVEPOINT s; DELETE FROM player; RELEASE s; COMMIT"),
        (.willCommit, "BEGIN; DELETE FROM player; COMMIT"),
        (.observes, "DELETE FROM player"),
    ])
    func otherWays(_ moment: Moment, _ sql: String) throws {
        try DatabaseKind.file.run { db in
            try db.execute(sql: Self.schema)
            let observer = ActingObserver(moment) {
                _ = expectFailure(.SQLITE_MISUSE) { _ = try Int.fetchOne(db, sql: "SELECT 1") }
            }
            db.add(transactionObserver: observer)
            try db.execute(sql: sql)
            #expect(observer.count > 0)
        }
    }

    @Test(arguments: Moment.allCases)
    func aCursorUnderWay(_ moment: Moment) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            let cursor = try Int.fetchCursor(db, sql: "SELECT score FROM player ORDER BY +id")
            #expect(try cursor.next() == 1)
            let observer = ActingObserver(moment) { _ = expectFailure(.SQLITE_MISUSE) { _ = try cursor.next() } }
            db.add(transactionObserver: observer)
            try db.execute(sql: "UPDATE player SET name = 'x' WHERE id = 1")
            #expect(observer.count > 0)
            #expect(try cursor.next() == 2)
            #expect(try cursor.next() == 3)
        }
    }

    @Test(arguments: Moment.allCases)
    func theStatementUnderWay(_ moment: Moment) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            let statement = try db.makeStatement(sql: "UPDATE player SET name = 'x' WHERE id = ?")
            let observer = ActingObserver(moment) {
                _ = expectFailure(.SQLITE_MISUSE) { try statement.execute(arguments: [2]) }
            }
            db.add(transactionObserver: observer)
            try statement.execute(arguments: [1])
            #expect(try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id") == ["x", "Bo", "Cleo"])
        }
    }

    // MARK: Allowed calls

    @Test func whatTheConnectionKnowsByItself() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            var lines: [String] = []
            let observer = ActingObserver(.didChange) {
                lines.append("\(db.isInsideTransaction) \(db.lastInsertedRowID)")
            }
            db.add(transactionObserver: observer)
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO player VALUES (7, 'Dora', 4)")
                try db.execute(sql: "INSERT INTO player VALUES (8, 'Emil', 5)")
                return .commit
            }
            #expect(lines.count == 2)
            #expect(lines.allSatisfy { $0.hasPrefix("true ") })
        }
    }

    @Test func copiesOfEvents() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            let log = EventLog()
            db.add(transactionObserver: log)
            try db.execute(sql: "UPDATE player SET name = 'x' WHERE id = 1")
            try db.execute(sql: "ALTER TABLE player ADD COLUMN z")
            #expect(log.events.map(\.line).first == "update player(1)")
            #expect(log.preUpdateEvents.map(\.line).first == #"update player(1): [1, "Anna", 1] -> [1, "x", 1]"#)
        }
    }

    @Test func stoppingUntilTheNextTransaction() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            let log = EventLog()
            log.onChange = { log, _ in log.stopObservingDatabaseChangesUntilNextTransaction() }
            db.add(transactionObserver: log)
            try db.execute(sql: "UPDATE player SET name = 'x'; UPDATE player SET name = 'y'")
            #expect(
                log.take() == [
                    "update player(1)", "willCommit", "didCommit", "update player(1)", "willCommit", "didCommit",
                ])
        }
    }

    /// Observers and functions can be added and removed at any time.
    @Test(arguments: Moment.allCases)
    func observersThatComeAndGo(_ moment: Moment) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            let other = EventLog()
            weak var weakObserver: ActingObserver?
            let observer = ActingObserver(moment) {
                db.add(transactionObserver: other)
                if let weakObserver { db.remove(transactionObserver: weakObserver) }
                db.remove(function: DatabaseFunction("unknown") { (x: Int) in x })
            }
            weakObserver = observer
            db.add(transactionObserver: observer)
            try db.execute(sql: "UPDATE player SET name = 'x'")
            #expect(observer.count > 0)
            _ = other.take()
            try db.execute(sql: "DELETE FROM player WHERE id = 1")
            #expect(Set(other.take()) == ["delete player(1)", "willCommit", "didCommit"])
        }
    }
}

/// An observer that runs an action in one of its methods.
final class ActingObserver: TransactionObserver {
    private let moment: ObserverMisuseTests.Moment
    private let action: () -> Void
    private(set) var count = 0

    init(_ moment: ObserverMisuseTests.Moment, _ action: @escaping () -> Void) {
        self.moment = moment
        self.action = action
    }

    private func act(at moment: ObserverMisuseTests.Moment) {
        guard moment == self.moment else { return }
        count += 1
        action()
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        act(at: .observes)
        return true
    }

    func databaseWillChange(with event: DatabasePreUpdateEvent) { act(at: .willChange) }

    func databaseDidChange(with event: DatabaseEvent) { act(at: .didChange) }

    func databaseWillCommit() throws { act(at: .willCommit) }

    func databaseDidCommit(_ db: Database) {}

    func databaseDidRollback(_ db: Database) {}
}
