public import AmalgamCore

extension Sequence where Element: SQLExpressible {
    /// Whether an expression has one of these values.
    ///
    /// ```swift
    /// Player.filter { [1, 2, 3].contains($0.id) }
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// Player.filter { ![1, 2, 3].contains($0.id) }
    /// // SELECT * FROM "player" WHERE "id" NOT IN (1, 2, 3)
    /// ```
    ///
    /// One value makes an equality, `"id" = 1`; none makes `0`.
    ///
    /// Each value is an argument, so that lists of different lengths are different statements, and SQLite has a limit
    /// of 32,766 arguments. For many values, or any number of them, use an ``SQLArray``.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(element.sqlExpression.node, isIn: map(\.sqlExpression.node))
    }
}

extension Sequence where Element == any SQLExpressible {
    /// Whether an expression is equal to one of these: `"id" IN (1, "otherId")`.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(element.sqlExpression.node, isIn: map(\.sqlExpression.node))
    }
}

extension Sequence where Element == any SQLSpecificExpressible {
    /// Whether an expression is equal to one of these: `"id" IN ("firstId", "secondId")`.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(element.sqlExpression.node, isIn: map(\.sqlExpression.node))
    }
}

extension SQLArray {
    /// Whether an expression has one of these values, however many there are.
    ///
    /// ```swift
    /// let ids = SQLArray(identifiersOfAllSelectedPlayers)
    /// Player.filter { ids.contains($0.id) }
    /// // SELECT * FROM "player" WHERE "id" IN carray(?)
    /// ```
    ///
    /// The array is one argument: the statement is the same, and compiled once, whatever the number of values.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(node: InNode(element: element.sqlExpression.node, set: self))
    }
}
