import Workload

/// 20,000 reads of one value, each a separate access of a queue.
struct TinyReadsQueue: Case {
    static let name = "tiny-reads-queue"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.integers())
    }

    func run() throws -> Int {
        var sum = 0
        for _ in 0..<Int(INTEGERS_TINY_READS) {
            sum &+= try queue.read { db in try Int.fetchOne(db, sql: INTEGERS_SELECT_TINY)! }
        }
        return sum
    }
}
