import Workload

/// 20,000 records with one changed column each, updated in one transaction.
struct UpdateChanges: Case {
    static let name = "update-changes"

    private var insert: InsertRecords
    private var records: [IntegersRecord] = []

    init(folder: Folder) throws {
        insert = try InsertRecords(folder: folder)
    }

    mutating func reset() throws {
        try insert.reset()
        _ = try insert.run()
        records = try insert.queue.read { db in
            try IntegersRecord.limit(Int(INTEGERS_UPDATED_ROWS)).orderByPrimaryKey().fetchAll(db)
        }
    }

    func run() throws -> Int {
        try insert.queue.write { db in
            for (index, record) in records.enumerated() {
                var record = record
                try record.updateChanges(db) { $0.i3 += (index + 1) % 7 + 1 }
            }
            return 0
        }
    }

    func checksum(of result: Int) throws -> Int { try insert.checksum(of: result) }
}
