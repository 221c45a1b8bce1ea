public import AmalgamCore

extension TypedColumn where Value: SQLBooleanValue {
    /// Negates a condition.
    ///
    /// ```swift
    /// let isActive = TypedColumn<Bool>("isActive")
    /// Player.filter { _ in !isActive }
    /// // SELECT * FROM "player" WHERE NOT "isActive"
    /// ```
    ///
    /// A column that doesn't store true as 1 and false as 0 is compared with its form of true: `"isPaid" <> 'yes'`.
    public static prefix func ! (value: Self) -> SQLExpression { !value.truth }

    /// Combines two conditions with `AND`: `"isActive" AND "isPaid"`.
    public static func && (lhs: Self, rhs: TypedColumn<some SQLBooleanValue>) -> SQLExpression {
        SQLExpression(lhs, .and, rhs)
    }

    /// Combines two conditions with `AND`: `"isActive" AND ("score" > 10)`.
    public static func && (lhs: Self, rhs: SQLExpression) -> SQLExpression { SQLExpression(lhs, .and, rhs) }

    /// Combines two conditions with `AND`: `("score" > 10) AND "isActive"`.
    public static func && (lhs: SQLExpression, rhs: Self) -> SQLExpression { SQLExpression(lhs, .and, rhs) }

    /// Combines two conditions with `OR`: `"isActive" OR "isPaid"`.
    public static func || (lhs: Self, rhs: TypedColumn<some SQLBooleanValue>) -> SQLExpression {
        SQLExpression(lhs, .or, rhs)
    }

    /// Combines two conditions with `OR`: `"isActive" OR ("score" > 10)`.
    public static func || (lhs: Self, rhs: SQLExpression) -> SQLExpression { SQLExpression(lhs, .or, rhs) }

    /// Combines two conditions with `OR`: `("score" > 10) OR "isActive"`.
    public static func || (lhs: SQLExpression, rhs: Self) -> SQLExpression { SQLExpression(lhs, .or, rhs) }
}

extension TypedColumn {
    @available(*, unavailable, message: "the values of the column aren't Booleans")
    public static prefix func ! (value: Self) -> SQLExpression { !value.sqlExpression }
}
