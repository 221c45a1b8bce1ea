#if Macros || !MACRO_RECORDS
import Amalgam
import Foundation
import Synchronization
import Testing

/// A record with the times of its insertion and its last change.
private protocol Timestamped: MutablePersistableRecord {
    var createdAt: Date? { get set }
    var changedAt: Date? { get set }
}

extension Timestamped {
    mutating func willInsert(_ db: Database) throws {
        if createdAt == nil { createdAt = try db.transactionDate }
        if changedAt == nil { changedAt = try db.transactionDate }
    }

    mutating func updateWithTimestamp(_ db: Database) throws {
        changedAt = try db.transactionDate
        try update(db)
    }

    /// Updates the changed columns, and the timestamp if there are any.
    @discardableResult
    mutating func updateChangesWithTimestamp(_ db: Database, modify: (inout Self) -> Void) throws -> Bool {
        let changes = try databaseChanges(modify: modify)
        if changes.isEmpty { return false }
        let dates = try databaseChanges { $0.changedAt = try db.transactionDate }
        try update(db, columns: Set(changes.keys).union(dates.keys))
        return true
    }

    mutating func touch(_ db: Database) throws {
        try updateChanges(db) { $0.changedAt = try db.transactionDate }
    }
}

#if MACRO_RECORDS
@Record
#endif
private struct Task: MutableStoredRecord, Timestamped {
    var id: Int64?
    var createdAt: Date?
    var changedAt: Date?
    var title: String

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

    /// Updates a task that exists, and inserts a new one.
    mutating func saveWithTimestamp(_ db: Database) throws {
        if id == nil { return try insert(db) }
        do {
            try updateWithTimestamp(db)
        } catch RecordError.recordNotFound {
            try insert(db)
        }
    }
}

/// A task that is in the database, so that no property is optional.
#if MACRO_RECORDS
@Record
#endif
private struct StoredTask: StoredRecord, Identifiable {
    static let databaseTableName = "task"
    let id: Int64
    let createdAt: Date
    var changedAt: Date
    var title: String
}

@Suite("Guide: timestamps")
struct TimestampGuideTests {
    /// The transaction dates are 1000, 2000, … seconds since 1970.
    private func makeDatabase() throws -> DatabaseQueue {
        let clock = Clock()
        var configuration = Configuration()
        configuration.transactionClock = .custom { _ in clock.next() }
        let dbQueue = try DatabaseQueue(configuration: configuration)
        try dbQueue.write { db in
            try db.create(table: "task") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("createdAt", .datetime).notNull()
                t.column("changedAt", .datetime).notNull()
                t.column("title", .text).notNull()
            }
        }
        clock.reset()
        return dbQueue
    }

    private final class Clock: Sendable {
        private let seconds = Mutex(0.0)

        func reset() { seconds.withLock { $0 = 0 } }

        func next() -> Date {
            seconds.withLock {
                $0 += 1000
                return Date(timeIntervalSince1970: $0)
            }
        }
    }

    private let first = Date(timeIntervalSince1970: 1000)
    private let second = Date(timeIntervalSince1970: 2000)

    @Test("are set when a record is inserted, to one date for the transaction")
    func insertion() throws {
        try makeDatabase().write { db in
            var tasks = [Task(title: "sow"), Task(title: "reap")]
            #expect(tasks[0].createdAt == nil)
            for index in tasks.indices { try tasks[index].insert(db) }
            #expect(tasks.map(\.createdAt) == [first, first])
            #expect(tasks.map(\.changedAt) == [first, first])
        }
    }

    @Test("change with updates, changes, and touches")
    func updates() throws {
        let dbQueue = try makeDatabase()
        var task = try dbQueue.write { db in try Task(title: "sow").inserted(db) }
        try dbQueue.write { db in
            try expectSQL(
                db,
                [
                    "UPDATE \"task\" SET \"createdAt\"='1970-01-01 00:16:40.000', "
                        + "\"changedAt\"='1970-01-01 00:33:20.000', \"title\"='reap' WHERE \"id\"=1"
                ]
            ) {
                task.title = "reap"
                try task.updateWithTimestamp(db)
            }
        }
        try dbQueue.write { db in
            let isUnchanged = try !task.updateChangesWithTimestamp(db) { $0.title = "reap" }
            #expect(isUnchanged && task.changedAt == second)
            try expectSQL(
                db,
                [
                    "UPDATE \"task\" SET \"changedAt\"='1970-01-01 00:50:00.000', \"title\"='rest' WHERE \"id\"=1"
                ]
            ) { try task.updateChangesWithTimestamp(db) { $0.title = "rest" } }
        }
        try dbQueue.write { db in
            try expectSQL(db, ["UPDATE \"task\" SET \"changedAt\"='1970-01-01 01:06:40.000' WHERE \"id\"=1"]) {
                try task.touch(db)
            }
        }
        try dbQueue.write { db in
            try task.updateChanges(db) {
                $0.title = "sleep"
                $0.changedAt = try db.transactionDate
            }
            let stored = try StoredTask.find(db, id: 1)
            #expect(stored.createdAt == first)
            #expect(stored.changedAt == Date(timeIntervalSince1970: 5000))
        }
    }

    @Test("a record is updated or inserted")
    func saves() throws {
        try makeDatabase().write { db in
            var new = Task(title: "sow")
            try new.saveWithTimestamp(db)
            var unknown = Task(id: 7, title: "reap")
            try unknown.saveWithTimestamp(db)
            new.title = "rest"
            try new.saveWithTimestamp(db)
            let titles = try Task.order(Column("id")).fetchAll(db).map(\.title)
            #expect(titles == ["rest", "reap"])
        }
    }

    @Test("are not optional in a type for stored records")
    func storedRecords() throws {
        try makeDatabase().write { db in
            var task = Task(title: "sow")
            let stored = try task.insertAndFetch(db, as: StoredTask.self)
            #expect(stored.id == 1 && task.id == 1)
            #expect(stored.createdAt == first && stored.changedAt == first)
        }
    }
}
#endif
