public import AmalgamCore

/// A type that stands for a column: anything that has the name of one.
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
/// A column is written with the name of its table when the statement has several ones.
public protocol ColumnExpression: SQLSpecificExpressible {
    /// The name of the column, without quotes.
    var name: String { get }
}

extension ColumnExpression {
    public var sqlExpression: SQLExpression { SQLExpression(node: ColumnNode(name: name)) }

    /// The name alone, whatever the table: for the keys of a selection.
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

    /// The column, and not the text that its name is.
    public var sqlExpression: SQLExpression { SQLExpression(node: ColumnNode(name: name)) }
}

// These extend CodingKey, and not ColumnExpression: a type is asked then whether it is a coding key only when it says so.
// Coding keys are Sendable. Where types are of the main actor by default, asking a column for that while its own
// isolation is looked for ends in a circle, which the compiler refuses.

/// A type of coding keys that are names of columns: `enum CodingKeys: String, CodingKey, ColumnExpression`.
extension CodingKey where Self: ColumnExpression {
    /// The name of the column: that of the key.
    public var name: String { stringValue }
}

extension CodingKey where Self: ColumnExpression & RawRepresentable<String> {
    /// The name of the column: that of the key.
    public var name: String { stringValue }
}

/// `"score"`, or `"player"."score"`.
struct ColumnNode: SQLNode {
    let name: String

    var isAtom: Bool { true }

    func write(to writer: inout SQLWriter) throws {
        writer.append(column: name)
    }
}

/// `"score"`, always.
struct DetachedColumn: SQLNode {
    let name: String

    var isAtom: Bool { true }

    func write(to writer: inout SQLWriter) throws {
        writer.append(name.quotedDatabaseIdentifier)
    }
}
