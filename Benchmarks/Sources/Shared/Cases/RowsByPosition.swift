import Workload

/// 200,000 rows of ten integers through a cursor, columns by position.
struct RowsByPosition: Case {
    static let name = "rows-by-position"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.integers())
    }

    func run() throws -> Int {
        try queue.read { db in
            var sum = 0
            let rows = try Row.fetchCursor(db, sql: INTEGERS_SELECT_ROWS)
            while let row = try rows.next() {
                for column in 0..<Int(INTEGERS_COLUMNS) { sum &+= row[column] as Int }
            }
            return sum
        }
    }
}
