public import AmalgamCore

/// A type whose values stand for rows of a table.
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
/// The nested type `Columns` names the columns in closures and key paths.
public protocol TableRecord: SendableMetatype {
    /// Where closures and key paths find the columns.
    associatedtype Columns = Never

    /// What closures are given: the type ``Columns`` itself, unless a record says otherwise.
    associatedtype DatabaseComponents = Columns.Type

    /// The name of the table or view. By default it is the name of the type, with a lower-case letter in front.
    ///
    /// | type | table |
    /// | --- | --- |
    /// | `Player` | `player` |
    /// | `PostalAddress` | `postalAddress` |
    /// | `HTTPRequest` | `httpRequest` |
    static var databaseTableName: String { get }

    /// The columns that requests fetch: all of them, by default.
    ///
    /// ```swift
    /// static var databaseSelection: [any SQLSelectable] { [Columns.id, Columns.name] }
    /// // SELECT "id", "name" FROM "player"
    /// ```
    ///
    /// Declare it with exactly this type: the compiler would otherwise keep the default.
    static var databaseSelection: [any SQLSelectable] { get }

    /// What closures are given.
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
    /// The number of columns that requests fetch.
    ///
    /// ```swift
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)
    /// try Player.numberOfSelectedColumns(db)   // 3
    /// ```
    ///
    /// - throws: a ``DatabaseError`` when the table does not exist; `SQLITE_MISUSE` for a selection made of plain SQL,
    ///   whose columns cannot be counted.
    public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
        try SQLWriter(db, table: databaseTableName).columnCount(databaseSelection.map(\.sqlSelection))
    }
}

extension SQLWriter {
    /// A writer of what belongs to one table, without its name.
    package init(_ db: Database, table: String) {
        self.init(db)
        enter(SQLScope(TableSource(name: table), name: table, isQualified: false))
    }

    /// The number of result columns.
    ///
    /// - throws: `SQLITE_MISUSE` when the columns cannot be counted.
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
