/// A column that has a name: a ``TypedColumn``, or a type that conforms to ``ColumnExpression``.
///
/// APIs that need nothing but the names of columns accept both:
///
/// ```swift
/// let columns: [any NamedColumn] = [TypedColumn<Int64>("teamId"), Column("season")]
/// let foreignKey = ForeignKey(columns)
/// ```
public protocol NamedColumn {
    /// The name of the column, without quotes.
    var name: String { get }
}

extension NamedColumn where Self == Column {
    /// The column `rowid`, which most tables have: <https://sqlite.org/lang_createtable.html#rowid>.
    public static var rowID: Column { Column.rowID }
}
