import Workload

/// 100 times: a pool is opened, one value is read, and the pool is closed.
struct OpenPool: Case {
    static let name = "open-pool"

    let path: String

    init(folder: Folder) throws {
        path = try folder.integersInWAL()
    }

    func run() throws -> Int {
        var sum = 0
        for _ in 0..<Int(ACCESSES_OPENINGS) {
            let pool = try DatabasePool(path: path, configuration: .accesses)
            sum &+= try pool.tinyRead()
            try pool.close()
        }
        return sum
    }
}
