/// One of the databases of a connection: main, temp, or an attached one.
/// See <https://sqlite.org/lang_attach.html>.
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

    /// The database that the connection was opened on.
    public static let main = DatabaseSchemaID(.main)

    /// The temporary database of the connection.
    public static let temp = DatabaseSchemaID(.temp)

    /// A database that was attached under this name.
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

    /// The table that holds the schema, ready to be written in SQL: `main.sqlite_master`.
    /// See <https://sqlite.org/schematab.html>.
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

/// A table, view, index or trigger: its name, and the database it is in.
public struct DatabaseObjectID: Hashable, Sendable {
    /// The name of the object.
    public var name: String

    /// The database of the object.
    public var schemaID: DatabaseSchemaID

    /// Names an object, whether it exists or not.
    public init(name: String, schemaID: DatabaseSchemaID) {
        self.name = name
        self.schemaID = schemaID
    }
}

extension DatabaseObjectID: CustomStringConvertible {
    /// `main.player`
    public var description: String { "\(schemaID).\(name)" }
}

extension DatabaseObjectID {
    /// The name and its database, ready to be written in SQL.
    package var sql: String { "\(schemaID.name.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)" }

    /// A pragma that takes a name: `PRAGMA "main".table_xinfo("player")`.
    package func pragma(_ pragma: String) -> String {
        "PRAGMA \(schemaID.name.quotedDatabaseIdentifier).\(pragma)(\(name.quotedDatabaseIdentifier))"
    }
}
