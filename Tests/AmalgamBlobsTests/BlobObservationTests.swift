import Amalgam
import Foundation
import TestSupport
import Testing

/// The events of writes through blobs.
struct BlobObservationTests {
    let queue: DatabaseQueue
    let log = EventLog(logsValues: true)

    init() throws {
        queue = try makeQueue(
            """
            CREATE TABLE File (id INTEGER PRIMARY KEY, name TEXT, Content BLOB);
            INSERT INTO File VALUES (1, 'one', x'000102');
            """)
        queue.add(transactionObserver: log)
    }

    static let change = "will update File(1): [1, \"one\", Data(3 bytes)] -> [1, \"one\", Data(3 bytes)]"

    func write(_ db: Database, _ bytes: [UInt8] = [9], at offset: Int = 0, table: String = "File") throws {
        try db.withBlob(table: table, column: "content", rowID: 1, access: .readWrite) {
            try $0.write(bytes, at: offset)
        }
    }

    /// Returns the lines without the values, which other tests check.
    func take() -> [String] { log.take().filter { !$0.hasPrefix("will update") } }

    // MARK: Events

    @Test func autocommit() throws {
        try queue.inDatabase { db in
            let blob = try db.openBlob(table: "File", column: "content", rowID: 1, access: .readWrite)
            #expect(take() == [])
            try blob.write([9])
            #expect(take() == ["update File(1)"])
            try blob.write([8], at: 2)
            #expect(take() == ["update File(1)"])
            try blob.close()
            #expect(take() == ["willCommit", "didCommit"])
        }
    }

    @Test func withBlob() throws {
        try queue.inDatabase { try write($0) }
        #expect(take() == ["update File(1)", "willCommit", "didCommit"])
        try queue.write { try write($0) }
        #expect(take() == ["update File(1)", "willCommit", "didCommit"])
        #expect(throws: Refusal()) {
            try queue.write { db in
                try write(db)
                throw Refusal()
            }
        }
        #expect(take() == ["update File(1)", "didRollback"])
    }

    @Test func reading() throws {
        try queue.inDatabase { db in
            try db.withBlob(table: "File", column: "content", rowID: 1) { _ = try $0.readAll() }
            try db.withBlob(table: "File", column: "content", rowID: 1, access: .readWrite) { try $0.write(Data()) }
        }
        // Opening for writing begins a write transaction, which is committed.
        #expect(take() == ["willCommit", "didCommit"])
    }

    @Test func values() throws {
        try queue.write { try write($0, [0xA0, 0xA1], at: 1) }
        let event = try #require(log.preUpdateEvents.first)
        #expect(event.kind == .update)
        #expect(event.count == 3)
        #expect(event.depth == 0)
        #expect(event.initialRowID == 1)
        #expect(event.finalRowID == 1)
        #expect(event.tableName == "File")
        #expect(event.databaseName == "main")
        #expect(event.initialDatabaseValues == [1.databaseValue, "one".databaseValue, Data([0, 1, 2]).databaseValue])
        #expect(
            event.finalDatabaseValues == [1.databaseValue, "one".databaseValue, Data([0, 0xA0, 0xA1]).databaseValue])
        #expect(event.finalDatabaseValue(atIndex: 3) == nil)
        let change = try #require(log.events.first)
        #expect(change.kind == .update)
        #expect(change.rowID == 1)
        #expect(change.hasRowID)
    }

    @Test func liveValues() throws {
        var values: [DatabaseValue?] = []
        log.onWillChange = { event in
            values = [event.finalDatabaseValue(atIndex: 2), event.initialDatabaseValue(atIndex: 2)]
        }
        try queue.write { try write($0, [7], at: 2) }
        #expect(values == [Data([0, 1, 7]).databaseValue, Data([0, 1, 2]).databaseValue])
    }

    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func texts(encoding: String) throws {
        let queue = try makeQueue("PRAGMA encoding = '\(encoding)'; CREATE TABLE t (a); INSERT INTO t VALUES ('héllo')")
        let log = EventLog()
        queue.add(transactionObserver: log)
        try queue.inDatabase { db in
            try db.withBlob(table: "t", column: "a", rowID: 1, access: .readWrite) { blob in
                let bytes = try blob.read(count: 1)
                #expect(blob.count == (encoding == "UTF-8" ? 6 : 10))
                switch encoding {
                case "UTF-8": try blob.write(Data("H".utf8))
                case "UTF-16le": try blob.write([UInt8(ascii: "H"), 0])
                default: try blob.write([0, UInt8(ascii: "H")])
                }
                withExtendedLifetime(bytes) {}
            }
            #expect(try String.fetchOne(db, sql: "SELECT a FROM t") == "Héllo")
        }
        let event = try #require(log.preUpdateEvents.first)
        #expect(event.initialDatabaseValue(atIndex: 0) == "héllo".databaseValue)
        #expect(event.finalDatabaseValue(atIndex: 0) == "Héllo".databaseValue)
    }

    // MARK: Interest

    @Test func observersAreAskedWithTheNamesOfTheSchema() throws {
        _ = log.takeAsked()
        try queue.inDatabase { try write($0, table: "FILE") }
        #expect(log.takeAsked() == [.update(tableName: "File", columnNames: ["Content"])])
        #expect(take() == ["update File(1)", "willCommit", "didCommit"])
    }

    @Test func observersThatAreNotInterested() throws {
        log.observes = { kind in
            if case .update = kind { return false }
            return true
        }
        try queue.inDatabase { try write($0) }
        #expect(take() == ["willCommit", "didCommit"])
    }

    @Test func regions() throws {
        let region = try queue.read {
            try $0.makeStatement(sql: "SELECT content FROM File WHERE id = 1").databaseRegion
        }
        log.observes = { region.isModified(byEventsOfKind: $0) }
        try queue.inDatabase { try write($0) }
        #expect(log.events.count == 1)
        #expect(log.events.allSatisfy { region.isModified(by: $0) })
        let names = try queue.read { try $0.makeStatement(sql: "SELECT name FROM File").databaseRegion }
        log.observes = { names.isModified(byEventsOfKind: $0) }
        try queue.inDatabase { try write($0) }
        #expect(log.events.count == 1)
    }

    @Test func deletionsAreStillDeletions() throws {
        try queue.inDatabase { db in
            try write(db)
            _ = take()
            try db.execute(sql: "DELETE FROM File")
            #expect(log.take().contains("delete File(1)"))
        }
    }

    // MARK: Savepoints

    @Test func aSavepointHoldsOneEventPerRowBack() throws {
        try queue.write { db in
            try db.inSavepoint {
                try db.withBlob(table: "File", column: "content", rowID: 1, access: .readWrite) { blob in
                    for value in 0..<100 { try blob.write([UInt8(value)], at: value % 3) }
                }
                #expect(log.take() == [])
                return .commit
            }
            #expect(take() == ["update File(1)"])
        }
        let event = try #require(log.preUpdateEvents.first)
        #expect(event.initialDatabaseValue(atIndex: 2) == Data([0, 1, 2]).databaseValue)
        #expect(event.finalDatabaseValue(atIndex: 2) == Data([99, 97, 98]).databaseValue)
        #expect(event.finalDatabaseValue(atIndex: 1) == "one".databaseValue)
    }

    @Test func aLargeBlobIsHeldBackOnce() throws {
        try queue.write { db in
            try db.execute(sql: "INSERT INTO File VALUES (5, 'large', zeroblob(5000000))")
            _ = log.take()
            log.logsValues = false
            try db.inSavepoint {
                try db.withBlob(table: "File", column: "content", rowID: 5, access: .readWrite) { blob in
                    // 5000 writes: if each of them copied the blob, this would take a minute.
                    try blob.fill(chunkSize: 1000) { buffer in
                        buffer.copyBytes(from: repeatElement(7, count: buffer.count))
                        return buffer.count
                    }
                }
                return .commit
            }
        }
        #expect(take() == ["update File(5)", "willCommit", "didCommit"])
        let final = try #require(log.preUpdateEvents.last?.finalDatabaseValue(atIndex: 2))
        let data = try #require(Data.fromDatabaseValue(final))
        #expect(data == Data(repeating: 7, count: 5_000_000))
    }

    @Test func otherChangesKeepTheirPlace() throws {
        try queue.write { db in
            try db.inSavepoint {
                let blob = try db.openBlob(table: "File", column: "content", rowID: 1, access: .readWrite)
                try blob.write([1])
                try db.execute(sql: "INSERT INTO File (id) VALUES (2)")
                try blob.write([2])
                try blob.write([3])
                try blob.close()
                return .commit
            }
            let lines = take().filter { !$0.hasPrefix("will") }
            #expect(lines == ["update File(1)", "insert File(2)", "update File(1)"])
        }
    }

    @Test func aSavepointThatIsRolledBack() throws {
        try queue.write { db in
            try db.inSavepoint {
                try write(db)
                return .rollback
            }
            #expect(take() == [])
        }
        #expect(take() == ["willCommit", "didCommit"])
    }

    @Test func movingToAnotherRow() throws {
        try queue.write { db in
            try db.execute(sql: "INSERT INTO File VALUES (2, 'two', zeroblob(3))")
            _ = log.take()
            try db.inSavepoint {
                try db.withBlob(table: "File", column: "content", rowID: 1, access: .readWrite) { blob in
                    try blob.write([5])
                    try blob.reopen(rowID: 2)
                    try blob.write([6])
                }
                return .commit
            }
            #expect(take() == ["update File(1)", "update File(2)"])
        }
    }

    // MARK: Refusal

    @Test func aRefusedCommit() throws {
        try queue.inDatabase { db in
            log.refusal = Refusal()
            #expect(throws: Refusal()) { try write(db) }
            #expect(take() == ["update File(1)", "willCommit", "didRollback"])
            let blob = try db.openBlob(table: "File", column: "content", rowID: 1, access: .readWrite)
            try blob.write([9])
            log.refusal = Refusal()
            #expect(throws: Refusal()) { try blob.close() }
            #expect(take() == ["update File(1)", "willCommit", "didRollback"])
            #expect(try Data.fetchOne(db, sql: "SELECT content FROM File") == Data([0, 1, 2]))
            try write(db)
            #expect(try Data.fetchOne(db, sql: "SELECT content FROM File") == Data([9, 1, 2]))
        }
    }

    @Test func anObserverMayWriteWhenTheBlobIsCommitted() throws {
        log.onCommit = { log, db in
            log.onCommit = { _, _ in }
            try? db.execute(sql: "UPDATE File SET name = 'committed'")
        }
        try queue.inDatabase { db in
            let blob = try db.openBlob(table: "File", column: "content", rowID: 1, access: .readWrite)
            try blob.write([9])
            try blob.close()
            #expect(
                take() == ["update File(1)", "willCommit", "didCommit", "update File(1)", "willCommit", "didCommit"])
            #expect(try String.fetchOne(db, sql: "SELECT name FROM File") == "committed")
        }
    }

    @Test func aBlobThatExpires() throws {
        try queue.inDatabase { db in
            let blob = try db.openBlob(table: "File", column: "content", rowID: 1, access: .readWrite)
            try blob.write([9])
            // SQLite commits when the last statement that writes has ended. The blob counts as a statement.
            try db.execute(sql: "UPDATE File SET name = 'x'")
            #expect(take() == ["update File(1)", "update File(1)"])
            _ = expectFailure(.SQLITE_ABORT) { try blob.write([9]) }
            #expect(take() == ["willCommit", "didCommit"])
        }
    }
}
