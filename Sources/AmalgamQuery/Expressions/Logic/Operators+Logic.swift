public import AmalgamCore

extension SQLSpecificExpressible {
    /// Negates a condition.
    ///
    /// ```swift
    /// Player.filter(!Column("isActive"))        // WHERE NOT "isActive"
    /// Player.filter { !($0.score == 10) }       // WHERE "score" <> 10
    /// Player.filter { !$0.name.like("A%") }     // WHERE "name" NOT LIKE 'A%'
    /// Player.filter { !($0.score > 10) }        // WHERE NOT ("score" > 10)
    /// ```
    ///
    /// The SQL contains the negated operator if SQL has one, such as `<>`, `IS NOT`, `NOT IN` and `NOT LIKE`. Other
    /// conditions, such as comparisons with `<` and `>`, become the operand of `NOT`. `!!x` is written `NOT (NOT x)`,
    /// which converts numbers to 0 or 1.
    public static prefix func ! (value: Self) -> SQLExpression { !value.sqlExpression }

    /// Combines two conditions with `AND`.
    ///
    /// ```swift
    /// Player.filter { $0.score > 10 && $0.name != nil }
    /// // SELECT * FROM "player" WHERE ("score" > 10) AND ("name" IS NOT NULL)
    /// ```
    public static func && (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { SQLExpression(lhs, .and, rhs) }

    /// Combines two conditions with `AND`: `1 AND "isActive"`.
    public static func && (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { SQLExpression(lhs, .and, rhs) }

    /// Combines two conditions with `AND`: `("score" > 10) AND ("name" IS NOT NULL)`.
    public static func && (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(lhs, .and, rhs)
    }

    /// Combines two conditions with `OR`.
    ///
    /// ```swift
    /// Player.filter { $0.score > 10 || $0.name == nil }
    /// // SELECT * FROM "player" WHERE ("score" > 10) OR ("name" IS NULL)
    /// ```
    public static func || (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { SQLExpression(lhs, .or, rhs) }

    /// Combines two conditions with `OR`: `0 OR "isActive"`.
    public static func || (lhs: some SQLExpressible, rhs: Self) -> SQLExpression { SQLExpression(lhs, .or, rhs) }

    /// Combines two conditions with `OR`: `("score" > 10) OR ("name" IS NULL)`.
    public static func || (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(lhs, .or, rhs)
    }
}

// The compiler prefers these overloads, because they have no generic parameters. They apply if the operands are
// SQLExpression values. That is the case in most conditions, because the operators return such values.
//
// Without these overloads, a condition with four comparisons takes seconds to compile. And in `!(name == nil)`, the
// compiler may choose the `==` of Swift optionals, although `name` is a column. The result is then a Bool, and not the
// condition `"name" IS NOT NULL`.

extension SQLExpression {
    /// Negates a condition: `"score" <> 10` for `!($0.score == 10)`.
    public static prefix func ! (value: SQLExpression) -> SQLExpression {
        SQLExpression(node: (value.node as? any ExpressionNode)?.negation ?? NotNode(node: value.node))
    }

    /// Combines two conditions with `AND`: `("score" > 10) AND ("name" IS NOT NULL)`.
    public static func && (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression { SQLExpression(lhs, .and, rhs) }

    /// Combines two conditions with `OR`: `("score" > 10) OR ("name" IS NULL)`.
    public static func || (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression { SQLExpression(lhs, .or, rhs) }

    /// Creates an expression that combines two operands with an associative operator.
    init(
        _ lhs: some SQLExpressible, _ associativeOperator: AssociativeBinaryOperator, _ rhs: some SQLExpressible
    ) {
        if associativeOperator.isArithmetic,
            let result = formattedResult(lhs, FormattedOperation(associativeOperator), rhs)
        {
            self = result
            return
        }
        let nodes = [lhs.operand(of: associativeOperator).node, rhs.operand(of: associativeOperator).node]
        self.init(AssociativeNode(associativeOperator, nodes))
    }
}
