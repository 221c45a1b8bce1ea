import Foundation
import Workload

/// 200,000 dates fetched as an array, which is then read and released.
struct Dates: Case {
    static let name = "dates"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.dates())
    }

    func run() throws -> Int {
        let dates = try queue.read { db in try Date.fetchAll(db, sql: DATES_SELECT) }
        var milliseconds = 0
        for date in dates { milliseconds &+= Int((date.timeIntervalSinceReferenceDate * 1000).rounded()) }
        return milliseconds
    }
}

/// 200,000 dates, each bound as an argument of one statement, which runs at the end.
struct DatesBound: Case {
    static let name = "dates-bound"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue()
    }

    func run() throws -> Int {
        try queue.read { db in
            let statement = try db.makeStatement(sql: BOUND_SELECT)
            for number in 1...Int(BOUND_VALUES) {
                try statement.setArguments([Date(timeIntervalSinceReferenceDate: Double(number) * 7654.125)])
            }
            return try Int.fetchOne(statement)!
        }
    }
}
