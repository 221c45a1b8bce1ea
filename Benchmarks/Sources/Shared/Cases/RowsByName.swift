import Workload

/// 200,000 rows of ten integers through a cursor, columns by name.
struct RowsByName: Case {
    static let name = "rows-by-name"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.integers())
    }

    func run() throws -> Int {
        try queue.read { db in
            var sum = 0
            let rows = try Row.fetchCursor(db, sql: INTEGERS_SELECT_ROWS)
            while let row = try rows.next() {
                sum &+= row["i0"] as Int
                sum &+= row["i1"] as Int
                sum &+= row["i2"] as Int
                sum &+= row["i3"] as Int
                sum &+= row["i4"] as Int
                sum &+= row["i5"] as Int
                sum &+= row["i6"] as Int
                sum &+= row["i7"] as Int
                sum &+= row["i8"] as Int
                sum &+= row["i9"] as Int
            }
            return sum
        }
    }
}
