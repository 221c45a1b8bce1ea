public import AmalgamCore

/// A type that represents the rows of a table or view. Its static methods create requests.
///
/// ```swift
/// struct Player: TableRecord {
///     enum Columns {
///         static let id = Column("id")
///         static let name = Column("name")
///         static let score = Column("score")
///     }
/// }
///
/// let request = Player.filter { $0.score > 10 }.order(\.name)
/// // SELECT * FROM "player" WHERE "score" > 10 ORDER BY "name"
/// ```
///
/// The nested type `Columns` declares the columns that closures (`$0.score`) and key paths (`\.name`) refer to.
public protocol TableRecord: SendableMetatype {
    /// The type that declares the columns, for closures and key paths.
    associatedtype Columns = Never

    /// The type of `$0` in closures such as `{ $0.score > 10 }`: by default, the metatype of ``Columns``.
    associatedtype DatabaseComponents = Columns.Type

    /// The name of the table or view. By default, it is the name of the type, with its leading capitals in lower case.
    ///
    /// | type | table |
    /// | --- | --- |
    /// | `Player` | `player` |
    /// | `PostalAddress` | `postalAddress` |
    /// | `HTTPRequest` | `httpRequest` |
    static var databaseTableName: String { get }

    /// The columns that requests select. By default, all columns.
    ///
    /// ```swift
    /// struct Player: TableRecord {
    ///     static var databaseSelection: [any SQLSelectable] { [Column("id"), Column("name")] }
    /// }
    ///
    /// Player.all()
    /// // SELECT "id", "name" FROM "player"
    /// ```
    ///
    /// Declare the property with exactly this type: otherwise, the compiler uses the default implementation.
    ///
    /// The columns are the same each time: connections cache the SQL that finds a record by its key.
    static var databaseSelection: [any SQLSelectable] { get }

    /// The value that closures receive.
    static var databaseComponents: DatabaseComponents { get }
}

extension TableRecord {
    public static var databaseTableName: String { DefaultTableNames.name(of: Self.self) }

    public static var databaseSelection: [any SQLSelectable] { [AllColumns()] }
}

extension TableRecord where DatabaseComponents == Columns.Type {
    public static var databaseComponents: Columns.Type { Columns.self }
}

extension TableRecord {
    /// Returns the number of columns that requests select.
    ///
    /// ```swift
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)
    /// try Player.numberOfSelectedColumns(db)   // 3
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` if the table doesn't exist; `SQLITE_MISUSE` if the selection contains plain SQL,
    ///   whose columns can't be counted.
    public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
        try SQLWriter(db, table: databaseTableName).columnCount(databaseSelection.map(\.sqlSelection))
    }
}

extension SQLWriter {
    /// Creates a writer for expressions of one table, whose columns are written without the name of the table.
    package init(_ db: Database, table: String) {
        self.init(db)
        enter(SQLScope(TableSource(name: table), name: table, isQualified: false))
    }

    /// Returns the number of result columns.
    ///
    /// - Throws: `SQLITE_MISUSE` if the columns can't be counted.
    func columnCount(_ selection: [SQLSelection]) throws -> Int {
        try selection.reduce(0) { count, selection in
            guard let columnCount = try selection.columnCount(in: self) else {
                throw DatabaseError.uncountableSelection
            }
            return count + columnCount
        }
    }
}

extension DatabaseError {
    static var uncountableSelection: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                The columns of a selection made of plain SQL cannot be counted. Select expressions instead: \
                SQL("…").sqlExpression.
                """)
    }
}
