import Workload

/// 20,000 reads of one value by a task, each a separate access of a queue.
struct AsyncTinyReadsQueue: Case {
    static let name = "async-tiny-reads-queue"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.integers())
    }

    func run() throws -> Int {
        try inTask { [queue] in
            var sum = 0
            for _ in 0..<Int(INTEGERS_TINY_READS) {
                sum &+= try await queue.read { db in try Int.fetchOne(db, sql: INTEGERS_SELECT_TINY)! }
            }
            return sum
        }
    }
}

/// 20,000 reads of one value by a task, each a separate access of a pool.
struct AsyncTinyReadsPool: Case {
    static let name = "async-tiny-reads-pool"

    let pool: DatabasePool

    init(folder: Folder) throws {
        pool = try DatabasePool(path: folder.integersInWAL())
    }

    func run() throws -> Int {
        try inTask { [pool] in
            var sum = 0
            for _ in 0..<Int(INTEGERS_TINY_READS) {
                sum &+= try await pool.read { db in try Int.fetchOne(db, sql: INTEGERS_SELECT_TINY)! }
            }
            return sum
        }
    }
}
