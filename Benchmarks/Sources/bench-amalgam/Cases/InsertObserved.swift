import Amalgam
import Workload

/// 200,000 rows of ten integers through one `INSERT … SELECT`, while an observer receives every event and reads all of
/// its values.
struct InsertObserved: Case {
    static let name = "insert-observed"

    private var insert: Insert
    private let observer = ValueObserver()

    init(folder: Folder) throws {
        insert = try Insert(folder: folder)
    }

    mutating func reset() throws {
        try insert.reset()
        observer.sum = 0
        insert.queue.add(transactionObserver: observer)
    }

    func run() throws -> Int {
        try insert.queue.write { try $0.execute(sql: INTEGERS_FILL) }
        return 0
    }

    func checksum(of result: Int) throws -> Int { observer.sum }
}

private final class ValueObserver: TransactionObserver {
    // Used on the queue of the connection, by one run at a time.
    var sum = 0

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        for index in 0..<event.count {
            sum += event.finalDatabaseValue(atIndex: index).flatMap(Int.fromDatabaseValue) ?? 0
        }
    }

    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}
