import Amalgam
import Workload

/// One statement that updates a column of 200,000 rows of ten integers, in a transaction.
struct BulkUpdate: Case {
    static let name = "bulk-update"

    private var update: UpdatedIntegers

    init(folder: Folder) throws { update = try UpdatedIntegers(folder) }
    mutating func reset() throws { try update.reset() }
    func run() throws -> Int { try update.run() }
    func checksum(of result: Int) throws -> Int { try update.checksum() }
}

/// The same update, recorded in an audit log.
struct BulkUpdateAudited: Case {
    static let name = "bulk-update-audited"

    private var update: UpdatedIntegers

    init(folder: Folder) throws { update = try UpdatedIntegers(folder) }

    mutating func reset() throws {
        try update.reset()
        try update.queue.audit("integers")
    }

    func run() throws -> Int { try update.run() }

    func checksum(of result: Int) throws -> Int {
        let count = try update.queue.read { db in try AuditLog.Entry.fetchCount(db) }
        precondition(count > 0, "nothing was recorded")
        return try update.checksum()
    }
}

/// The same update, recorded by a trigger that writes JSON, which is the usual way without pre-update values.
struct BulkUpdateTriggered: Case {
    static let name = "bulk-update-triggered"

    private var update: UpdatedIntegers

    init(folder: Folder) throws { update = try UpdatedIntegers(folder) }

    mutating func reset() throws {
        try update.reset()
        try update.queue.write { db in try db.execute(sql: Self.definition) }
    }

    func run() throws -> Int { try update.run() }
    func checksum(of result: Int) throws -> Int { try update.checksum() }

    /// A log with the same columns and index, and a trigger that records the changed columns.
    private static var definition: String {
        let changes = (0..<10).map { index in
            """
            SELECT 'i\(index)' AS name, json_array(old.i\(index), new.i\(index)) AS change
            WHERE old.i\(index) IS NOT new.i\(index)
            """
        }
        return """
            CREATE TABLE log (
              id INTEGER PRIMARY KEY, originID INTEGER, tableID INTEGER, operation INTEGER, key, newKey, changes TEXT);
            CREATE INDEX log_by_key ON log (tableID, key);
            CREATE TRIGGER audit AFTER UPDATE ON integers BEGIN
              INSERT INTO log (originID, tableID, operation, key, changes)
              SELECT 1, 1, 23, old.id, json_group_object(name, json(change))
              FROM (\(changes.joined(separator: " UNION ALL ")));
            END;
            """
    }
}

/// A file with the rows.
private struct UpdatedIntegers {
    let folder: Folder
    var queue: DatabaseQueue

    init(_ folder: Folder) throws {
        self.folder = folder
        queue = try DatabaseQueue()
    }

    mutating func reset() throws {
        try queue.close()
        queue = try DatabaseQueue(path: folder.fresh("update.sqlite"), configuration: .unsynchronized)
        try queue.write { db in
            try db.execute(sql: INTEGERS_TABLE)
            try db.execute(sql: INTEGERS_FILL)
        }
    }

    func run() throws -> Int {
        try queue.write { db in try db.execute(sql: "UPDATE integers SET i3 = i3 + 1") }
        return 0
    }

    func checksum() throws -> Int {
        try queue.read { db in try Int.fetchOne(db, sql: INTEGERS_CHECKSUM)! }
    }
}
