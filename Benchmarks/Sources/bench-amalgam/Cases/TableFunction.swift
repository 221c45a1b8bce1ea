import Workload

/// A million integers from a Swift sequence, summed by SQL.
struct TableFunction: Case {
    static let name = "table-function"

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        let series = DatabaseTableFunction(SERIES_NAME, arguments: ["start", "stop"], columns: ["value"]) { arguments in
            let (start, stop): (Int, Int) = (try arguments["start"], try arguments["stop"])
            return stride(from: start, through: stop, by: 1)
        }
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.add(tableFunction: series) }
        queue = try DatabaseQueue(configuration: configuration)
    }

    func run() throws -> Int {
        try queue.read { db in try Int.fetchOne(db, sql: SERIES_SUM) ?? 0 }
    }
}
