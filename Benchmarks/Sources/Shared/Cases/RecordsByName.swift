import Workload

/// 200,000 rows of ten integers as records that read their columns by name.
struct RecordsByName: Case {
    static let name = "records-by-name"

    private struct Record: FetchableRecord {
        let i0, i1, i2, i3, i4, i5, i6, i7, i8, i9: Int

        init(row: Row) {
            i0 = row["i0"]
            i1 = row["i1"]
            i2 = row["i2"]
            i3 = row["i3"]
            i4 = row["i4"]
            i5 = row["i5"]
            i6 = row["i6"]
            i7 = row["i7"]
            i8 = row["i8"]
            i9 = row["i9"]
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
