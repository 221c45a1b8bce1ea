import Foundation
import Workload

/// A thread writes 1,000 rows, each in a transaction of its own, while eight threads read one value a millisecond each.
///
/// All programs serve the same reads. Readers without a pause would compare something else: of two libraries, the one
/// that lets them read 25 times as often leaves less of the processors to the writer.
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
