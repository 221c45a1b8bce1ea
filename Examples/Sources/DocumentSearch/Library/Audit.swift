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

extension Library {
    /// The trail of a document, after an entry.
    func trail(documentID: Int64, after entryID: Int64) throws -> [AuditEntry] {
        let sql = "SELECT columnName, old, new FROM audit WHERE documentId = ? AND id > ? ORDER BY id"
        return try pool.read { db in
            try Row.fetchAll(db, sql: sql, arguments: [documentID, entryID]).map { row in
                AuditEntry(column: row[0], old: row[1], new: row[2])
            }
        }
    }

    func lastAuditID() throws -> Int64 {
        try pool.read { db in try Int64.fetchOne(db, sql: "SELECT coalesce(max(id), 0) FROM audit")! }
    }
}
