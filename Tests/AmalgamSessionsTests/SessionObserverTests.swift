import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// Sessions together with transaction observers: SQLite has one pre-update slot per connection, and takes any pointer
/// in it for a session.
@Suite struct SessionObserverTests {
    /// Listeners that can be added to a connection, and removed.
    private enum Listener {
        case session(Session)
        case observer(EventLog)
    }

    /// Two sessions and two observers are added in all orders, and removed in several orders. Without a common
    /// dispatcher, SQLite would use an observer as a session.
    @Test func everyOrder() throws {
        let orders = permutations([0, 1, 2, 3])
        try withDatabase { db in
            try db.createPeople()
            for (number, adding) in orders.enumerated() {
                // Not all 576 pairs: each order of adding is combined with four orders of removing.
                for step in 0..<4 {
                    try check(db, adding: adding, removing: orders[(number * 5 + step * 7) % orders.count])
                }
            }
        }
    }

    private func check(_ db: Database, adding: [Int], removing: [Int]) throws {
        var listeners: [Int: Listener] = [:]
        var changes: [Int: Int] = [:]
        for index in adding {
            if index < 2 {
                listeners[index] = .session(try db.makeSession())
            } else {
                let log = EventLog()
                db.add(transactionObserver: log)
                listeners[index] = .observer(log)
            }
            try change(db, listeners, &changes)
        }
        for index in removing {
            try #require(listeners[index] != nil)
            try verify(listeners, changes)
            if case .observer(let log)? = listeners[index] { db.remove(transactionObserver: log) }
            listeners[index] = nil
            try change(db, listeners, &changes)
        }
    }

    /// Inserts a row, and counts it for each listener.
    private func change(_ db: Database, _ listeners: [Int: Listener], _ changes: inout [Int: Int]) throws {
        try db.execute(sql: "INSERT INTO person (score) VALUES (1)")
        for index in listeners.keys { changes[index, default: 0] += 1 }
    }

    private func verify(_ listeners: [Int: Listener], _ changes: [Int: Int]) throws {
        for (index, listener) in listeners {
            let count =
                switch listener {
                case .session(let session): try session.changeset().count
                case .observer(let log): log.events.count
                }
            #expect(count == changes[index])
        }
    }

    private func permutations(_ elements: [Int]) -> [[Int]] {
        if elements.count < 2 { return [elements] }
        return elements.indices.flatMap { index -> [[Int]] in
            var rest = elements
            let element = rest.remove(at: index)
            return permutations(rest).map { [element] + $0 }
        }
    }

    /// `DELETE` without `WHERE` is recorded, although SQLite's truncate optimization would hide the rows.
    @Test(arguments: DatabaseKind.allCases)
    func truncateOptimization(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createPeople()
            // Compiled, cached and run before the session exists.
            let statement = try db.cachedStatement(sql: "DELETE FROM person")
            let fill = "INSERT INTO person VALUES (1, 'Anna', 10), (2, 'Bo', 20)"
            try statement.execute()
            try db.execute(sql: fill)
            for _ in 0..<3 {
                let session = try db.makeSession()
                try statement.execute()
                #expect(try session.changeset().count == 2)
                try session.close()
                try db.execute(sql: fill)
                // Without a session again.
                try statement.execute()
                try db.execute(sql: fill)
            }
            let events = try db.events {
                let session = try db.makeSession()
                try statement.execute()
                #expect(try session.changeset().count == 2)
            }
            #expect(events == ["delete person(1)", "delete person(2)", "willCommit", "didCommit"])
        }
    }

    @Test func sessionsWhileAnObserverIsNotInterested() throws {
        try withDatabase { db in
            try db.createPeople()
            let session = try db.makeSession()
            let lines = try db.events(observing: { $0.tableName == "other" }) {
                try db.execute(sql: "UPDATE person SET score = 0; DELETE FROM person")
            }
            #expect(lines.allSatisfy { $0.hasSuffix("Commit") })
            #expect(try session.changeset().count == 3)
        }
    }

    /// A session that begins while a statement runs records the rows that it changes from then on.
    @Test func statementUnderWay() throws {
        try withDatabase { db in
            try db.createPeople()
            let rows = try Row.fetchCursor(db, sql: "SELECT id FROM person ORDER BY id")
            let first = try #require(try rows.next())
            #expect(first[0] == 1)
            let session = try db.makeSession()
            try db.execute(sql: "UPDATE person SET score = 0 WHERE id = 3")
            #expect(try rows.next()?[0] == 2)
            #expect(try rows.next()?[0] == 3)
            #expect(try rows.next() == nil)
            #expect(try session.changeset().lines == ["UPDATE person(3*, _, NULL -> 0)"])
        }
    }

    @Test func observersAndSessionsSeeRowsOfAllKinds() throws {
        try withDatabase { db in
            try db.createPeople()
            try db.execute(sql: "CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID")
            let session = try db.makeSession()
            let lines = try db.events {
                try db.execute(sql: "REPLACE INTO person VALUES (9, 'Anna', 1); INSERT INTO w VALUES ('a', 1)")
            }
            #expect(lines.filter { !$0.hasSuffix("Commit") }.contains("insert w"))
            #expect(
                try session.changeset().lines == [
                    "DELETE person(1*, \"Anna\", 10)", "INSERT person(9*, \"Anna\", 1)", "INSERT w(\"a\"*, 1)",
                ])
        }
    }

    /// An observer may end a session while a row changes.
    @Test func sessionReleasedByAnObserver() throws {
        try withDatabase { db in
            try db.createPeople()
            var doomed: Session? = try db.makeSession()
            let kept = try db.makeSession()
            let log = EventLog()
            log.onChange = { _, _ in doomed = nil }
            db.add(transactionObserver: log)
            try db.execute(sql: "UPDATE person SET score = 0")
            #expect(doomed == nil)
            #expect(log.events.count == 3)
            #expect(try kept.changeset().count == 3)
            db.remove(transactionObserver: log)
        }
    }
}
