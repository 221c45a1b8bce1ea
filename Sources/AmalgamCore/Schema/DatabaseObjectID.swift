/// A database of a connection: main, temp, or an attached one. See <https://sqlite.org/lang_attach.html>.
///
/// ```swift
/// let player = DatabaseObjectID(name: "player", schemaID: .main)
/// ```
public struct DatabaseSchemaID: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
        case main
        case temp
        case attached(String)
    }

    private let kind: Kind

    private init(_ kind: Kind) {
        self.kind = kind
    }

    /// The database with which the connection was opened.
    public static let main = DatabaseSchemaID(.main)

    /// The temporary database of the connection.
    public static let temp = DatabaseSchemaID(.temp)

    /// Returns the database that was attached under this name.
    ///
    /// ```swift
    /// try db.execute(sql: "ATTACH DATABASE ? AS archive", arguments: [path])
    /// DatabaseSchemaID.attached("archive").schemaTableName   // "archive".sqlite_master
    /// ```
    public static func attached(_ name: String) -> DatabaseSchemaID { DatabaseSchemaID(.attached(name)) }

    /// The name of the database in SQL.
    public var name: String {
        switch kind {
        case .main: "main"
        case .temp: "temp"
        case .attached(let name): name
        }
    }

    /// The table of the schema, as a quoted name in SQL: `main.sqlite_master`. See <https://sqlite.org/schematab.html>.
    public var schemaTableName: String {
        switch kind {
        case .main: "main.sqlite_master"
        case .temp: "temp.sqlite_temp_master"
        case .attached(let name): "\(name.quotedDatabaseIdentifier).sqlite_master"
        }
    }
}

extension DatabaseSchemaID: CustomStringConvertible {
    /// The name of the database.
    public var description: String { name }
}

/// The identity of a table, view, index or trigger: its name and its database.
///
/// ```swift
/// let id = DatabaseObjectID(name: "player", schemaID: .main)
/// id.description   // "main.player"
/// ```
public struct DatabaseObjectID: Hashable, Sendable {
    /// The name of the object.
    public var name: String

    /// The database of the object.
    public var schemaID: DatabaseSchemaID

    /// Creates the identity of an object, which need not exist.
    public init(name: String, schemaID: DatabaseSchemaID) {
        self.name = name
        self.schemaID = schemaID
    }
}

extension DatabaseObjectID: CustomStringConvertible {
    /// The database and the name: `main.player`.
    public var description: String { "\(schemaID).\(name)" }
}

extension DatabaseObjectID {
    /// The database and the name in SQL, quoted.
    package var sql: String { "\(schemaID.name.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)" }

    /// Returns a pragma with the name as argument: `PRAGMA "main".table_xinfo("player")`.
    package func pragma(_ pragma: String) -> String {
        "PRAGMA \(schemaID.name.quotedDatabaseIdentifier).\(pragma)(\(name.quotedDatabaseIdentifier))"
    }
}
