public import AmalgamCore

extension SQLSpecificExpressible {
    /// Compares two expressions: `"score" < 10`. A comparison with NULL is NULL:
    /// <https://sqlite.org/datatype3.html#comparisons>.
    ///
    /// ```swift
    /// Player.filter { $0.score < 10 }
    /// // SELECT * FROM "player" WHERE "score" < 10
    /// ```
    public static func < (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { comparison(lhs, .less, rhs) }

    /// Compares two expressions: `10 < "score"`.
    public static func < (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { comparison(lhs, .less, rhs) }

    /// Compares two expressions: `"score" < "bonus"`.
    public static func < (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { comparison(lhs, .less, rhs) }

    /// Compares two expressions: `"score" <= 10`.
    public static func <= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { comparison(lhs, .lessOrEqual, rhs) }

    /// Compares two expressions: `10 <= "score"`.
    public static func <= (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { comparison(lhs, .lessOrEqual, rhs) }

    /// Compares two expressions: `"score" <= "bonus"`.
    public static func <= (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        comparison(lhs, .lessOrEqual, rhs)
    }

    /// Compares two expressions: `"score" > 10`.
    public static func > (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { comparison(lhs, .greater, rhs) }

    /// Compares two expressions: `10 > "score"`.
    public static func > (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { comparison(lhs, .greater, rhs) }

    /// Compares two expressions: `"score" > "bonus"`.
    public static func > (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        comparison(lhs, .greater, rhs)
    }

    /// Compares two expressions: `"score" >= 10`.
    public static func >= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        comparison(lhs, .greaterOrEqual, rhs)
    }

    /// Compares two expressions: `10 >= "score"`.
    public static func >= (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        comparison(lhs, .greaterOrEqual, rhs)
    }

    /// Compares two expressions: `"score" >= "bonus"`.
    public static func >= (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        comparison(lhs, .greaterOrEqual, rhs)
    }
}

func comparison(
    _ lhs: some SQLExpressible, _ comparison: ComparisonNode.Operator, _ rhs: some SQLExpressible
) -> SQLExpression {
    let (left, right) = comparedNodes(lhs, rhs)
    let (leftResult, rightResult) = (left.formattedResult, right.formattedResult)
    var comparison = comparison
    if let leftResult { comparison = comparison.rounded(leftResult.rounding(of: rhs)) }
    if let rightResult { comparison = comparison.flipped.rounded(rightResult.rounding(of: lhs)).flipped }
    return SQLExpression(
        node: ComparisonNode(leftResult?.orderMisuse ?? left, comparison, rightResult?.orderMisuse ?? right))
}
