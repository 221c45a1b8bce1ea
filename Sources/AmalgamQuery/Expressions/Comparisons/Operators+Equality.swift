public import AmalgamCore

// `==` and `!=` are declared for optional values of any type, because nil has a meaning of its own in SQL.

extension SQLSpecificExpressible {
    /// `"score" = 10`, and `"score" IS NULL` for nil.
    ///
    /// ```swift
    /// Player.filter { $0.score == 10 }   // WHERE "score" = 10
    /// Player.filter { $0.team == nil }   // WHERE "team" IS NULL
    /// ```
    ///
    /// Where the value may or may not be nil, and rows with NULL are wanted for nil, the SQL differs: it is
    /// `"score" IS NULL` for nil, and `"score" = ?` else. See <https://sqlite.org/lang_expr.html#operators>.
    public static func == (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression { equality(lhs, .equal, rhs) }

    /// `10 = "score"`, and `"score" IS NULL` for nil.
    public static func == (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression { equality(lhs, .equal, rhs) }

    /// `"score" = "bonus"`
    public static func == (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { equality(lhs, .equal, rhs) }

    /// `"hasTeam" = 1`
    public static func == (lhs: Self, rhs: Bool) -> SQLExpression { equality(lhs, .equal, rhs) }

    /// `"hasTeam" = 1`: the column comes first.
    public static func == (lhs: Bool, rhs: Self) -> SQLExpression { equality(rhs, .equal, lhs) }

    /// `"score" <> 10`, and `"score" IS NOT NULL` for nil.
    ///
    /// Rows with NULL do not fulfil `"score" <> 10`; they do fulfil `"score" IS NOT 10`, which is `!==`.
    public static func != (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression { equality(lhs, .notEqual, rhs) }

    /// `10 <> "score"`, and `"score" IS NOT NULL` for nil.
    public static func != (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression { equality(lhs, .notEqual, rhs) }

    /// `"score" <> "bonus"`
    public static func != (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        equality(lhs, .notEqual, rhs)
    }

    /// `"hasTeam" <> 1`
    public static func != (lhs: Self, rhs: Bool) -> SQLExpression { equality(lhs, .notEqual, rhs) }

    /// `"hasTeam" <> 1`: the column comes first.
    public static func != (lhs: Bool, rhs: Self) -> SQLExpression { equality(rhs, .notEqual, lhs) }

    /// `"score" IS 10`, and `"score" IS NULL` for nil: true or false, and never NULL.
    public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression { equality(lhs, .is, rhs) }

    /// `10 IS "score"`, and `"score" IS NULL` for nil.
    public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression { equality(lhs, .is, rhs) }

    /// `"score" IS "bonus"`: also true when both are NULL.
    public static func === (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { equality(lhs, .is, rhs) }

    /// `"score" IS NOT 10`, and `"score" IS NOT NULL` for nil: true or false, and never NULL.
    public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression { equality(lhs, .isNot, rhs) }

    /// `10 IS NOT "score"`, and `"score" IS NOT NULL` for nil.
    public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression { equality(lhs, .isNot, rhs) }

    /// `"score" IS NOT "bonus"`: false when both are NULL.
    public static func !== (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression { equality(lhs, .isNot, rhs) }
}

private func equality(
    _ lhs: (any SQLExpressible)?, _ comparison: EqualityNode.Operator, _ rhs: (any SQLExpressible)?
) -> SQLExpression {
    let (left, right) = comparedNodes(lhs, rhs)
    return SQLExpression(node: EqualityNode(left, comparison, right))
}
