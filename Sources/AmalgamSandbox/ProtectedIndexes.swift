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
    /// The columns of the current sandboxes, from the outermost to the innermost one.
    private var columns: [[Column]] = []

    private init(_ database: Database) {
        self.database = database
    }

    /// Runs a closure in which no query that is compiled uses an index with one of the columns.
    static func withoutIndexes<T>(of columns: [Column], _ database: Database, _ body: () throws -> T) rethrows -> T {
        if columns.isEmpty { return try body() }
        let indexes = database.attachment(key, orInsert: ProtectedIndexes(database))
        indexes.columns.append(columns)
        indexes.use(columns, false)
        defer {
            indexes.use(indexes.columns.removeLast(), true)
            indexes.schemaDidChange()
        }
        return try body()
    }

    /// A schema that is read again has new indexes.
    func schemaDidChange() { columns.forEach { use($0, false) } }

    private func use(_ columns: [Column], _ on: Bool) {
        // The closure may have closed the connection.
        guard let connection = database.sqliteConnection else { return }
        for column in columns {
            amalgam_use_indexes(connection, column.table.schema, column.table.name, column.name, on ? 1 : 0)
        }
    }
}
