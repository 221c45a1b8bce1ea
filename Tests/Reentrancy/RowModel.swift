import Amalgam

/// A model of the rows of some tables, which an observer builds from its events only.
///
/// It begins with the rows of the tables, and applies each event. If an event doesn't match the rows, or the rows
/// finally differ from those of the tables, a row has changed without an event, or an event was sent twice.
///
/// If a statement fails in a transaction, its rows are undone after their events were sent. From then on the rows are
/// uncertain, until the transaction is rolled back, or committed and read again.
final class RowModel: TransactionObserver {
    typealias Rows = [Int64: [DatabaseValue]]

    /// The observed tables. Their key is the rowid, and their first three columns never move.
    static let tables = ["t", "u", "child"]
    private static let columnCount = 3

    private var rows: [String: Rows] = [:]
    private var committedRows: [String: Rows] = [:]
    private var isUncertain = false
    /// Whether `committedRows` may include those of a failed statement: objects that end with it may have committed
    /// before the failure was known.
    private var isCommitUncertain = false
    private(set) var contradictions: [String] = []

    init(_ db: Database) throws {
        rows = try Self.read(db)
        committedRows = rows
    }

    /// Called after a statement has failed.
    func statementFailed() {
        isUncertain = true
        isCommitUncertain = true
    }

    private static func read(_ db: Database) throws -> [String: Rows] {
        try Dictionary(
            uniqueKeysWithValues: tables.map { table in
                let rows = try Row.fetchAll(db, sql: "SELECT * FROM \(table)")
                return (table, Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as Int64, key($0.databaseValues)) }))
            })
    }

    private static func key(_ values: some Swift.Sequence<DatabaseValue>) -> [DatabaseValue] {
        Array(values.prefix(columnCount))
    }

    /// Compares the rows with those of the tables, outside of a transaction.
    func compare(_ db: Database) throws {
        if isUncertain { return }
        for (table, actual) in try Self.read(db) where actual != rows[table] {
            contradictions.append("\(table) has \(actual), and its events told \(rows[table] ?? [:])")
        }
    }

    // MARK: Events

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { Self.tables.contains(eventKind.tableName) }

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        let table = event.tableName
        if let id = event.initialRowID {
            let row = rows[table]?.removeValue(forKey: id)
            check(
                row == event.initialDatabaseValues.map(Self.key),
                "\(event.kind) of row \(id) of \(table): it is \(row ?? [])")
        }
        if let id = event.finalRowID, let values = event.finalDatabaseValues {
            let row = rows[table]?.updateValue(Self.key(values), forKey: id)
            check(row == nil, "\(event.kind) makes a second row \(id) of \(table)")
        }
    }

    private func check(_ isTrue: Bool, _ contradiction: @autoclosure () -> String) {
        if !isTrue && !isUncertain { contradictions.append(contradiction()) }
    }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseDidCommit(_ db: Database) {
        if isUncertain, let actual = try? Self.read(db) { (rows, isUncertain) = (actual, false) }
        (committedRows, isCommitUncertain) = (rows, isUncertain)
    }

    func databaseDidRollback(_ db: Database) {
        if isCommitUncertain, let actual = try? Self.read(db) { (committedRows, isCommitUncertain) = (actual, false) }
        (rows, isUncertain) = (committedRows, false)
    }
}
