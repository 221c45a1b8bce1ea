import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// Blobs that are open during a schema change, which frees the table that SQLite's handle points to.
struct BlobSchemaChangeTests {
    private static let schema = """
        CREATE TABLE file (id INTEGER PRIMARY KEY, content BLOB);
        CREATE TABLE other (id INTEGER PRIMARY KEY);
        INSERT INTO file VALUES (1, x'00010203');
        """

    /// The receiver of the blob's writes.
    enum Listener: CaseIterable { case observer, session, nobody }

    private static let changes = [
        "ALTER TABLE other ADD COLUMN z", "ALTER TABLE file ADD COLUMN z", "ALTER TABLE other RENAME TO another",
        "CREATE TABLE more (a)", "DROP TABLE other", "CREATE INDEX i ON other (id)",
    ]

    /// The write succeeds, or the blob reports that it has expired. After `reopen`, it is usable.
    @Test(arguments: Listener.allCases, changes)
    func aWriteAfterAChangeOfTheSchema(_ listener: Listener, _ change: String) throws {
        let log = EventLog()
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            let session = listener == .session ? try db.makeSession() : nil
            if listener == .observer { db.add(transactionObserver: log) }
            try db.beginTransaction()
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite)
            try blob.write([7])
            let isChanged = runsUnlessLocked(db, change)
            do {
                try blob.write([8], at: 1)
            } catch let error as DatabaseError where isChanged {
                #expect(error.resultCode == .SQLITE_ABORT)
                expectError(.SQLITE_ABORT, BlobLifetimeTests.expired) { _ = try blob.read() }
                try blob.reopen(rowID: 1)
                try blob.write([8], at: 1)
            }
            #expect(try blob.readAll() == Data([7, 8, 2, 3]))
            try blob.close()
            try db.commit()
            #expect(try Data.fetchOne(db, sql: "SELECT content FROM file") == Data([7, 8, 2, 3]))
            if let session { #expect(try session.changeset().lines.count == 1) }
            if listener == .observer {
                #expect(log.take().filter { $0 == "update file(1)" }.count == 2)
            }
            try session?.close()
            try #expect(String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
        }
    }

    @Test(arguments: changes)
    func aReadAfterAChangeOfTheSchema(_ change: String) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1)
            let isChanged = runsUnlessLocked(db, change)
            do {
                #expect(try blob.readAll() == Data([0, 1, 2, 3]))
            } catch let error as DatabaseError where isChanged {
                #expect(error.resultCode == .SQLITE_ABORT)
                try blob.reopen(rowID: 1)
                #expect(try blob.readAll() == Data([0, 1, 2, 3]))
            }
            try blob.reopen(rowID: 1)
            try blob.close()
        }
    }

    /// Whether a statement ran: an open blob may block it.
    private func runsUnlessLocked(_ db: Database, _ sql: String) -> Bool {
        do {
            try db.execute(sql: sql)
            return true
        } catch {
            #expect((error as? DatabaseError)?.resultCode == .SQLITE_LOCKED)
            return false
        }
    }
}
