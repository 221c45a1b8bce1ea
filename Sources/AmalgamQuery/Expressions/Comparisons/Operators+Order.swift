public import AmalgamCore

extension SQLSpecificExpressible {
    /// `"score" < 10`. NULL is neither less nor greater than any value: <https://sqlite.org/datatype3.html#comparisons>.
    public static func < (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { comparison(lhs, .less, rhs) }

    /// `10 < "score"`
    public static func < (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { comparison(lhs, .less, rhs) }

    /// `"score" < "bonus"`
    public static func < (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { comparison(lhs, .less, rhs) }

    /// `"score" <= 10`
    public static func <= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { comparison(lhs, .lessOrEqual, rhs) }

    /// `10 <= "score"`
    public static func <= (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { comparison(lhs, .lessOrEqual, rhs) }

    /// `"score" <= "bonus"`
    public static func <= (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        comparison(lhs, .lessOrEqual, rhs)
    }

    /// `"score" > 10`
    public static func > (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { comparison(lhs, .greater, rhs) }

    /// `10 > "score"`
    public static func > (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { comparison(lhs, .greater, rhs) }

    /// `"score" > "bonus"`
    public static func > (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        comparison(lhs, .greater, rhs)
    }

    /// `"score" >= 10`
    public static func >= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        comparison(lhs, .greaterOrEqual, rhs)
    }

    /// `10 >= "score"`
    public static func >= (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        comparison(lhs, .greaterOrEqual, rhs)
    }

    /// `"score" >= "bonus"`
    public static func >= (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        comparison(lhs, .greaterOrEqual, rhs)
    }
}

private func comparison(
    _ lhs: some SQLExpressible, _ comparison: ComparisonNode.Operator, _ rhs: some SQLExpressible
) -> SQLExpression {
    let (left, right) = comparedNodes(lhs, rhs)
    return SQLExpression(node: ComparisonNode(left, comparison, right))
}
