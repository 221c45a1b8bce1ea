import Foundation
import Workload

/// 200,000 rows of ten integers as an array of records.
struct RecordsMacro: Case {
    static let name = "records-macro"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.integers())
    }

    func run() throws -> Int {
        let records = try queue.read { db in try MacroIntegers.fetchAll(db, sql: INTEGERS_SELECT_ROWS) }
        return records.reduce(0) { $0 &+ $1.sum }
    }
}

/// 200,000 rows of mixed types as an array of records.
struct RecordsMacroMixed: Case {
    static let name = "records-macro-mixed"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.profiles())
    }

    func run() throws -> Int {
        let records = try queue.read { db in try MacroMixed.fetchAll(db, sql: PROFILES_SELECT) }
        var sum = 0
        for record in records {
            sum &+= record.id &+ record.name.utf8.count &+ record.email.utf8.count &+ Int(record.score)
            sum &+= Int((record.seen.timeIntervalSinceReferenceDate * 1000).rounded())
        }
        return sum
    }
}

/// 20,000 records fetched by key, in one read.
struct RecordByKeyMacro: Case {
    static let name = "record-by-key-macro"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.integers())
    }

    func run() throws -> Int {
        try queue.read { db in
            var sum = 0
            for lookup in 0..<Int(INTEGERS_LOOKUPS) {
                let id = lookup * Int(INTEGERS_LOOKUP_STRIDE) % Int(INTEGERS_LOOKUPS) + 1
                let record = try MacroIntegers.fetchOne(db, key: id)!
                sum &+= record.sum &+ Int(record.id!)
            }
            return sum
        }
    }
}

/// 50,000 records of ten integers, in one transaction, into a new file.
struct InsertMacro: Case {
    static let name = "insert-macro"

    let folder: Folder
    var queue: DatabaseQueue

    init(folder: Folder) throws {
        self.folder = folder
        queue = try DatabaseQueue()
    }

    mutating func reset() throws {
        try queue.close()
        queue = try DatabaseQueue(path: folder.fresh("insert-macro.sqlite"), configuration: .unsynchronized)
        try queue.write { db in try db.execute(sql: INTEGERS_TABLE) }
    }

    func run() throws -> Int {
        try queue.write { db in
            for row in 1...Int(INTEGERS_INSERTED_ROWS) {
                let v = 10 * row
                var record = MacroIntegers(
                    i0: v, i1: v + 1, i2: v + 2, i3: v + 3, i4: v + 4, i5: v + 5, i6: v + 6, i7: v + 7, i8: v + 8,
                    i9: v + 9)
                try record.insert(db)
            }
            return 0
        }
    }

    func checksum(of result: Int) throws -> Int {
        try queue.read { db in try Int.fetchOne(db, sql: INTEGERS_CHECKSUM)! }
    }
}
