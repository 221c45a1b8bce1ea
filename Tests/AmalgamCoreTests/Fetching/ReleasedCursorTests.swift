import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// Cursors over statements that write, released before their last row: the statement ends, and commits, without a
/// caller that could catch its error.
struct ReleasedCursorTests {
    private static let schema = """
        CREATE TABLE parent (id INTEGER PRIMARY KEY);
        CREATE TABLE child (id INTEGER PRIMARY KEY, parentId INTEGER REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED)
        """

    /// The parent is missing: rows are returned, and the commit fails.
    private static let orphans = "INSERT INTO child VALUES (1, 7), (2, 7) RETURNING id"

    private func readOneOrphan(_ db: Database) throws {
        let ids = try Int.fetchCursor(db, sql: Self.orphans)
        #expect(try ids.next() == 1)
    }

    @Test func theCommitSucceeds() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            try db.execute(sql: "INSERT INTO parent VALUES (7)")
            try readOneOrphan(db)
            #expect(!db.isInsideTransaction)
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM child") == [1, 2])
        }
    }

    @Test func aCursorReadToItsEndThrowsTheErrorOfTheCommit() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            let ids = try Int.fetchCursor(db, sql: Self.orphans)
            #expect(try [ids.next(), ids.next()] == [1, 2])
            expectError(.SQLITE_CONSTRAINT, "FOREIGN KEY constraint failed", sql: Self.orphans) { _ = try ids.next() }
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM child") == 0)
        }
    }

    /// An error of the commit is logged. The test runs in a separate process because `Database.logError` is global.
    @Test func anErrorOfTheCommitGoesToTheLog() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var log: [String] = []
            // Unsafe: SQLite is used on this thread only.
            Database.logError = { code, message in log.append("\(code.rawValue) \(message)") }
            let line = """
                787 a statement failed when its cursor was released before its last row: SQLite error 19: \
                FOREIGN KEY constraint failed - while executing `\(ReleasedCursorTests.orphans)`
                """
            for isObserved in [false, true] {
                try DatabaseKind.memory.run { db in
                    try db.execute(sql: ReleasedCursorTests.schema)
                    let events = EventLog()
                    if isObserved { db.add(transactionObserver: events) }
                    try ReleasedCursorTests().readOneOrphan(db)
                    #expect(log == [line])
                    log = []
                    if isObserved {
                        #expect(events.take() == ["insert child(1)", "insert child(2)", "didRollback"])
                    }
                    #expect(!db.isInsideTransaction)
                    #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM child") == 0)
                    #expect(log == [])
                }
            }
        }
    }

    @Test func theRefusalOfAnObserverGoesToTheLog() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var log: [String] = []
            // Unsafe: SQLite is used on this thread only.
            Database.logError = { code, message in log.append(message) }
            try DatabaseKind.memory.run { db in
                try db.execute(sql: ReleasedCursorTests.schema)
                try db.execute(sql: "INSERT INTO parent VALUES (7)")
                let events = EventLog()
                events.refusal = Failure(number: 3)
                db.add(transactionObserver: events)
                try ReleasedCursorTests().readOneOrphan(db)
                #expect(
                    log == [
                        "a statement failed when its cursor was released before its last row: Failure(number: 3)"
                    ])
                #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM child") == 0)
            }
        }
    }

    /// The statement ends with the access: otherwise, no later write could be committed.
    @Test func releasedAfterTheAccess() throws {
        try DatabaseKind.file.open { writer in
            var ids: FastDatabaseValueCursor<Int>?
            let events = EventLog()
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: Self.schema)
                try db.execute(sql: "INSERT INTO parent VALUES (7)")
                db.add(transactionObserver: events)
                ids = try Int.fetchCursor(db, sql: Self.orphans)
                #expect(try ids?.next() == 1)
            }
            #expect(events.take() == ["insert child(1)", "insert child(2)", "willCommit", "didCommit"])
            ids = nil
            try writer.writeWithoutTransaction { (db) throws in
                #expect(events.take() == [])
                #expect(try Int.fetchAll(db, sql: "SELECT id FROM child") == [1, 2])
            }
        }
    }
}
