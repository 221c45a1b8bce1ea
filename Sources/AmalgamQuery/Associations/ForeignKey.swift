import AmalgamCore

/// The columns by which rows of one table refer to rows of another one: <https://sqlite.org/foreignkeys.html>.
///
/// Associations find foreign keys in the schema. They need to be told when there are several ones between two tables, or
/// none:
///
/// ```swift
/// struct Book: TableRecord {
///     static let authorForeignKey = ForeignKey(["authorId"])
///     static let author = belongsTo(Person.self, key: "author", using: authorForeignKey)
/// }
///
/// struct Person: TableRecord {
///     static let writtenBooks = hasMany(Book.self, key: "writtenBooks", using: Book.authorForeignKey)
/// }
/// ```
///
/// A foreign key is declared from the side of the table that has the columns, whichever association uses it.
public struct ForeignKey: Equatable, Sendable {
    let originColumns: [String]
    let destinationColumns: [String]?

    /// A foreign key.
    ///
    /// - Parameters:
    ///   - originColumns: the columns that refer to the other table.
    ///   - destinationColumns: the columns they refer to. When nil: those that the schema says, or the primary key.
    public init(_ originColumns: [String], to destinationColumns: [String]? = nil) {
        self.originColumns = originColumns
        self.destinationColumns = destinationColumns
    }

    /// A foreign key.
    ///
    /// - Parameters:
    ///   - originColumns: the columns that refer to the other table.
    ///   - destinationColumns: the columns they refer to. When nil: those that the schema says, or the primary key.
    public init(_ originColumns: [any ColumnExpression], to destinationColumns: [any ColumnExpression]? = nil) {
        self.init(originColumns.map(\.name), to: destinationColumns?.map(\.name))
    }
}
