import Workload

/// 200,000 rows of ten integers as records that read their columns by position.
struct RecordsByPosition: Case {
    static let name = "records-by-position"

    private struct Record: FetchableRecord {
        let i0, i1, i2, i3, i4, i5, i6, i7, i8, i9: Int

        init(row: Row) {
            i0 = row[0]
            i1 = row[1]
            i2 = row[2]
            i3 = row[3]
            i4 = row[4]
            i5 = row[5]
            i6 = row[6]
            i7 = row[7]
            i8 = row[8]
            i9 = row[9]
        }

        var sum: Int {
            let first = i0 &+ i1 &+ i2 &+ i3 &+ i4
            return first &+ i5 &+ i6 &+ i7 &+ i8 &+ i9
        }
    }

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.integers())
    }

    func run() throws -> Int {
        let records = try queue.read { db in try Record.fetchAll(db, sql: INTEGERS_SELECT_ROWS) }
        return records.reduce(0) { $0 &+ $1.sum }
    }
}
