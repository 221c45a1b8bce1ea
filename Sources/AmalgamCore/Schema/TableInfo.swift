/// A table or view, and how it is built: <https://sqlite.org/pragma.html#pragma_table_list>.
///
/// ```swift
/// let names = try db.tables(in: "main").filter { $0.kind == .table }.map(\.name)
/// ```
public struct TableInfo: Sendable {
    /// The kind of a table.
    public enum Kind: Sendable {
        /// A table that holds its rows.
        case table
        /// A query that is read like a table: <https://sqlite.org/lang_createview.html>.
        case view
        /// A table of a module, such as FTS5 or R*Tree: <https://sqlite.org/vtab.html>.
        case virtual
        /// A table in which a virtual table keeps its data: <https://sqlite.org/vtab.html#xshadowname>.
        case shadow
    }

    /// The name, and the database.
    public let id: DatabaseObjectID

    /// The name.
    public var name: String { id.name }

    /// The kind of the table.
    public let kind: Kind

    /// Whether the table was declared WITHOUT ROWID: <https://sqlite.org/withoutrowid.html>.
    public let isWithoutRowID: Bool

    /// Whether the types of columns are enforced: <https://sqlite.org/stricttables.html>.
    public let isStrict: Bool

    /// The statement that created the table. Nil for the table of the schema itself.
    public let sql: String?
}

/// A table, view, index or trigger, as the schema has it: <https://sqlite.org/schematab.html>.
public struct SchemaObject: Sendable {
    /// The kind of a schema object.
    public enum Kind: String, Sendable {
        /// A table, virtual ones included.
        case table
        /// A view.
        case view
        /// An index, those of constraints included.
        case index
        /// A trigger.
        case trigger
    }

    /// The name, and the database.
    public let id: DatabaseObjectID

    /// The name.
    public var name: String { id.name }

    /// The kind of the object.
    public let kind: Kind

    /// The table or view that an index or trigger belongs to; the name of a table or view itself.
    public let tableName: String

    /// The statement that created the object. Nil for the index of a constraint.
    public let sql: String?

    /// The object that a row of the schema table describes; nil for what later versions of SQLite may put there.
    init?(row: Row, schemaID: DatabaseSchemaID) {
        guard let kind = Kind(rawValue: row["type"] as String? ?? ""), let name = row["name"] as String? else {
            return nil
        }
        id = DatabaseObjectID(name: name, schemaID: schemaID)
        self.kind = kind
        tableName = row["tbl_name"] as String? ?? name
        sql = row["sql"]
    }
}

/// A database of a connection, and its file: <https://sqlite.org/pragma.html#pragma_database_list>.
public struct AttachedDatabase: Sendable {
    /// The database.
    public let schemaID: DatabaseSchemaID

    /// The absolute path of the file. Nil for a database in memory or a temporary one.
    public let path: String?
}
