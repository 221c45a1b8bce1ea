public import AmalgamCore

// Scalar functions of SQLite that have a Swift name: <https://sqlite.org/lang_corefunc.html>. The others are in
// `SQLFunction`.

/// The absolute value of a number: `ABS("score")`.
public func abs(_ value: some SQLSpecificExpressible) -> SQLExpression { SQLFunction.abs(value) }

/// The number of characters of a text, or of bytes of a blob: `LENGTH("name")`.
public func length(_ value: some SQLSpecificExpressible) -> SQLExpression { SQLFunction.length(value) }

/// The smallest of some values: `MIN("score", 1000)`. NULL when one of them is.
public func min(
    _ value1: any SQLSpecificExpressible, _ value2: any SQLExpressible, _ values: any SQLExpressible...
) -> SQLExpression {
    SQLFunction(builtIn: "MIN")([value1, value2] + values)
}

/// The largest of some values: `MAX("score", 1000)`. NULL when one of them is.
public func max(
    _ value1: any SQLSpecificExpressible, _ value2: any SQLExpressible, _ values: any SQLExpressible...
) -> SQLExpression {
    SQLFunction(builtIn: "MAX")([value1, value2] + values)
}

/// The first of some values that is not NULL: `COALESCE("nickname", "name")`.
///
/// One value is this value; none is NULL.
public func coalesce(_ values: some Collection<any SQLSpecificExpressible>) -> SQLExpression {
    switch values.count {
    case 0: DatabaseValue.null.sqlExpression
    case 1: values.first!.sqlExpression
    default: SQLFunction(builtIn: "COALESCE")(Array(values))
    }
}

/// One of two values: `IIF("score" >= 100, 'gold', 'silver')`.
///
/// For more cases, see ``SQLCase``.
public func iif(
    _ condition: some SQLSpecificExpressible, then value: (any SQLExpressible)?, else otherValue: (any SQLExpressible)?
) -> SQLExpression {
    SQLFunction(builtIn: "IIF")([condition, value.sqlExpression, otherValue.sqlExpression])
}

extension SQLSpecificExpressible {
    /// The value, or another one instead of NULL.
    ///
    /// ```swift
    /// Player.order { ($0.score ?? 0).desc }
    /// // SELECT * FROM "player" ORDER BY IFNULL("score", 0) DESC
    /// ```
    public static func ?? (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        SQLExpression(node: IfNullNode(value: lhs.sqlExpression.node, replacement: rhs.sqlExpression.node))
    }
}

/// `IFNULL("score", 0)`
private struct IfNullNode: CompositeNode {
    let value: any SQLNode
    let replacement: any SQLNode

    var isAtom: Bool { true }

    var operands: [any SQLNode] { [value, replacement] }

    func write(to writer: inout SQLWriter) throws {
        writer.append("IFNULL(")
        try writer.append(operands)
        writer.append(")")
    }

    func column(in table: IdentifiedTable) -> IdentifiedColumn? {
        guard SQLExpression(node: replacement).isConstant else { return nil }
        return SQLExpression(node: value).column(in: table).map { IdentifiedColumn(name: $0.name, isExact: false) }
    }
}
