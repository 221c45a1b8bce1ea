import Workload

/// 20,000 `Codable` records fetched by key, in one read.
struct RecordByKey: Case {
    static let name = "record-by-key"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.integers())
    }

    func run() throws -> Int {
        try queue.read { db in
            var sum = 0
            for lookup in 0..<Int(INTEGERS_LOOKUPS) {
                let id = lookup * Int(INTEGERS_LOOKUP_STRIDE) % Int(INTEGERS_LOOKUPS) + 1
                let record = try IntegersRecord.fetchOne(db, key: id)!
                sum &+= record.sum &+ Int(record.id!)
            }
            return sum
        }
    }
}
