import Workload

/// 1,000 rows, each in a separate transaction, from one thread.
struct SmallWrites: Case {
    static let name = "small-writes"

    let pool: DatabasePool

    init(folder: Folder) throws {
        pool = try folder.poolWithNotes()
    }

    mutating func reset() throws {
        try pool.write { db in try db.execute(sql: NOTES_DELETE) }
    }

    func run() throws -> Int {
        for number in 1...Int(ACCESSES_WRITES) { try pool.addNote(number) }
        return 0
    }

    func checksum(of result: Int) throws -> Int {
        try pool.read { db in try Int.fetchOne(db, sql: NOTES_CHECKSUM)! }
    }
}
