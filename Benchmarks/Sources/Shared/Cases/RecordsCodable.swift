import Foundation
import Workload

/// 200,000 rows of ten integers as `Codable` records.
struct RecordsCodable: Case {
    static let name = "records-codable"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.integers())
    }

    func run() throws -> Int {
        let records = try queue.read { db in try IntegersRecord.fetchAll(db, sql: INTEGERS_SELECT_ROWS) }
        return records.reduce(0) { $0 &+ $1.sum }
    }
}

/// 200,000 rows of mixed types as `Codable` records.
struct RecordsCodableMixed: Case {
    static let name = "records-codable-mixed"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.profiles())
    }

    func run() throws -> Int {
        let records = try queue.read { db in try MixedRecord.fetchAll(db, sql: PROFILES_SELECT) }
        var sum = 0
        for record in records {
            sum &+= record.id &+ record.name.utf8.count &+ record.email.utf8.count &+ Int(record.score)
            sum &+= Int((record.seen.timeIntervalSinceReferenceDate * 1000).rounded())
        }
        return sum
    }
}
