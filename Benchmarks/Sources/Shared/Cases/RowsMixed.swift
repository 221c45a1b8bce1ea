import Foundation
import Workload

/// 100,000 rows of mixed types through a cursor, columns by position.
struct RowsMixed: Case {
    static let name = "rows-mixed"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.mixed())
    }

    func run() throws -> Int {
        try queue.read { db in
            var sum = 0
            let rows = try Row.fetchCursor(db, sql: MIXED_SELECT)
            while let row = try rows.next() {
                let id: Int = row[0]
                let name: String = row[1]
                let email: String = row[2]
                let score: Double = row[3]
                let seen: Date = row[4]
                let avatar: Data? = row[5]
                sum &+= id &+ name.utf8.count &+ email.utf8.count &+ Int(score)
                sum &+= Int((seen.timeIntervalSinceReferenceDate * 1000).rounded()) &+ (avatar?.count ?? 0)
            }
            return sum
        }
    }
}
