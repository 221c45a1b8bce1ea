import AmalgamCore
import CAmalgam

/// Keeps queries in a sandbox from using indexes with hidden or denied columns: the order of the rows, and the row that
/// LIMIT returns, would show the order of the hidden values.
final class ProtectedIndexes: DatabaseAttachment {
    private static let key = AttachmentKey<ProtectedIndexes>()

    /// A column of a table.
    struct Column {
        var table: SchemaTable
        var name: String
    }

    private unowned let database: Database
    /// The refusals of the current sandboxes, from the outermost to the innermost one. The objects are in C.
    private var refusals: [[OpaquePointer]] = []

    private init(_ database: Database) {
        self.database = database
    }

    /// Runs a closure in which no query that is compiled uses an index with one of the columns.
    ///
    /// - Throws: The error of the closure; `SQLITE_NOMEM`.
    static func withoutIndexes<T>(of columns: [Column], _ database: Database, _ body: () throws -> T) throws -> T {
        if columns.isEmpty { return try body() }
        let indexes = database.attachment(key, orInsert: ProtectedIndexes(database))
        indexes.refusals.append([])
        defer {
            indexes.end(indexes.refusals.removeLast())
            indexes.schemaDidChange()
        }
        for column in columns { try indexes.refuse(column) }
        return try body()
    }

    /// A schema that is read again has new indexes.
    func schemaDidChange() {
        guard let connection = database.sqliteConnection else { return }
        for refusal in refusals.joined() { amalgam_index_refusal_apply(connection, refusal) }
    }

    private func refuse(_ column: Column) throws {
        guard let connection = database.sqliteConnection else { throw Database.connectionIsClosed }
        let (schema, table) = (column.table.schema, column.table.name)
        guard let refusal = amalgam_index_refusal_begin(connection, schema, table, column.name) else {
            throw DatabaseError(resultCode: .SQLITE_NOMEM)
        }
        refusals[refusals.count - 1].append(refusal)
    }

    /// The closure may have closed the connection.
    private func end(_ refusals: [OpaquePointer]) {
        for refusal in refusals { amalgam_index_refusal_end(database.sqliteConnection, refusal) }
    }
}
