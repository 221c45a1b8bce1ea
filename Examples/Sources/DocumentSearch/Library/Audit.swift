import Amalgam

/// Notes which columns of documents change, from what to what.
///
/// An observer must not use the connection when it hears of a change. So this one collects copies of the values, and
/// `audited(_:_:)` writes them when the statements have run, in the same transaction: edit and trail are committed
/// together, or not at all.
final class ColumnAudit: TransactionObserver {
    private struct Change {
        var documentID: Int64?
        var column: Int
        var old: DatabaseValue
        var new: DatabaseValue
    }

    private var changes: [Change] = []

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        if case .update(tableName: "document", columnNames: _) = eventKind { true } else { false }
    }

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        for column in 0..<event.count {
            guard let old = event.initialDatabaseValue(atIndex: column),
                let new = event.finalDatabaseValue(atIndex: column), old != new
            else { continue }
            changes.append(Change(documentID: event.initialRowID, column: column, old: old, new: new))
        }
    }

    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}

    /// An event counts columns: their names come from the schema.
    fileprivate func save(_ db: Database) throws {
        let insert = try db.cachedStatement(
            sql: """
                INSERT INTO audit (documentId, columnName, old, new)
                SELECT :id, name, :old, :new FROM pragma_table_info('document') WHERE cid = :column
                """)
        for change in changes {
            try insert.execute(arguments: [
                "id": change.documentID, "column": change.column, "old": change.old, "new": change.new,
            ])
        }
    }
}

/// Runs an edit, and writes its trail to the table `audit`.
///
/// To be called in a transaction, and not in a savepoint: observers hear of the changes made in a savepoint when it
/// has ended.
func audited<T>(_ db: Database, _ edit: () throws -> T) throws -> T {
    let audit = ColumnAudit()
    db.add(transactionObserver: audit)
    defer { db.remove(transactionObserver: audit) }
    let result = try edit()
    try audit.save(db)
    return result
}

/// A line of the trail.
struct AuditEntry: Equatable {
    var column: String
    var old: DatabaseValue
    var new: DatabaseValue
}

extension AuditEntry: FetchableRecord, TableRecord {
    static let databaseTableName = "audit"

    enum Columns {
        static let id = Column("id")
        static let documentId = Column("documentId")
    }

    init(row: Row) {
        self.init(column: row["columnName"], old: row["old"], new: row["new"])
    }
}

extension Library {
    /// The trail of a document, after an entry.
    func trail(documentID: Int64, after entryID: Int64) throws -> [AuditEntry] {
        try pool.read { db in
            try AuditEntry
                .filter { $0.documentId == documentID && $0.id > entryID }
                .order(\.id)
                .fetchAll(db)
        }
    }

    func lastAuditID() throws -> Int64 {
        try pool.read { db in try AuditEntry.select({ max($0.id) }, as: Int64.self).fetchOne(db) ?? 0 }
    }
}
