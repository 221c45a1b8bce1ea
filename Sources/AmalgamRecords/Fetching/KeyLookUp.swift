import AmalgamCore
import AmalgamQuery

/// The SELECT statement that finds a record by its primary key. A connection caches one `KeyLookUp` for each record
/// type, and creates a new one if `isCurrent(_:)` is false.
final class KeyLookUp {
    /// The SQL: `SELECT * FROM "player" WHERE "id" = ?`. It is nil if the primary key has several columns, or if
    /// fetching a record also needs a row adapter, prefetched associations, or arguments other than the key.
    let sql: String?

    private let tableName: String
    private let encoder: (any _DatabaseKeyEncoder.Type)?

    /// The columns of the primary key. The schema cache returns the same array until the schema changes. Therefore, an
    /// array at the same address shows that the schema is unchanged.
    private let columns: [String]

    init<Record: TableRecord>(_ db: Database, _ type: Record.Type) throws {
        tableName = type.databaseTableName
        encoder = type as? any _DatabaseKeyEncoder.Type
        columns = try db.primaryKey(tableName).columns
        sql = columns.count == 1 ? try Self.sql(db, type) : nil
    }

    private static func sql<Record: TableRecord>(_ db: Database, _ type: Record.Type) throws -> String? {
        let request = try type.all().filter(key: 0).makePreparedRequest(db, forSingleResult: true)
        if request.adapter != nil || request.prefetch != nil || request.statement.arguments.count != 1 { return nil }
        return request.statement.sql
    }

    /// Whether the schema hasn't changed since this object was created.
    func isCurrent(_ db: Database) throws -> Bool { try db.primaryKey(tableName).columns.isSame(as: columns) }

    /// Returns the argument of the statement: the key, encoded as the record type encodes this column.
    func arguments(_ key: some DatabaseValueConvertible) -> StatementArguments {
        guard let encoder else { return [key] }
        return [encoder._databaseKey(key, forColumn: columns[0])]
    }
}
