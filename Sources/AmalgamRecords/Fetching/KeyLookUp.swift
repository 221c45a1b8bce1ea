import AmalgamCore
import AmalgamQuery

/// The statement that finds a record by its primary key: its text is made once for each type and connection.
final class KeyLookUp {
    /// The text; nil when the request for a key is more than a statement with one argument.
    let sql: String?

    private let tableName: String
    private let encoder: (any _DatabaseKeyEncoder.Type)?

    /// The primary key, which the schema gives as the same array as long as it does not change.
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

    /// Whether the schema is the same.
    func isCurrent(_ db: Database) throws -> Bool { try db.primaryKey(tableName).columns.isSame(as: columns) }

    /// The argument of the statement.
    func arguments(_ key: some DatabaseValueConvertible) -> StatementArguments {
        guard let encoder else { return [key] }
        return [encoder._databaseKey(key, forColumn: columns[0])]
    }
}
