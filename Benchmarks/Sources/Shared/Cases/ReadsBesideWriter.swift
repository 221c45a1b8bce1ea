import Workload

/// Eight threads read one value 5,000 times each, while another thread writes rows without a pause.
struct ReadsBesideWriter: Case {
    static let name = "reads-beside-writer"

    let pool: DatabasePool

    init(folder: Folder) throws {
        pool = try folder.poolWithNotes()
    }

    mutating func reset() throws {
        try pool.write { db in try db.execute(sql: NOTES_DELETE) }
    }

    func run() throws -> Int {
        let (pool, end) = (pool, Whistle())
        let writer = Crew(1) {
            while end.isSilent { try pool.addNote(1) }
            return 0
        }
        let readers = Crew(Int(ACCESSES_READERS)) {
            var sum = 0
            for _ in 0..<Int(ACCESSES_READS_OF_EACH) { sum &+= try pool.tinyRead() }
            return sum
        }
        let sum = try readers.join()
        end.blow()
        return try sum &+ writer.join()
    }
}
