import Foundation
import Workload

/// Opens a pool on each of 100 files, and reads one value. Closing the pools isn't timed.
///
/// Each file is new, like that of an application that has just been started. Libraries leave different files behind
/// when they close a database, which would make the next opening faster or slower.
struct OpenPool: Case {
    static let name = "open-pool"

    private let folder: Folder
    private let pools = Pools()
    private var paths: [String] = []

    init(folder: Folder) throws {
        self.folder = folder
    }

    mutating func reset() throws {
        try pools.close()
        paths = try (1...Int(ACCESSES_OPENINGS)).map { number in
            let file = String(format: OPENINGS_FILE, number)
            _ = try folder.fresh(file)
            return try folder.fixture(file, script: [ACCESSES_WAL, OPENINGS_TABLE, OPENINGS_FILL])
        }
    }

    func run() throws -> Int {
        var sum = 0
        for path in paths {
            let pool = try DatabasePool(path: path, configuration: .accesses)
            sum &+= try pool.read { db in try Int.fetchOne(db, sql: OPENINGS_SELECT)! }
            pools.opened.append(pool)
        }
        return sum
    }

    /// The pools of the last run.
    private final class Pools {
        var opened: [DatabasePool] = []

        func close() throws {
            for pool in opened { try pool.close() }
            opened = []
        }
    }
}
