import Foundation
import Workload

/// A thread writes 1,000 rows, each in a separate transaction, while eight threads read one value per millisecond each.
///
/// All programs perform the same number of reads. Readers without a pause would not be comparable: a library that lets
/// them read 25 times as often leaves less processor time to the writer.
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
            while end.isSilent {
                _ = try pool.tinyRead()
                usleep(UInt32(ACCESSES_PAUSE))
            }
            return 0
        }
        defer { end.blow() }
        for number in 1...Int(ACCESSES_WRITES) { try pool.addNote(number) }
        end.blow()
        return try readers.join()
    }

    func checksum(of result: Int) throws -> Int {
        try pool.read { db in try Int.fetchOne(db, sql: NOTES_CHECKSUM)! }
    }
}
