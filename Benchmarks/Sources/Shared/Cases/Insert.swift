import Workload

/// 50,000 rows of ten integers through one statement, in one transaction, into a new file.
struct Insert: Case {
    static let name = "insert"

    let folder: Folder
    var queue: DatabaseQueue

    init(folder: Folder) throws {
        self.folder = folder
        queue = try DatabaseQueue()
    }

    mutating func reset() throws {
        try queue.close()
        queue = try DatabaseQueue(path: folder.fresh("insert.sqlite"), configuration: .unsynchronized)
        try queue.write { db in try db.execute(sql: INTEGERS_TABLE) }
    }

    func run() throws -> Int {
        try queue.write { db in
            let statement = try db.makeStatement(sql: INTEGERS_INSERT)
            for row in 1...Int(INTEGERS_INSERTED_ROWS) {
                let v = 10 * row
                try statement.execute(arguments: [v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7, v + 8, v + 9])
            }
            return 0
        }
    }

    func checksum(of result: Int) throws -> Int {
        try queue.read { db in try Int.fetchOne(db, sql: INTEGERS_CHECKSUM)! }
    }
}
