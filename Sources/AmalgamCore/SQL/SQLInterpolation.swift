/// The string interpolation of ``SQL`` literals.
///
/// ```swift
/// let query: SQL = "SELECT * FROM \(identifier: "player") WHERE name = \("Anna") AND id IN \([1, 2])"
/// // SELECT * FROM "player" WHERE name = ? AND id IN (?,?)
/// ```
///
/// | interpolation | becomes |
/// | --- | --- |
/// | `\(value)` | a bound argument, `?`; `NULL` for nil |
/// | `\(sequence)` | `(?,?,?)`; for an empty sequence `(SELECT NULL WHERE NULL)`, so that `IN` is false |
/// | `\(array: sequence)` | `carray(?)`: one argument, for any number of values; see ``SQLArray`` |
/// | `\(literal: sql)`, `\(sql)` where `sql` is an ``SQL`` | its SQL, with its arguments |
/// | `\(sql: "…", arguments: […])` | plain SQL |
/// | `\(identifier: "group")` | `"group"` |
public struct SQLInterpolation: StringInterpolationProtocol, Sendable {
    private(set) var elements: [SQL.Element] = []

    public init(literalCapacity: Int, interpolationCount: Int) {
        elements.reserveCapacity(2 * interpolationCount + 1)
    }

    public mutating func appendLiteral(_ sql: String) {
        if !sql.isEmpty { elements.append(.text(sql, StatementArguments())) }
    }

    package mutating func append(_ node: some SQLNode) {
        elements.append(.node(node))
    }

    /// Appends an SQL string: `\(sql: "score > ?", arguments: [10])`.
    public mutating func appendInterpolation(sql: String, arguments: StatementArguments = StatementArguments()) {
        elements.append(.text(sql, arguments))
    }

    /// Appends a literal: `\(literal: anSQLLiteral)`.
    public mutating func appendInterpolation(literal sqlLiteral: SQL) {
        elements += sqlLiteral.elements
    }

    /// Appends a literal: `\(anSQLLiteral)`.
    public mutating func appendInterpolation(_ sqlLiteral: SQL) {
        elements += sqlLiteral.elements
    }

    /// Appends a value, `\(value)`: a bound argument; `NULL` for nil.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ expressible: (any SQLExpressible)?) {
        elements.append(.node(expressible?.sqlExpression.node ?? DatabaseValue.null))
    }

    /// Appends the SQL of an expression: `\(expression)`.
    public mutating func appendInterpolation(_ expressible: some SQLExpressible & SQLOrderingTerm & SQLSelectable) {
        elements.append(.node(expressible.sqlExpression.node))
    }

    /// Appends the SQL of result columns, `\(selection)`; `NULL` for nil.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ selection: (any SQLSelectable)?) {
        elements.append(.node(selection?.sqlSelection.node ?? DatabaseValue.null))
    }

    /// Appends the SQL of result columns: `\(selection)`.
    public mutating func appendInterpolation(_ selection: some SQLSelectable) {
        elements.append(.node(selection.sqlSelection.node))
    }

    /// Appends the SQL of an ordering term: `\(orderingTerm)`.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ orderingTerm: any SQLOrderingTerm) {
        elements.append(.node(orderingTerm.sqlOrdering.node))
    }

    /// Appends the SQL of an ordering term: `\(orderingTerm)`.
    public mutating func appendInterpolation(_ orderingTerm: some SQLOrderingTerm) {
        elements.append(.node(orderingTerm.sqlOrdering.node))
    }

    /// Appends a quoted identifier: `\(identifier: "group")` becomes `"group"`.
    public mutating func appendInterpolation(identifier: String) {
        appendLiteral(identifier.quotedDatabaseIdentifier)
    }

    /// Appends a string as a bound argument: `\(string)`.
    public mutating func appendInterpolation<S>(_ string: S) where S: StringProtocol {
        append(String(string).databaseValue)
    }

    /// Appends a list of values: `\([1, 2, 3])` becomes `(?,?,?)`.
    public mutating func appendInterpolation(_ sequence: some Sequence<any SQLExpressible>) {
        append(SQLList(elements: sequence.map(\.sqlExpression)))
    }

    /// Appends a list of values: `\([1, 2, 3])` becomes `(?,?,?)`.
    public mutating func appendInterpolation<S: Sequence>(_ sequence: S) where S.Element: SQLExpressible {
        append(SQLList(elements: sequence.map(\.sqlExpression)))
    }

    /// Appends a value that is also a sequence, such as `Data`, as one bound argument.
    public mutating func appendInterpolation<S>(_ expressible: S)
    where S: SQLExpressible, S: Sequence, S.Element: SQLExpressible {
        elements.append(.node(expressible.sqlExpression.node))
    }
}

/// A list of expressions in parentheses: `(a,b,c)`.
private struct SQLList: SQLNode {
    let elements: [SQLExpression]

    var isAtom: Bool { true }

    var nestedNodes: [any SQLNode] { elements.map(\.node) }

    /// Writes the list. An empty list is written as a subquery without rows: `x IN (SELECT NULL WHERE NULL)` is false,
    /// and `x NOT IN (SELECT NULL WHERE NULL)` is true, even if `x` is NULL.
    func write(to writer: inout SQLWriter) throws {
        if elements.isEmpty { return writer.append("(SELECT NULL WHERE NULL)") }
        writer.append("(")
        try writer.append(elements.map(\.node), separator: ",")
        writer.append(")")
    }
}
