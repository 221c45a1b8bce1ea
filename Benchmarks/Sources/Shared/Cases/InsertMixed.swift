import Foundation
import Workload

/// 50,000 rows of mixed types through one statement, in one transaction, into a new file.
struct InsertMixed: Case {
    static let name = "insert-mixed"

    let folder: Folder
    var queue: DatabaseQueue
    let names = (0..<20).map { String("Anna-Lena van der Meulen".prefix(4 + $0)) }
    let emails = (0..<64).map { "player\($0 * 1_001)@mail.example.org" }
    let avatars = (0..<10).map {
        Data("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8.dropFirst($0))
    }

    init(folder: Folder) throws {
        self.folder = folder
        queue = try DatabaseQueue()
    }

    mutating func reset() throws {
        try queue.close()
        queue = try DatabaseQueue(path: folder.fresh("insert-mixed.sqlite"), configuration: .unsynchronized)
        try queue.write { db in try db.execute(sql: MIXED_TABLE) }
    }

    func run() throws -> Int {
        try queue.write { db in
            let statement = try db.makeStatement(sql: MIXED_INSERT)
            for row in 1...Int(MIXED_INSERTED_ROWS) {
                try statement.execute(arguments: [
                    row,
                    names[row % 20],
                    emails[row % 64],
                    Double(row) / 8,
                    Date(timeIntervalSinceReferenceDate: Double(row) * 4321.125),
                    row % 3 > 0 ? avatars[row % 10] : nil,
                ])
            }
            return 0
        }
    }

    func checksum(of result: Int) throws -> Int {
        try queue.read { db in try Int.fetchOne(db, sql: MIXED_CHECKSUM)! }
    }
}
