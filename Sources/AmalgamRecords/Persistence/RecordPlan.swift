import AmalgamCore
import AmalgamQuery

/// The data that a connection caches for writing records of one type: the columns, the encoder, and SQL strings. The
/// compiled statements are in the connection's statement cache, which finds a statement by its SQL.
///
/// A plan is used on the thread that uses the connection.
final class RecordPlan {
    let tableName: String

    /// The columns of the most recently encoded record.
    private var columns: [String] = []

    /// The encoder of the most recently encoded record, if the type is `Encodable`.
    private var encoder: RecordEncoder?

    /// The writer of the most recently encoded record, if a macro has written its `encode(to:)`.
    @exclusivity(unchecked)  // Used from one thread, and not accessed during a change.
    private(set) var writer: RecordWriter?

    @exclusivity(unchecked)
    private var insertion: Insertion?

    /// Whether records are inserted without a container and callbacks; nil if this isn't known yet.
    @exclusivity(unchecked)
    private(set) var insertsDirectly: Bool?

    private var knownShape: RecordShape?

    /// The column of the rowid, which may be hidden, at the most recent insertion that wasn't direct.
    @exclusivity(unchecked)
    private var assignedColumn: String?

    /// Whether SQLite assigns the key of records that are inserted directly.
    @exclusivity(unchecked)
    private(set) var assignsKey = false

    init(tableName: String) {
        self.tableName = tableName
    }

    /// Encodes a record.
    ///
    /// - Throws: errors of the record; `SQLITE_MISUSE` if the record encodes no column.
    func encode(_ record: some EncodableRecord) throws -> PersistenceContainer {
        let container = try encodeForComparison(record)
        if container.isEmpty {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "\(type(of: record)): invalid empty persistence container")
        }
        return container
    }

    /// Encodes a record for a comparison. Unlike ``encode(_:)``, it accepts a record without columns.
    ///
    /// - Throws: errors of the record.
    func encodeForComparison(_ record: some EncodableRecord) throws -> PersistenceContainer {
        var container = PersistenceContainer(expecting: columns)
        container.encoder = encoder
        container.writer = writer
        try record.encode(to: &container)
        encoder = container.encoder
        writer = container.writer
        container.encoder = nil
        container.writer = nil
        columns = container.columnNames
        return container
    }

    /// Returns the shape of an encoded record: the positions of its primary key and other columns, and SQL strings.
    ///
    /// - Throws: `no such table: x`, `database view x has no primary key`.
    func shape(_ db: Database, _ container: PersistenceContainer) throws -> RecordShape {
        let primaryKey = try db.primaryKey(tableName)
        let columns = container.columnNames
        if let knownShape, knownShape.isShape(of: columns, primaryKey) { return knownShape }
        try checkInheritedProperties(db, columns)
        let shape = try RecordShape(db, tableName, columns, primaryKey)
        knownShape = shape
        return shape
    }

    // MARK: Results of statements

    /// Returns the rowid of the row that the latest INSERT statement has inserted; nil if an ignored conflict prevented
    /// the insertion.
    ///
    /// For a view, `sqlite3_changes` is 0, even if the view's INSTEAD OF triggers have inserted rows into tables.
    /// Therefore, the result for a view is always `sqlite3_last_insert_rowid`.
    func insertedRowID(_ db: Database) throws -> Int64? {
        try db.changesCount > 0 || db.viewExists(tableName) ? db.lastInsertedRowID : nil
    }

    /// Returns whether the latest statement has changed a row of the table, or of a view with triggers.
    ///
    /// For a view, `sqlite3_changes` is 0, but `sqlite3_total_changes` includes the rows that the view's INSTEAD OF
    /// triggers have changed.
    ///
    /// - Parameter changesBefore: the total number of changes before the statement.
    func hasChangedRow(_ db: Database, since changesBefore: Int) throws -> Bool {
        try db.changesCount > 0 || db.totalChangesCount > changesBefore && db.viewExists(tableName)
    }

    // MARK: INSERT

    private final class Insertion {
        let columns: [String]
        let conflictResolution: Database.ConflictResolution?
        let sql: String

        init(columns: [String], conflictResolution: Database.ConflictResolution?, sql: String) {
            self.columns = columns
            self.conflictResolution = conflictResolution
            self.sql = sql
        }
    }

    /// Returns the INSERT statement of an encoded record: `INSERT INTO "player" ("id", "name") VALUES (?,?)`.
    func insertion(
        _ container: PersistenceContainer, _ conflictResolution: Database.ConflictResolution?
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

    /// Returns the type if it isn't decided yet how its records are inserted.
    func undecidedType(_ type: any MutablePersistableRecord.Type) -> (any _DeclaredRecord.Type)? {
        if insertsDirectly != nil { return nil }
        if let declared = type as? any _DeclaredRecord.Type { return declared }
        insertsDirectly = false
        return nil
    }

    /// Decides how the next records are inserted, after a record was inserted.
    ///
    /// - Parameter hasDefaultCallbacks: Whether the record type implements no callback. `didInsert(_:)` may be one that a
    ///   macro has written.
    func decideInsertion(of type: any _DeclaredRecord.Type, hasDefaultCallbacks: Bool) {
        // If the type had its own `encode(to:)`, there would be no writer for its columns.
        let columns = type._recordColumns
        insertsDirectly = hasDefaultCallbacks && writer?.columns === columns && !columns.assignsStoredForms
    }

    /// Notes the column of the rowid, which an insertion has looked up.
    func note(assignedColumn: String?, _ type: any MutablePersistableRecord.Type) {
        if assignedColumn == self.assignedColumn { return }
        self.assignedColumn = assignedColumn
        assignsKey = (type as? any _DeclaredRecord.Type)?._recordColumns.isOnlyKey(assignedColumn) ?? false
    }

    /// Inserts a record whose values are bound straight to the parameters of the statement.
    ///
    /// - Returns: Nil if the record has to be inserted in the general way.
    func insertDirectly(
        _ record: some EncodableRecord, _ db: Database, _ conflictResolution: Database.ConflictResolution?
    ) throws -> DirectInsertion? {
        guard insertsDirectly == true, let insertion, insertion.conflictResolution == conflictResolution,
            db.runsStatementsPlainly, writer != nil,
            // After a change of the schema, there is none. The general way finds out if the table still exists.
            let statement = db.acquireCachedStatement(sql: insertion.sql)
        else { return nil }
        defer { statement.returnToCache() }
        var container = PersistenceContainer()
        // Without a writer, this method returns nil: while the record is encoded, its values may insert other records.
        swap(&container.writer, &writer)
        defer { swap(&container.writer, &writer) }
        do {
            let isInserted = try statement.execute(valueCount: insertion.columns.count) { values in
                try container.bind(record, to: &values)
            }
            return isInserted ? DirectInsertion(rowID: try insertedRowID(db)) : nil
        } catch let error as DatabaseError where error.mayComeFromNaN {
            throw error.explained(by: (try? record.databaseDictionary).map { Array($0.values) } ?? [])
        }
    }

    private func insertSQL(_ columns: [String], _ conflictResolution: Database.ConflictResolution?) -> String {
        let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ",")
        let table = tableName.quotedDatabaseIdentifier
        return "INSERT\(conflictResolution.clause) INTO \(table) (\(names)) VALUES (\(marks))"
    }
}

/// The result of `RecordPlan.insertDirectly(_:_:_:)`.
struct DirectInsertion {
    /// The rowid; nil if an ignored conflict prevented the insertion.
    let rowID: Int64?
}

extension Database.ConflictResolution? {
    /// The clause that follows INSERT or UPDATE: ` OR REPLACE`. It is empty for nil, which leaves the `ON CONFLICT` clauses of
    /// the table in force.
    var clause: String { map { " OR \($0.rawValue)" } ?? "" }
}
