public import AmalgamCore

// Scalar functions of SQLite that can be called as Swift functions: <https://sqlite.org/lang_corefunc.html>. The others
// are constants of `SQLFunction`.

/// Returns the absolute value of a number: `ABS("score")`.
///
/// ```swift
/// Player.select { abs($0.score) }
/// // SELECT ABS("score") FROM "player"
/// ```
public func abs(_ value: some SQLSpecificExpressible) -> SQLExpression {
    value.sqlExpression.node.formattedResult?.magnitude ?? SQLFunction.abs(value)
}

/// Returns the number of characters of a string, or of bytes of a blob: `LENGTH("name")`.
///
/// ```swift
/// Player.filter { length($0.name) > 10 }
/// // SELECT * FROM "player" WHERE LENGTH("name") > 10
/// ```
public func length(_ value: some SQLSpecificExpressible) -> SQLExpression {
    SQLFunction.length(value.sqlExpression.node.formattedResult?.text ?? value.sqlExpression)
}

/// Returns the smallest of several values: `MIN("score", 1000)`. The result is NULL if any value is NULL.
///
/// ```swift
/// Player.select { min($0.score, 1000) }
/// // SELECT MIN("score", 1000) FROM "player"
/// ```
public func min(
    _ value1: any SQLOperand, _ value2: any SQLExpressible, _ values: any SQLExpressible...
) -> SQLExpression {
    SQLFunction(builtIn: "MIN")([value1, value2] + values)
}

/// Returns the largest of several values: `MAX("score", 1000)`. The result is NULL if any value is NULL.
///
/// ```swift
/// Player.select { max($0.score, 0) }
/// // SELECT MAX("score", 0) FROM "player"
/// ```
public func max(
    _ value1: any SQLOperand, _ value2: any SQLExpressible, _ values: any SQLExpressible...
) -> SQLExpression {
    SQLFunction(builtIn: "MAX")([value1, value2] + values)
}

/// Returns the first value that isn't NULL: `COALESCE("nickname", "name")`.
///
/// ```swift
/// Player.select(coalesce([Column("nickname"), Column("name")]))
/// // SELECT COALESCE("nickname", "name") FROM "player"
/// ```
///
/// A single value is returned unchanged. An empty collection returns NULL.
public func coalesce(_ values: some Collection<any SQLSpecificExpressible>) -> SQLExpression {
    switch values.count {
    case 0: DatabaseValue.null.sqlExpression
    case 1: values.first!.sqlExpression
    default: SQLFunction(builtIn: "COALESCE")(Array(values))
    }
}

/// Returns the first value that isn't NULL, of columns with several types: `COALESCE("nickname", "name")`.
@_disfavoredOverload
public func coalesce(_ values: [any SQLOperand]) -> SQLExpression {
    coalesce(values.map { $0.sqlExpression as any SQLSpecificExpressible })
}

/// Returns one of two values, depending on a condition: `IIF("score" >= 100, 'gold', 'silver')`.
///
/// ```swift
/// Player.select { iif($0.score >= 100, then: "gold", else: "silver") }
/// // SELECT IIF("score" >= 100, 'gold', 'silver') FROM "player"
/// ```
///
/// For more cases, see ``SQLCase``.
public func iif(
    _ condition: some SQLCondition, then value: (any SQLExpressible)?, else otherValue: (any SQLExpressible)?
) -> SQLExpression {
    SQLFunction(builtIn: "IIF")([condition.conditionExpression, value.sqlExpression, otherValue.sqlExpression])
}

extension SQLSpecificExpressible {
    /// Replaces NULL with a value: `IFNULL`.
    ///
    /// ```swift
    /// Player.order { ($0.score ?? 0).desc }
    /// // SELECT * FROM "player" ORDER BY IFNULL("score", 0) DESC
    /// ```
    public static func ?? (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        let node = lhs.sqlExpression.node
        return node.formattedResult?.replacingNull(by: rhs)
            ?? SQLExpression(node: IfNullNode(value: node, replacement: rhs.sqlExpression.node))
    }
}

/// A value with a replacement for NULL: `IFNULL("score", 0)`.
struct IfNullNode: CompositeNode {
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
