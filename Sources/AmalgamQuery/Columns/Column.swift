import AmalgamCore

/// A column, given by its name.
///
/// ```swift
/// struct Player: TableRecord {
///     enum Columns {
///         static let id = Column("id")
///         static let score = Column("score")
///     }
/// }
///
/// try Player.filter { $0.score > 10 }.fetchCount(db)
/// // SELECT COUNT(*) FROM "player" WHERE "score" > 10
/// ```
public struct Column: ColumnExpression, Sendable {
    /// The column `rowid`, which most tables have: <https://sqlite.org/lang_createtable.html#rowid>.
    public static let rowID = Column("rowid")

    public var name: String

    /// Creates a column with the given name, without quotes.
    ///
    /// ```swift
    /// Player.order(Column("score"))
    /// // SELECT * FROM "player" ORDER BY "score"
    /// ```
    public init(_ name: String) {
        self.name = name
    }

    /// Creates a column with the name of a coding key.
    ///
    /// ```swift
    /// struct Player: Codable, TableRecord {
    ///     var name: String
    ///     enum Columns {
    ///         static let name = Column(CodingKeys.name)
    ///     }
    /// }
    /// ```
    public init(_ codingKey: some CodingKey) {
        name = codingKey.stringValue
    }
}
