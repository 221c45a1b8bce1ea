import Amalgam
import Foundation
import Workload

/// The rows of ``Insert``, passed as values instead of arguments.
struct InsertValues: Case {
    static let name = "insert-values"

    private var insert: Insert

    init(folder: Folder) throws { insert = try Insert(folder: folder) }

    mutating func reset() throws { try insert.reset() }

    func run() throws -> Int {
        try insert.queue.write { db in
            let statement = try db.makeStatement(sql: INTEGERS_INSERT)
            for row in 1...Int(INTEGERS_INSERTED_ROWS) {
                let v = 10 * row
                try statement.execute(values: v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7, v + 8, v + 9)
            }
            return 0
        }
    }

    func checksum(of result: Int) throws -> Int { try insert.checksum(of: result) }
}

/// The rows of ``InsertMixed``, passed as values instead of arguments.
struct InsertValuesMixed: Case {
    static let name = "insert-values-mixed"

    private var insert: InsertMixed

    init(folder: Folder) throws { insert = try InsertMixed(folder: folder) }

    mutating func reset() throws { try insert.reset() }

    func run() throws -> Int {
        try insert.queue.write { db in
            let statement = try db.makeStatement(sql: MIXED_INSERT)
            for row in 1...Int(MIXED_INSERTED_ROWS) {
                try statement.execute(
                    values: row,
                    insert.names[row % 20],
                    insert.emails[row % 64],
                    Double(row) / 8,
                    Date(timeIntervalSinceReferenceDate: Double(row) * 4321.125),
                    row % 3 > 0 ? insert.avatars[row % 10] : nil)
            }
            return 0
        }
    }

    func checksum(of result: Int) throws -> Int { try insert.checksum(of: result) }
}
