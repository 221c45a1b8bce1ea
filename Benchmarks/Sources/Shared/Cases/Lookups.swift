import Workload

/// 20,000 rows looked up by key in one read, each time through the connection's statement cache, three columns read.
struct Lookups: Case {
    static let name = "lookups"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.integers())
    }

    func run() throws -> Int {
        try queue.read { db in
            var sum = 0
            for lookup in 0..<Int(INTEGERS_LOOKUPS) {
                let id = lookup * Int(INTEGERS_LOOKUP_STRIDE) % Int(INTEGERS_LOOKUPS) + 1
                let statement = try db.cachedStatement(sql: INTEGERS_SELECT_BY_KEY)
                let row = try Row.fetchOne(statement, arguments: [id])!
                sum &+= row[0] as Int
                sum &+= row[1] as Int
                sum &+= row[2] as Int
            }
            return sum
        }
    }
}
