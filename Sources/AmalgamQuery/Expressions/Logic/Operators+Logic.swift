public import AmalgamCore

extension SQLSpecificExpressible {
    /// The negation of a condition.
    ///
    /// ```swift
    /// Player.filter { !$0.isActive }            // WHERE NOT "isActive"
    /// Player.filter { !($0.score == 10) }       // WHERE "score" <> 10
    /// Player.filter { !$0.name.like("A%") }     // WHERE "name" NOT LIKE 'A%'
    /// Player.filter { !($0.score > 10) }        // WHERE NOT ("score" > 10)
    /// ```
    ///
    /// Where SQL has an operator for the negation, it is used. `!!x` is `NOT (NOT x)`: it makes 0 or 1 of any number.
    public static prefix func ! (value: Self) -> SQLExpression { !value.sqlExpression }

    /// Whether two conditions are true.
    ///
    /// ```swift
    /// Player.filter { $0.score > 10 && $0.name != nil }
    /// // SELECT * FROM "player" WHERE ("score" > 10) AND ("name" IS NOT NULL)
    /// ```
    public static func && (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { SQLExpression(lhs, .and, rhs) }

    /// Whether two conditions are true: `1 AND "isActive"`.
    public static func && (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { SQLExpression(lhs, .and, rhs) }

    /// Whether two conditions are true: `("score" > 10) AND ("name" IS NOT NULL)`.
    public static func && (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(lhs, .and, rhs)
    }

    /// Whether one of two conditions is true.
    ///
    /// ```swift
    /// Player.filter { $0.score > 10 || $0.name == nil }
    /// // SELECT * FROM "player" WHERE ("score" > 10) OR ("name" IS NULL)
    /// ```
    public static func || (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { SQLExpression(lhs, .or, rhs) }

    /// Whether one of two conditions is true: `0 OR "isActive"`.
    public static func || (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { SQLExpression(lhs, .or, rhs) }

    /// Whether one of two conditions is true: `("score" > 10) OR ("name" IS NULL)`.
    public static func || (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(lhs, .or, rhs)
    }
}

// The compiler prefers functions without generic parameters: two results of other operators are what long conditions are
// made of. Without these overloads, it takes seconds for four comparisons, and `!(name == nil)` may be a `Bool`: the
// negation of an optional that is nil.

extension SQLExpression {
    /// The negation of a condition: `"score" <> 10` for `!($0.score == 10)`.
    public static prefix func ! (value: SQLExpression) -> SQLExpression {
        SQLExpression(node: (value.node as? any ExpressionNode)?.negation ?? NotNode(node: value.node))
    }

    /// Whether two conditions are true: `("score" > 10) AND ("name" IS NOT NULL)`.
    public static func && (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression { SQLExpression(lhs, .and, rhs) }

    /// Whether one of two conditions is true: `("score" > 10) OR ("name" IS NULL)`.
    public static func || (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression { SQLExpression(lhs, .or, rhs) }

    /// Two operands of an operator that takes any number of them.
    init(
        _ lhs: some SQLExpressible, _ associativeOperator: AssociativeBinaryOperator, _ rhs: some SQLExpressible
    ) {
        self.init(node: AssociativeNode(associativeOperator, [lhs.sqlExpression.node, rhs.sqlExpression.node]))
    }
}
