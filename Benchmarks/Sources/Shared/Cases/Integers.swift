import Workload

/// 200,000 integers fetched as an array, which is then summed and released.
struct Integers: Case {
    static let name = "integers"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.integers())
    }

    func run() throws -> Int {
        let integers = try queue.read { db in try Int.fetchAll(db, sql: INTEGERS_SELECT_VALUES) }
        var sum = 0
        for integer in integers { sum &+= integer }
        return sum
    }
}
