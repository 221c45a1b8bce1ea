import Workload

/// 200,000 rows of ten integers as an array of rows, which is then read and released.
struct RowsCopied: Case {
    static let name = "rows-copied"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.integers())
    }

    func run() throws -> Int {
        let rows = try queue.read { db in try Row.fetchAll(db, sql: INTEGERS_SELECT_ROWS) }
        var sum = 0
        for row in rows {
            for column in 0..<Int(INTEGERS_COLUMNS) { sum &+= row[column] as Int }
        }
        return sum
    }
}
