import Amalgam

/// The inserts of ``Insert``, while an observer observes another table.
struct InsertWatched: Case {
    static let name = "insert-watched"

    private var insert: Insert
    private let observer = OtherTableObserver()

    init(folder: Folder) throws {
        insert = try Insert(folder: folder)
    }

    mutating func reset() throws {
        try insert.reset()
        insert.queue.add(transactionObserver: observer)
    }

    func run() throws -> Int { try insert.run() }
    func checksum(of result: Int) throws -> Int { try insert.checksum(of: result) }
}

private final class OtherTableObserver: TransactionObserver {
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "other" }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}
