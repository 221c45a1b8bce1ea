import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// Observers that use a blob during a write through this blob.
struct BlobInObserverTests {
    let log = EventLog()

    private func run(_ test: (Database, DatabaseBlob) throws -> Void) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE file (id INTEGER PRIMARY KEY, content BLOB);
                    INSERT INTO file VALUES (1, x'00010203'), (2, x'04050607');
                    """)
            db.add(transactionObserver: log)
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite)
            try test(db, blob)
            try blob.close()
            #expect(try Data.fetchOne(db, sql: "SELECT content FROM file") == Data([9, 1, 2, 3]))
            try #expect(String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
        }
    }

    /// The ways in which an observer tries to use the blob.
    enum Use: CaseIterable {
        case close, reopen, read, write

        func apply(to blob: DatabaseBlob) throws {
            switch self {
            case .close: try blob.close()
            case .reopen: try blob.reopen(rowID: 2)
            case .read: _ = try blob.read()
            case .write: try blob.write([5])
            }
        }
    }

    @Test(arguments: Use.allCases)
    func inTheEventOfItsOwnWrite(_ use: Use) throws {
        try run { db, blob in
            var calls = 0
            log.onWillChange = { _ in
                calls += 1
                _ = expectFailure(.SQLITE_MISUSE) { try use.apply(to: blob) }
            }
            log.onChange = { _, _ in
                calls += 1
                _ = expectFailure(.SQLITE_MISUSE) { try use.apply(to: blob) }
            }
            try blob.write([9])
            #expect(calls == 2)
            #expect(blob.count == 4)
        }
    }

    @Test(arguments: Use.allCases)
    func whenTheObserverIsAskedWhatItObserves(_ use: Use) throws {
        try run { db, blob in
            var calls = 0
            log.observes = { _ in
                calls += 1
                _ = expectFailure(.SQLITE_MISUSE) { try use.apply(to: blob) }
                return true
            }
            try blob.write([9])
            #expect(calls == 1)
            #expect(blob.count == 4)
        }
    }

    /// A blob that is released during an event is closed after the event.
    @Test func aBlobReleasedInAnEvent() throws {
        try run { db, blob in
            var other: DatabaseBlob? = try db.openBlob(table: "file", column: "content", rowID: 2, access: .readWrite)
            log.onWillChange = { _ in other = nil }
            try blob.write([9])
            #expect(other == nil)
        }
    }
}
