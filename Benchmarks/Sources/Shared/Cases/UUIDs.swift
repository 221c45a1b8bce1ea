import Foundation
import Workload

/// 200,000 UUIDs fetched as an array, which is then read and released.
struct UUIDs: Case {
    static let name = "uuids"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.uuids())
    }

    func run() throws -> Int {
        let uuids = try queue.read { db in try UUID.fetchAll(db, sql: UUIDS_SELECT) }
        var sum = 0
        for uuid in uuids { sum &+= Int(uuid.uuid.7) &+ Int(uuid.uuid.15) }
        return sum
    }
}

/// 200,000 UUIDs, each bound as an argument of one statement, which runs at the end.
struct UUIDsBound: Case {
    static let name = "uuids-bound"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue()
    }

    func run() throws -> Int {
        try queue.read { db in
            let statement = try db.makeStatement(sql: BOUND_SELECT)
            var bytes: uuid_t = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
            for number in 1...Int(BOUND_VALUES) {
                bytes.15 = UInt8(truncatingIfNeeded: number)
                try statement.setArguments([UUID(uuid: bytes)])
            }
            return try Int.fetchOne(statement)!
        }
    }
}
