import Dispatch
import Workload

/// The inserts of ``Insert``, while observations track other tables.
protocol InsertingBeside: Case {
    static var observationCount: Int { get }
    var insert: InsertBeside { get set }
    init(insert: InsertBeside)
}

extension InsertingBeside {
    init(folder: Folder) throws { self.init(insert: try InsertBeside(folder, count: Self.observationCount)) }
    mutating func reset() throws { try insert.reset() }
    func run() throws -> Int { try insert.run() }
    func checksum(of result: Int) throws -> Int { try insert.checksum(of: result) }
}

struct InsertBeside1: InsertingBeside {
    static let name = "insert-beside-1"
    static let observationCount = 1
    var insert: InsertBeside
}

struct InsertBeside100: InsertingBeside {
    static let name = "insert-beside-100"
    static let observationCount = 100
    var insert: InsertBeside
}

/// The inserts, with observations of ten other tables.
struct InsertBeside {
    private let count: Int
    private var insert: Insert
    private var cancellables: [AnyDatabaseCancellable] = []

    init(_ folder: Folder, count: Int) throws {
        self.count = count
        insert = try Insert(folder: folder)
    }

    mutating func reset() throws {
        for cancellable in cancellables { cancellable.cancel() }
        try insert.reset()
        try insert.queue.write { db in
            for number in 0..<Int(BESIDE_TABLES) {
                try db.execute(sql: "CREATE TABLE \(BESIDE_TABLE)\(number)\(BESIDE_COLUMNS)")
            }
        }
        let (queue, firstValues) = (DispatchQueue(label: "values"), DispatchSemaphore(value: 0))
        cancellables = (0..<count).map { number in
            let table = "\(BESIDE_TABLE)\(number % Int(BESIDE_TABLES))"
            return
                ValueObservation
                .tracking { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0 }
                .start(
                    in: insert.queue, scheduling: .async(onQueue: queue), onError: { fatalError("\($0)") },
                    onChange: { _ in firstValues.signal() })
        }
        for _ in 0..<count { firstValues.wait() }
    }

    func run() throws -> Int { try insert.run() }

    func checksum(of result: Int) throws -> Int { try insert.checksum(of: result) }
}
