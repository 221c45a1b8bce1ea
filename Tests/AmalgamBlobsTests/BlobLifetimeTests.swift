import Amalgam
import CAmalgam
import Foundation
import TestSupport
import Testing

/// Blobs that are reopened, expire, and outlive their connection or access.
struct BlobLifetimeTests {
    let queue: DatabaseQueue

    init() throws { queue = try makeQueue(DatabaseBlobTests.schema) }

    static let expired = """
        The blob has expired, because its row or its table has changed, or its transaction was rolled back, or its read \
        has ended: open it again with reopen(rowID:).
        """

    // MARK: Reopening

    @Test func anotherRow() throws {
        try queue.inDatabase { db in
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1)
            try blob.reopen(rowID: 2)
            #expect(blob.rowID == 2)
            #expect(blob.count == 5)
            #expect(try blob.readAll() == Data(count: 5))
            try blob.reopen(rowID: 1)
            #expect(try blob.readAll() == Data(0...9))
        }
    }

    @Test func aRowThatIsNotThere() throws {
        try queue.inDatabase { db in
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1)
            for (id, message) in [(99, "no such rowid: 99"), (3, "cannot open value of type null")] as [(Int64, String)]
            {
                expectError(.SQLITE_ERROR, message) { try blob.reopen(rowID: id) }
                #expect(blob.count == 0)
                expectError(.SQLITE_ABORT, Self.expired) { _ = try blob.readAll() }
                try blob.reopen(rowID: 2)
                #expect(blob.count == 5)
            }
        }
    }

    // MARK: Expiry

    @Test(arguments: [
        "UPDATE file SET content = x'FF' WHERE id = 1", "UPDATE file SET name = 'x'", "DELETE FROM file WHERE id = 1",
        "REPLACE INTO file VALUES (1, 'x', x'FF')", "DELETE FROM file",
    ])
    func aRowThatChanges(sql: String) throws {
        try queue.inDatabase { db in
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite)
            try blob.write([9])
            try db.execute(sql: sql)
            expectError(.SQLITE_ABORT, Self.expired) { _ = try blob.read(count: 1) }
            expectError(.SQLITE_ABORT, Self.expired) { try blob.write([9]) }
            expectError(.SQLITE_ABORT, Self.expired) { _ = try blob.chunks().next() }
            expectError(.SQLITE_ABORT, Self.expired) { try blob.fill { _ in 0 } }
            #expect(blob.count == 0)
            try blob.close()
            // Outside of a transaction, the write was committed when the blob was closed.
            #expect(db.transactionState() == Database.TransactionState.none)
            #expect(!db.isInsideTransaction)
        }
    }

    @Test func reopeningAfterAChange() throws {
        try queue.inDatabase { db in
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1)
            try db.execute(sql: "UPDATE file SET content = x'FFFE' WHERE id = 1")
            _ = expectFailure(.SQLITE_ABORT) { _ = try blob.read(count: 1) }
            try blob.reopen(rowID: blob.rowID)
            #expect(try blob.readAll() == Data([0xFF, 0xFE]))
        }
    }

    @Test func otherRowsMayChange() throws {
        try queue.inDatabase { db in
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1)
            try db.execute(sql: "UPDATE file SET content = x'FF' WHERE id = 2; INSERT INTO file (id) VALUES (9)")
            #expect(try blob.readAll() == Data(0...9))
        }
    }

    @Test func aTransactionThatIsRolledBack() throws {
        try queue.inDatabase { db in
            try db.beginTransaction()
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite)
            try blob.write([9])
            try db.rollback()
            expectError(.SQLITE_ABORT, Self.expired) { _ = try blob.readAll() }
            expectError(.SQLITE_ABORT, Self.expired) { try blob.write([9]) }
            try blob.reopen(rowID: 1)
            #expect(try blob.readAll() == Data(0...9))
        }
    }

    /// Outside of a transaction, SQLite doesn't undo a failed statement while a blob is open for writing.
    @Test func aStatementThatFailsAfterItsFunctionHasOpenedABlob() throws {
        try queue.inDatabase { db in
            let (shared, blob) = (db.shared, Shared<DatabaseBlob?>(nil))
            db.add(
                function: DatabaseFunction("open_blob") { (value: Int) in
                    blob.value = try shared.value.openBlob(
                        table: "file", column: "content", rowID: 1, access: .readWrite)
                    try blob.value?.write([9])
                    return value
                })
            try db.execute(sql: "CREATE TABLE t (a CHECK (a <> 9))")
            let insertion = "INSERT INTO t VALUES (1), (open_blob(2)), (9)"
            expectFailure(.SQLITE_CONSTRAINT, sql: insertion) { try db.execute(sql: insertion) }
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [])
            expectError(.SQLITE_ABORT, Self.expired) { try blob.value?.write([9]) }
            try blob.value?.close()
            blob.value = nil
            #expect(try Data.fetchOne(db, sql: "SELECT content FROM file WHERE id = 1") == Data(0...9))
            #expect(!db.isInsideTransaction)
        }
    }

    @Test func aSavepointThatIsRolledBack() throws {
        try queue.write { db in
            try db.execute(sql: "SAVEPOINT s")
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite)
            try blob.write([9])
            try db.execute(sql: "ROLLBACK TO s")
            expectError(.SQLITE_ABORT, Self.expired) { _ = try blob.readAll() }
            try db.execute(sql: "RELEASE s")
            try blob.reopen(rowID: 1)
            #expect(try blob.readAll() == Data(0...9))
            try blob.close()
        }
    }

    @Test func aSavepointCannotBeOpenedWhileABlobIsWritten() throws {
        try queue.write { db in
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite)
            _ = expectFailure(.SQLITE_BUSY, "cannot open savepoint - SQL statements in progress") {
                try db.inSavepoint { .commit }
            }
            try blob.close()
            try db.inSavepoint { .commit }
        }
    }

    // MARK: Closing

    @Test func aClosedBlob() throws {
        try queue.inDatabase { db in
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite)
            try blob.close()
            #expect(blob.count == 0)
            for use: () throws -> Void in [
                { _ = try blob.readAll() }, { try blob.write([1]) }, { try blob.reopen(rowID: 1) },
                { _ = try blob.chunks().next() },
            ] {
                expectError(.SQLITE_MISUSE, "The blob is closed.", use)
            }
        }
    }

    @Test func withBlobReturnsAndCloses() throws {
        try queue.inDatabase { db in
            let blob = try db.withBlob(table: "file", column: "content", rowID: 1) { $0 }
            expectError(.SQLITE_MISUSE, "The blob is closed.") { _ = try blob.readAll() }
            let count = try db.withBlob(table: "file", column: "content", rowID: 1, access: .readWrite) { blob in
                try blob.close()
                return 3
            }
            #expect(count == 3)
        }
    }

    @Test func theWrongThread() throws {
        let blob = try queue.inDatabase { try $0.openBlob(table: "file", column: "content", rowID: 1) }
        let message = "Database was not used on the correct thread. Use it inside the closure that receives it, only."
        for use: () throws -> Void in [
            { _ = try blob.readAll() }, { try blob.write([1]) }, { try blob.reopen(rowID: 1) }, { try blob.close() },
        ] {
            expectError(.SQLITE_MISUSE, message, use)
        }
        // It is still open.
        #expect(try queue.inDatabase { _ in try blob.readAll() } == Data(0...9))
    }

    @Test func aBlobReleasedOutsideOfAnAccess() throws {
        let log = EventLog()
        queue.add(transactionObserver: log)
        var blob = try queue.inDatabase { db -> DatabaseBlob? in
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite)
            try blob.write([9])
            return blob
        }
        #expect(blob?.count == 10)
        blob = nil
        #expect(log.take() == ["update file(1)"])
        // The next access closes it, and commits the changes.
        try queue.inDatabase { db in
            #expect(log.take() == ["willCommit", "didCommit"])
            #expect(db.transactionState() == Database.TransactionState.none)
            let content = try Data.fetchOne(db, sql: "SELECT content FROM file WHERE id = 1")
            #expect(content?.first == 9)
        }
    }

    /// A blob that stays open would keep the snapshot of its read, and later reads on the connection would see it.
    @Test func aBlobExpiresAtTheEndOfAReadOfAPool() throws {
        try DatabaseKind.pool.open { pool in
            try pool.write { try $0.execute(sql: DatabaseBlobTests.schema) }
            var blob: DatabaseBlob?
            try pool.read { db in
                blob = try db.openBlob(table: "file", column: "content", rowID: 1)
                #expect(try blob?.readAll() == Data(0...9))
            }
            #expect(blob?.count == 0)
            try pool.write { try $0.execute(sql: "UPDATE file SET content = x'2A' WHERE id = 1") }
            try pool.read { db in
                #expect(try Data.fetchOne(db, sql: "SELECT content FROM file WHERE id = 1") == Data([42]))
                expectError(.SQLITE_ABORT, Self.expired) { _ = try blob?.readAll() }
                try blob?.reopen(rowID: 1)
                #expect(try blob?.readAll() == Data([42]))
            }
            blob = nil
        }
    }

    @Test func blobsReleasedOnManyThreads() throws {
        for _ in 1...20 {
            let blobs = try queue.inDatabase { db in
                try (1...8).map { _ in
                    UncheckedBlob(try db.openBlob(table: "file", column: "content", rowID: 1))
                }
            }
            DispatchQueue.concurrentPerform(iterations: blobs.count) { blobs[$0].blob = nil }
            try queue.inDatabase { db in
                _ = try db.integer("SELECT 1")
                #expect(statements(of: db.sqliteConnection).filter { sqlite3_stmt_busy($0) != 0 }.isEmpty)
            }
        }
    }

    @Test func aConnectionCannotBeClosedBeforeItsBlobs() throws {
        let queue = try makeQueue(DatabaseBlobTests.schema)
        var blob = try queue.inDatabase { try $0.openBlob(table: "file", column: "content", rowID: 1) as DatabaseBlob? }
        _ = expectFailure(.SQLITE_BUSY) { try queue.close() }
        #expect(blob != nil)
        blob = nil
        try queue.close()
    }

    @Test func aBlobOutlivesItsQueue() throws {
        var blob: DatabaseBlob?
        do {
            let queue = try makeQueue(DatabaseBlobTests.schema)
            blob = try queue.inDatabase { try $0.openBlob(table: "file", column: "content", rowID: 1) }
        }
        _ = expectFailure(.SQLITE_MISUSE) { _ = try blob?.readAll() }
        blob = nil
    }
}

/// Transfers a blob to the thread that releases it.
private final class UncheckedBlob: @unchecked Sendable {
    // Sendable: one thread uses it at a time.
    var blob: DatabaseBlob?

    init(_ blob: DatabaseBlob) { self.blob = blob }
}
