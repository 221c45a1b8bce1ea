import Workload

/// 20,000 reads of one value, each a separate access of a pool.
struct TinyReadsPool: Case {
    static let name = "tiny-reads-pool"

    let pool: DatabasePool

    init(folder: Folder) throws {
        pool = try DatabasePool(path: folder.integersInWAL())
    }

    func run() throws -> Int {
        var sum = 0
        for _ in 0..<Int(INTEGERS_TINY_READS) {
            sum &+= try pool.read { db in try Int.fetchOne(db, sql: INTEGERS_SELECT_TINY)! }
        }
        return sum
    }
}
