public import AmalgamCore
public import AmalgamQuery

/// The SELECT statement that finds a record by its primary key. A connection caches one `KeyLookUp` for each record
/// type, and creates a new one if `isCurrent(_:)` is false.
@usableFromInline
final class KeyLookUp {
    /// The SQL: `SELECT * FROM "player" WHERE "id" = ?`. It is nil if the primary key has several columns, or if
    /// fetching a record also needs a row adapter, prefetched associations, or arguments other than the key.
    let sql: String?

    let tableName: String
    private let encoder: (any _DatabaseKeyEncoder.Type)?

    /// Whether a representation encodes the key, whatever its type is.
    private let hasRepresentation: Bool

    /// The columns of the primary key. The schema cache returns the same array until the schema changes. Therefore, an
    /// array at the same address shows that the schema is unchanged.
    private let columns: [String]

    /// The state of the schemas in which `columns` are the primary key; nil for a view, whose key the application gives.
    private var state: TableState?

    init<Record: TableRecord>(_ db: Database, _ type: Record.Type) throws {
        tableName = type.databaseTableName
        encoder = type as? any _DatabaseKeyEncoder.Type
        columns = try db.primaryKey(tableName).columns
        let declared = (type as? any _DeclaredRecord.Type)?._recordColumns
        hasRepresentation = columns.contains { declared?.hasRepresentation($0) ?? false }
        state = try db.stateOfTable(tableName)
        sql = columns.count == 1 ? try Self.sql(db, type) : nil
    }

    private static func sql<Record: TableRecord>(_ db: Database, _ type: Record.Type) throws -> String? {
        let request = try type.all().filter(key: 0.databaseValue).makePreparedRequest(db, forSingleResult: true)
        if request.adapter != nil || request.prefetch != nil || request.statement.arguments.count != 1 { return nil }
        return request.statement.sql
    }

    /// Whether the schema hasn't changed since this object was created.
    func isCurrent(_ db: Database) throws -> Bool {
        if let state, db.isCurrent(state) { return true }
        guard try db.primaryKey(tableName).columns.isSame(as: columns) else { return false }
        state = try db.stateOfTable(tableName)
        return true
    }

    /// Returns the argument of the statement: the key, encoded as the record type encodes this column.
    private func argument(_ key: some DatabaseValueConvertible) -> StoredValue {
        let stored = StoredValue(key)
        guard let encoder else { return stored }
        if hasRepresentation { return StoredValue(encoder._databaseKey(key, forColumn: columns[0])) }
        switch stored {
        case .date, .uuid, .blob, .other: return StoredValue(encoder._databaseKey(key, forColumn: columns[0]))
        default: return stored
        }
    }

    /// Starts the statement for a key. The caller ends the run, and then returns the statement to the cache.
    ///
    /// - Returns: Nil if the record has to be fetched by a request.
    @usableFromInline
    static func start(
        _ db: Database, _ type: any TableRecord.Type, _ key: some DatabaseValueConvertible
    ) throws -> Statement? {
        let lookUp = try RecordPlans.of(db).lookUp(db, type)
        // For an observation, the connection records the region (tables, columns and rows) that it reads. In this case,
        // the record is fetched with a request, whose region is only the row with this key. The region of the cached
        // statement contains all rows of the table.
        guard let sql = lookUp.sql, !db.isRecordingAccess else { return nil }
        let statement = try db.acquireStatement(sql: sql)
        do {
            try statement.start(lookUp.argument(key))
            return statement
        } catch {
            statement.returnToCache()
            throw error
        }
    }
}
