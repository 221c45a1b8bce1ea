import Workload

/// 50,000 `Codable` records of ten integers, in one transaction, into a new file.
struct InsertRecords: Case {
    static let name = "insert-records"

    let folder: Folder
    var queue: DatabaseQueue

    init(folder: Folder) throws {
        self.folder = folder
        queue = try DatabaseQueue()
    }

    mutating func reset() throws {
        try queue.close()
        queue = try DatabaseQueue(path: folder.fresh("insert-records.sqlite"), configuration: .unsynchronized)
        try queue.write { db in try db.execute(sql: INTEGERS_TABLE) }
    }

    func run() throws -> Int {
        try queue.write { db in
            for row in 1...Int(INTEGERS_INSERTED_ROWS) {
                var record = IntegersRecord(number: row)
                try record.insert(db)
            }
            return 0
        }
    }

    func checksum(of result: Int) throws -> Int {
        try queue.read { db in try Int.fetchOne(db, sql: INTEGERS_CHECKSUM)! }
    }
}
