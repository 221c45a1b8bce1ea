import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// Cursors released on another thread: their deferred reset ends their own run of the statement, and no later run.
struct DeferredResetTests {
    private static let sql = "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"

    @Test func aLaterRunOfTheStatementGoesOn() throws {
        let queue = try DatabaseQueue()
        let later = Shared<FastDatabaseValueCursor<Int>?>(nil)
        try queue.inDatabase { db in
            let statement = try db.makeStatement(sql: Self.sql)
            let first = Shared<FastDatabaseValueCursor<Int>?>(try Int.fetchCursor(statement))
            try #expect(first.value?.next() == 1)
            onAnotherThread { first.value = nil }
            later.value = try Int.fetchCursor(statement)
            try #expect(later.value?.next() == 1)
            try #expect(later.value?.next() == 2)
            // The next access performs the deferred reset. A reentrant access isn't one.
            try queue.unsafeReentrantWrite { _ in try #expect(later.value?.next() == 3) }
            try #expect(later.value?.next() == nil)
            later.value = try Int.fetchCursor(statement)
            try #expect(later.value?.next() == 1)
        }
        queue.inDatabase { _ in
            expectCode(.SQLITE_MISUSE) { try later.value?.next() }
            later.value = nil
        }
        try queue.close()
    }

    /// Without a later run, the statement is reset: it holds no lock on the file.
    @Test func theOwnRunOfTheCursorEnds() throws {
        let folder = Folder()
        let queue = try DatabaseQueue(path: folder.path("t.sqlite"))
        try queue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
            let cursor = Shared<FastDatabaseValueCursor<Int>?>(try Int.fetchCursor(db, sql: "SELECT a FROM t"))
            try #expect(cursor.value?.next() == 1)
            onAnotherThread { cursor.value = nil }
        }
        try queue.inDatabase { db in
            #expect(db.transactionState() == Database.TransactionState.none)
            expectNoBusyStatement(try #require(db.sqliteConnection))
        }
        try queue.close()
    }

    /// A write with RETURNING is executed again after its cursor was released on another thread.
    @Test func aLaterRunThatWrites() throws {
        let queue = try makeQueue("CREATE TABLE t (a INTEGER PRIMARY KEY)")
        let later = Shared<FastDatabaseValueCursor<Int>?>(nil)
        try queue.inDatabase { db in
            let statement = try db.makeStatement(sql: "INSERT INTO t DEFAULT VALUES RETURNING a")
            let first = Shared<FastDatabaseValueCursor<Int>?>(try Int.fetchCursor(statement))
            try #expect(first.value?.next() == 1)
            onAnotherThread { first.value = nil }
            later.value = try Int.fetchCursor(statement)
            try #expect(later.value?.next() == 2)
        }
        try queue.inDatabase { db in
            expectCode(.SQLITE_MISUSE) { try later.value?.next() }
            later.value = nil
            try #expect(Int.fetchAll(db, sql: "SELECT a FROM t") == [1, 2])
        }
        try queue.close()
    }

    /// A cursor that is passed to another thread is refused there, even while its own thread has the connection.
    @Test func aCursorOnAnotherThreadDuringTheAccess() throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            let cursor = Shared(try Int.fetchCursor(db, sql: Self.sql))
            try #expect(cursor.value.next() == 1)
            let error = Shared<(any Error)?>(nil)
            onAnotherThread {
                do { _ = try cursor.value.next() } catch let failure { error.value = failure }
            }
            #expect((error.value as? DatabaseError)?.resultCode == .SQLITE_MISUSE)
            try #expect(cursor.value.next() == 2)
            try #expect(cursor.value.next() == 3)
        }
    }
}
