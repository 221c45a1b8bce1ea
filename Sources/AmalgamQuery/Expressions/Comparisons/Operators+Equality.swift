public import AmalgamCore

// `==` and `!=` are declared for optional values of any type, because nil is written `IS NULL` or `IS NOT NULL`.

extension SQLSpecificExpressible {
    /// Compares an expression and a value: `"score" = 10`, or `"score" IS NULL` if the value is nil.
    ///
    /// ```swift
    /// Player.filter { $0.score == 10 }     // WHERE "score" = 10
    /// Player.filter { $0.teamId == nil }   // WHERE "teamId" IS NULL
    /// ```
    ///
    /// The SQL depends on the value of an optional: `"score" IS NULL` for nil, and `"score" = ?` otherwise. See
    /// <https://sqlite.org/lang_expr.html#operators>.
    public static func == (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression { equality(lhs, .equal, rhs) }

    /// Compares a value and an expression: `10 = "score"`, or `"score" IS NULL` if the value is nil.
    public static func == (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression { equality(lhs, .equal, rhs) }

    /// Compares two expressions: `"score" = "bonus"`.
    public static func == (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { equality(lhs, .equal, rhs) }

    /// Compares an expression with a Boolean: `"hasTeam" = 1`.
    public static func == (lhs: Self, rhs: Bool) -> SQLExpression { equality(lhs, .equal, rhs) }

    /// Compares an expression with a Boolean: `"hasTeam" = 1`. The SQL begins with the expression.
    public static func == (lhs: Bool, rhs: Self) -> SQLExpression { equality(rhs, .equal, lhs) }

    /// Compares an expression and a value: `"score" <> 10`, or `"score" IS NOT NULL` if the value is nil.
    ///
    /// ```swift
    /// Player.filter { $0.score != 10 }    // WHERE "score" <> 10
    /// Player.filter { $0.score != nil }   // WHERE "score" IS NOT NULL
    /// ```
    ///
    /// Rows with NULL don't satisfy `"score" <> 10`. To select these rows as well, use `!==`, which is written
    /// `"score" IS NOT 10`.
    public static func != (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression { equality(lhs, .notEqual, rhs) }

    /// Compares a value and an expression: `10 <> "score"`, or `"score" IS NOT NULL` if the value is nil.
    public static func != (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression { equality(lhs, .notEqual, rhs) }

    /// Compares two expressions: `"score" <> "bonus"`.
    public static func != (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        equality(lhs, .notEqual, rhs)
    }

    /// Compares an expression with a Boolean: `"hasTeam" <> 1`.
    public static func != (lhs: Self, rhs: Bool) -> SQLExpression { equality(lhs, .notEqual, rhs) }

    /// Compares an expression with a Boolean: `"hasTeam" <> 1`. The SQL begins with the expression.
    public static func != (lhs: Bool, rhs: Self) -> SQLExpression { equality(rhs, .notEqual, lhs) }

    /// Compares an expression and a value: `"score" IS 10`, or `"score" IS NULL` if the value is nil. The result is
    /// never NULL.
    ///
    /// ```swift
    /// Player.filter { $0.score === 10 }
    /// // SELECT * FROM "player" WHERE "score" IS 10
    /// ```
    public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression { equality(lhs, .is, rhs) }

    /// Compares a value and an expression: `10 IS "score"`, or `"score" IS NULL` if the value is nil.
    public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression { equality(lhs, .is, rhs) }

    /// Compares two expressions: `"score" IS "bonus"`. The result is also true if both are NULL.
    public static func === (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { equality(lhs, .is, rhs) }

    /// Compares an expression and a value: `"score" IS NOT 10`, or `"score" IS NOT NULL` if the value is nil. The
    /// result is never NULL.
    ///
    /// ```swift
    /// Player.filter { $0.score !== 10 }
    /// // SELECT * FROM "player" WHERE "score" IS NOT 10
    /// ```
    public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression { equality(lhs, .isNot, rhs) }

    /// Compares a value and an expression: `10 IS NOT "score"`, or `"score" IS NOT NULL` if the value is nil.
    public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression { equality(lhs, .isNot, rhs) }

    /// Compares two expressions: `"score" IS NOT "bonus"`. The result is false if both are NULL.
    public static func !== (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { equality(lhs, .isNot, rhs) }
}

func equality(
    _ lhs: (any SQLExpressible)?, _ comparison: EqualityNode.Operator, _ rhs: (any SQLExpressible)?
) -> SQLExpression {
    let (left, right) = comparedNodes(lhs, rhs)
    return SQLExpression(node: EqualityNode(left, comparison, right))
}
