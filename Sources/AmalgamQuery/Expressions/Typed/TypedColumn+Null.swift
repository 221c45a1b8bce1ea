public import AmalgamCore

extension TypedColumn {
    /// Replaces NULL with a value: `IFNULL("nickname", 'none')`.
    ///
    /// ```swift
    /// let nickname = TypedColumn<String?>("nickname")
    /// Player.order { _ in nickname ?? "none" }
    /// // SELECT * FROM "player" ORDER BY IFNULL("nickname", 'none')
    /// ```
    public static func ?? <Wrapped: DatabaseValueConvertible>(lhs: Self, rhs: Wrapped) -> SQLExpression
    where Value == Wrapped? {
        lhs.sqlExpression ?? lhs.stored(rhs)
    }

    /// Replaces NULL with the value of a column: `IFNULL("nickname", "name")`.
    public static func ?? <Wrapped>(lhs: Self, rhs: TypedColumn<Wrapped>) -> SQLExpression where Value == Wrapped? {
        lhs.sqlExpression ?? rhs
    }

    /// Replaces NULL with the value of a column, which may also be NULL: `IFNULL("nickname", "name")`.
    public static func ?? <Wrapped>(lhs: Self, rhs: Self) -> SQLExpression where Value == Wrapped? {
        lhs.sqlExpression ?? rhs
    }

    /// Replaces NULL with an expression: `IFNULL("nickname", LOWER("name"))`.
    public static func ?? <Wrapped>(lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression
    where Value == Wrapped? {
        lhs.sqlExpression ?? rhs
    }

    @available(*, unavailable, message: "the column isn't optional, or the operands have different types")
    public static func ?? (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression ?? rhs }
}
