public import AmalgamCore

extension TypedColumn {
    /// Replaces NULL with a value: `IFNULL("nickname", 'none')`.
    ///
    /// ```swift
    /// let nickname = TypedColumn<String?>("nickname")
    /// Player.order { _ in nickname ?? "none" }
    /// // SELECT * FROM "player" ORDER BY IFNULL("nickname", 'none')
    /// ```
    ///
    /// The result has the type of the value: `(nickname ?? "none") == 5` is an error.
    public static func ?? <Wrapped: DatabaseValueConvertible>(lhs: Self, rhs: Wrapped) -> TypedColumn<Wrapped>
    where Value == Wrapped? {
        lhs.wrapped().written(as: lhs.sqlExpression ?? lhs.stored(rhs), of: "IFNULL")
    }

    /// Replaces NULL with the value of a column: `IFNULL("nickname", "name")`.
    public static func ?? <Wrapped>(lhs: Self, rhs: TypedColumn<Wrapped>) -> TypedColumn<Wrapped>
    where Value == Wrapped? {
        lhs.wrapped().written(as: lhs.sqlExpression ?? rhs.operand(like: lhs), of: "IFNULL")
    }

    /// Replaces NULL with the value of a column, which may also be NULL: `IFNULL("nickname", "name")`.
    public static func ?? <Wrapped>(lhs: Self, rhs: Self) -> Self where Value == Wrapped? {
        lhs.written(as: lhs.sqlExpression ?? rhs.operand(like: lhs), of: "IFNULL")
    }

    /// Replaces NULL with an expression, which has no type: `IFNULL("nickname", "name" || '!')`.
    public static func ?? <Wrapped>(lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression
    where Value == Wrapped? {
        lhs.sqlExpression ?? rhs
    }

    @available(*, unavailable, message: "the column isn't optional, or the operands have different types")
    public static func ?? (lhs: Self, rhs: some SQLExpressible) -> SQLExpression { lhs.sqlExpression ?? rhs }
}
