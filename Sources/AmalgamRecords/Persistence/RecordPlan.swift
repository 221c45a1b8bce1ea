import AmalgamCore
import AmalgamQuery

/// What a connection knows about writing the records of one type: their columns, how they are encoded, and the texts of
/// statements. The statements themselves are those of the connection, by their texts.
final class RecordPlan {
    let tableName: String

    /// The columns of the last record.
    private var columns: [String] = []

    /// The encoder of the last record, when it is `Encodable`.
    private var encoder: RecordEncoder?

    private var insertion: Insertion?
    private var knownShape: RecordShape?

    init(tableName: String) {
        self.tableName = tableName
    }

    /// The columns of a record.
    ///
    /// - throws: errors of the record; `SQLITE_MISUSE` for a record without columns.
    func encode(_ record: some EncodableRecord) throws -> PersistenceContainer {
        let container = try encodeForComparison(record)
        if container.isEmpty {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "\(type(of: record)): invalid empty persistence container")
        }
        return container
    }

    /// The columns of a record that is compared with another one: it may have none.
    ///
    /// - throws: errors of the record.
    func encodeForComparison(_ record: some EncodableRecord) throws -> PersistenceContainer {
        var container = PersistenceContainer(expecting: columns)
        container.encoder = encoder
        try record.encode(to: &container)
        encoder = container.encoder
        container.encoder = nil
        columns = container.columnNames
        return container
    }

    /// Where the key and the other columns of a record are.
    ///
    /// - throws: `no such table: x`, `database view x has no primary key`.
    func shape(_ db: Database, _ container: PersistenceContainer) throws -> RecordShape {
        let primaryKey = try db.primaryKey(tableName)
        let columns = container.columnNames
        if let knownShape, knownShape.isShape(of: columns, primaryKey) { return knownShape }
        let shape = try RecordShape(db, tableName, columns, primaryKey)
        knownShape = shape
        return shape
    }

    // MARK: Results of statements

    /// The rowid of the row that an INSERT statement has just inserted; nil when it inserted none because of a conflict that
    /// is ignored.
    ///
    /// SQLite doesn't count the rows that are inserted into a view: its triggers decide what becomes of them.
    func insertedRowID(_ db: Database) throws -> Int64? {
        try db.changesCount > 0 || db.viewExists(tableName) ? db.lastInsertedRowID : nil
    }

    /// Whether the statement that has just run has changed a row of the table, or of a view with triggers.
    ///
    /// SQLite doesn't count the changed rows of a view, and counts in total those that the triggers of the view have changed.
    ///
    /// - Parameter changesBefore: the total number of changes before the statement.
    func hasChangedRow(_ db: Database, since changesBefore: Int) throws -> Bool {
        try db.changesCount > 0 || db.totalChangesCount > changesBefore && db.viewExists(tableName)
    }

    // MARK: INSERT

    private struct Insertion {
        var columns: [String]
        var conflictResolution: Database.ConflictResolution
        var sql: String
    }

    /// `INSERT INTO "player" ("id", "name") VALUES (?,?)`
    func insertion(
        _ container: PersistenceContainer, _ conflictResolution: Database.ConflictResolution
    ) -> RecordStatement {
        let columns = container.columnNames
        let sql: String
        if let insertion, insertion.conflictResolution == conflictResolution, insertion.columns == columns {
            sql = insertion.sql
        } else {
            sql = insertSQL(columns, conflictResolution)
            insertion = Insertion(columns: columns, conflictResolution: conflictResolution, sql: sql)
        }
        return RecordStatement(sql: sql, arguments: StatementArguments(container.values))
    }

    private func insertSQL(_ columns: [String], _ conflictResolution: Database.ConflictResolution) -> String {
        let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ",")
        let table = tableName.quotedDatabaseIdentifier
        return "INSERT\(conflictResolution.clause) INTO \(table) (\(names)) VALUES (\(marks))"
    }
}

extension Database.ConflictResolution {
    /// ` OR REPLACE`; nothing for the default of SQLite.
    var clause: String { self == .abort ? "" : " OR \(rawValue)" }
}
