/// The interpolation of ``SQL`` literals.
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

    /// `\(sql: "raw SQL", arguments: […])`
    public mutating func appendInterpolation(sql: String, arguments: StatementArguments = StatementArguments()) {
        elements.append(.text(sql, arguments))
    }

    /// `\(literal: anSQLLiteral)`
    public mutating func appendInterpolation(literal sqlLiteral: SQL) {
        elements += sqlLiteral.elements
    }

    /// `\(anSQLLiteral)`
    public mutating func appendInterpolation(_ sqlLiteral: SQL) {
        elements += sqlLiteral.elements
    }

    /// `\(value)`: a bound argument; `NULL` for nil.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ expressible: (any SQLExpressible)?) {
        elements.append(.node(expressible?.sqlExpression.node ?? DatabaseValue.null))
    }

    /// `\(expression)`: its SQL.
    public mutating func appendInterpolation(_ expressible: some SQLExpressible & SQLOrderingTerm & SQLSelectable) {
        elements.append(.node(expressible.sqlExpression.node))
    }

    /// `\(selection)`: its SQL.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ selection: (any SQLSelectable)?) {
        elements.append(.node(selection?.sqlSelection.node ?? DatabaseValue.null))
    }

    /// `\(selection)`: its SQL.
    public mutating func appendInterpolation(_ selection: some SQLSelectable) {
        elements.append(.node(selection.sqlSelection.node))
    }

    /// `\(orderingTerm)`: its SQL.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ orderingTerm: any SQLOrderingTerm) {
        elements.append(.node(orderingTerm.sqlOrdering.node))
    }

    /// `\(orderingTerm)`: its SQL.
    public mutating func appendInterpolation(_ orderingTerm: some SQLOrderingTerm) {
        elements.append(.node(orderingTerm.sqlOrdering.node))
    }

    /// `\(identifier: "group")`: a quoted identifier.
    public mutating func appendInterpolation(identifier: String) {
        appendLiteral(identifier.quotedDatabaseIdentifier)
    }

    /// `\(string)`: a bound argument.
    public mutating func appendInterpolation<S>(_ string: S) where S: StringProtocol {
        append(String(string).databaseValue)
    }

    /// `\([1, 2, 3])`: `(?,?,?)`.
    public mutating func appendInterpolation(_ sequence: some Sequence<any SQLExpressible>) {
        append(SQLList(elements: sequence.map(\.sqlExpression)))
    }

    /// `\([1, 2, 3])`: `(?,?,?)`.
    public mutating func appendInterpolation<S: Sequence>(_ sequence: S) where S.Element: SQLExpressible {
        append(SQLList(elements: sequence.map(\.sqlExpression)))
    }

    /// A value that is also a sequence, such as `Data`, is a value: a bound argument.
    public mutating func appendInterpolation<S>(_ expressible: S)
    where S: SQLExpressible, S: Sequence, S.Element: SQLExpressible {
        elements.append(.node(expressible.sqlExpression.node))
    }
}

/// A parenthesised list of expressions: `(a,b,c)`.
private struct SQLList: SQLNode {
    let elements: [SQLExpression]

    var isAtom: Bool { true }

    /// `x IN (SELECT NULL WHERE NULL)` is false and `x NOT IN (SELECT NULL WHERE NULL)` is true, whatever x:
    /// the empty list means what it says.
    func write(to writer: inout SQLWriter) throws {
        if elements.isEmpty { return writer.append("(SELECT NULL WHERE NULL)") }
        writer.append("(")
        try writer.append(elements.map(\.node), separator: ",")
        writer.append(")")
    }
}
