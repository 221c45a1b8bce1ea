/// A table or view, and its properties: <https://sqlite.org/pragma.html#pragma_table_list>.
///
/// ```swift
/// let names = try db.tables(in: "main").filter { $0.kind == .table }.map(\.name)
/// ```
public struct TableInfo: Sendable {
    /// The kind of a table.
    ///
    /// ```swift
    /// let virtualTables = try db.tables().filter { $0.kind == .virtual }
    /// ```
    public enum Kind: Sendable {
        /// An ordinary table, which stores its rows.
        case table
        /// A view: <https://sqlite.org/lang_createview.html>.
        case view
        /// A virtual table, such as FTS5 or R*Tree: <https://sqlite.org/vtab.html>.
        case virtual
        /// A shadow table, in which a virtual table stores its data: <https://sqlite.org/vtab.html#xshadowname>.
        case shadow
    }

    /// The name and the database of the table.
    public let id: DatabaseObjectID

    /// The name of the table.
    public var name: String { id.name }

    /// The kind of the table.
    public let kind: Kind

    /// Whether the table is declared WITHOUT ROWID: <https://sqlite.org/withoutrowid.html>.
    public let isWithoutRowID: Bool

    /// Whether the table is STRICT, so that SQLite enforces the types of columns:
    /// <https://sqlite.org/stricttables.html>.
    public let isStrict: Bool

    /// The statement that created the table; nil for the schema table itself.
    public let sql: String?
}

/// A table, view, index or trigger, as stored in the schema table: <https://sqlite.org/schematab.html>.
///
/// ```swift
/// for object in try db.schemaObjects() where object.kind == .index {
///     print(object.name, object.tableName)
/// }
/// ```
public struct SchemaObject: Sendable {
    /// The kind of a schema object.
    public enum Kind: String, Sendable {
        /// A table or virtual table.
        case table
        /// A view.
        case view
        /// An index, also of a constraint.
        case index
        /// A trigger.
        case trigger
    }

    /// The name and the database of the object.
    public let id: DatabaseObjectID

    /// The name of the object.
    public var name: String { id.name }

    /// The kind of the object.
    public let kind: Kind

    /// The table or view of an index or trigger; the object's own name for a table or view.
    public let tableName: String

    /// The statement that created the object; nil for the index of a constraint.
    public let sql: String?

    /// Creates an object from a row of the schema table; nil for a row of an unknown type.
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
///
/// ```swift
/// for database in try db.attachedDatabases() {
///     print(database.schemaID, database.path ?? "in memory")   // main /data/players.sqlite
/// }
/// ```
public struct AttachedDatabase: Sendable {
    /// The database.
    public let schemaID: DatabaseSchemaID

    /// The absolute path of the file; nil for a temporary database and for a database in memory.
    public let path: String?
}
