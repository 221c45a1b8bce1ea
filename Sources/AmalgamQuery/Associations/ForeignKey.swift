import AmalgamCore

/// The columns of one table that refer to the rows of another table: <https://sqlite.org/foreignkeys.html>.
///
/// Associations find foreign keys in the schema. Create a `ForeignKey` if the schema has several foreign keys between
/// two tables, or none:
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
/// The first argument names the columns of the table that has the foreign key, even if the association is declared in
/// the other table, as `writtenBooks` is.
public struct ForeignKey: Equatable, Sendable {
    let originColumns: [String]
    let destinationColumns: [String]?

    /// Creates a foreign key from column names.
    ///
    /// ```swift
    /// let foreignKey = ForeignKey(["authorId"])
    /// ```
    ///
    /// - Parameters:
    ///   - originColumns: the columns that refer to the other table.
    ///   - destinationColumns: the referenced columns. If nil, a foreign key of `originColumns` in the schema
    ///     determines them. If the schema has no foreign key of `originColumns`, the referenced columns are the primary
    ///     key.
    public init(_ originColumns: [String], to destinationColumns: [String]? = nil) {
        self.originColumns = originColumns
        self.destinationColumns = destinationColumns
    }

    /// Creates a foreign key from columns.
    ///
    /// ```swift
    /// let foreignKey = ForeignKey([Column("authorId")], to: [Column("id")])
    /// ```
    ///
    /// - Parameters:
    ///   - originColumns: the columns that refer to the other table.
    ///   - destinationColumns: the referenced columns. If nil, a foreign key of `originColumns` in the schema
    ///     determines them. If the schema has no foreign key of `originColumns`, the referenced columns are the primary
    ///     key.
    public init(_ originColumns: [any NamedColumn], to destinationColumns: [any NamedColumn]? = nil) {
        self.init(originColumns.map(\.name), to: destinationColumns?.map(\.name))
    }
}
