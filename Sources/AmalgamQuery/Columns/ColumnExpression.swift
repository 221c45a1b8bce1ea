public import AmalgamCore

/// A type whose values represent columns.
///
/// ```swift
/// enum Columns: String, ColumnExpression {
///     case id, name, score
/// }
///
/// try Player.filter(Columns.score > 10).fetchAll(db)
/// // SELECT * FROM "player" WHERE "score" > 10
/// ```
///
/// A column is qualified with the name of its table if the statement has several tables.
public protocol ColumnExpression: SQLSpecificExpressible, NamedColumn {
    /// The name of the column, without quotes.
    var name: String { get }
}

extension ColumnExpression {
    public var sqlExpression: SQLExpression { SQLExpression(node: ColumnNode(name: name)) }

    /// The column, written without the name of its table: `"total"`. The expression can refer to a result column that
    /// is named with `AS`.
    ///
    /// ```swift
    /// let total = (Column("score") + Column("bonus")).forKey("total")
    /// Player.annotated(with: total).order(Column("total").detached)
    /// // SELECT *, "score" + "bonus" AS "total" FROM "player" ORDER BY "total"
    /// ```
    public var detached: SQLExpression { SQLExpression(node: DetachedColumn(name: name)) }
}

extension ColumnExpression where Self == Column {
    /// The column `rowid`, which most tables have: <https://sqlite.org/lang_createtable.html#rowid>.
    public static var rowID: Column { Column.rowID }
}

extension SQLExpressible where Self == Column {
    /// The column `rowid`, which most tables have: <https://sqlite.org/lang_createtable.html#rowid>.
    public static var rowID: Column { Column.rowID }
}

extension SQLSelectable where Self == Column {
    /// The column `rowid`, which most tables have: <https://sqlite.org/lang_createtable.html#rowid>.
    public static var rowID: Column { Column.rowID }
}

/// A type whose raw values are names of columns: `enum Columns: String, ColumnExpression { case id, name }`.
extension ColumnExpression where Self: RawRepresentable<String> {
    public var name: String { rawValue }

    /// The column, not the string of its name.
    public var sqlExpression: SQLExpression { SQLExpression(node: ColumnNode(name: name)) }
}

// The following extensions extend `CodingKey`. If they extended `ColumnExpression` where `Self: CodingKey`, the
// compiler would look for a conformance to `CodingKey` in each column type. In a module whose types are isolated to the
// main actor by default, this lookup is an error (a circular reference).

/// Coding keys that are columns: `enum CodingKeys: String, CodingKey, ColumnExpression`.
extension CodingKey where Self: ColumnExpression {
    /// The name of the column: the string value of the key.
    public var name: String { stringValue }
}

extension CodingKey where Self: ColumnExpression & RawRepresentable<String> {
    /// The name of the column: the string value of the key.
    public var name: String { stringValue }
}

/// `"score"`, or `"player"."score"`.
struct ColumnNode: SQLNode {
    let name: String

    var isAtom: Bool { true }

    var nestedNodes: [any SQLNode] { [] }

    func write(to writer: inout SQLWriter) throws {
        writer.append(column: name)
    }
}

/// `"score"`, never qualified.
struct DetachedColumn: SQLNode {
    let name: String

    var isAtom: Bool { true }

    var nestedNodes: [any SQLNode] { [] }

    func write(to writer: inout SQLWriter) throws {
        writer.append(name.quotedDatabaseIdentifier)
    }
}
