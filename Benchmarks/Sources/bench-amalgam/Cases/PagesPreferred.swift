import Amalgam
import Workload

// The reads of `AsyncPagesQueue` and `AsyncPagesPool`, by a task that prefers the executor of the database.

struct AsyncPagesQueuePreferred: Case {
    static let name = "async-pages-queue-preferred"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.integers())
    }

    func run() throws -> Int {
        try inTask { [queue] in
            try await withTaskExecutorPreference(queue.taskExecutor) { try await queue.sumOfPages() }
        }
    }
}

struct AsyncPagesPoolPreferred: Case {
    static let name = "async-pages-pool-preferred"

    let pool: DatabasePool

    init(folder: Folder) throws {
        pool = try DatabasePool(path: folder.integersInWAL())
    }

    func run() throws -> Int {
        try inTask { [pool] in
            try await withTaskExecutorPreference(pool.taskExecutor) { try await pool.sumOfPages() }
        }
    }
}
