import Workload

/// A thread writes 1,000 rows, each in a transaction of its own, while eight threads read one value again and again.
struct WritesBesideReaders: Case {
    static let name = "writes-beside-readers"

    let pool: DatabasePool

    init(folder: Folder) throws {
        pool = try folder.poolWithNotes()
    }

    mutating func reset() throws {
        try pool.write { db in try db.execute(sql: NOTES_DELETE) }
    }

    func run() throws -> Int {
        let (pool, end) = (pool, Whistle())
        let readers = Crew(Int(ACCESSES_READERS)) {
            var isRead = 0
            while end.isSilent { isRead = min(1, try pool.tinyRead()) }
            return isRead
        }
        defer { end.blow() }
        for number in 1...Int(ACCESSES_WRITES) { try pool.addNote(number) }
        end.blow()
        _ = try readers.join()
        return 0
    }

    func checksum(of result: Int) throws -> Int {
        try pool.read { db in try Int.fetchOne(db, sql: NOTES_CHECKSUM)! }
    }
}
