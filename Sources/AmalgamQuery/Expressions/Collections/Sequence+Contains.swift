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
    /// One value makes an equality, `"id" = 1`; no value makes `0`. NULL is in no list, as in SQL: `IN (NULL)` and
    /// `IN (1, NULL)` are never true for NULL, and `NOT IN (1, NULL)` is true for no value.
    ///
    /// Each value is an argument, so lists of different lengths are different statements. A list of more values than a
    /// statement has room for (SQLite's limit is 32,766 arguments) is one argument, an array: `"id" IN carray(?)`. An
    /// ``SQLArray`` is one argument whatever the number of values, and its statement is compiled once.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        let element = element.sqlExpression.node
        return SQLExpression(element, isIn: map { element.compared(with: $0) })
    }
}

extension Sequence where Element == any SQLExpressible {
    /// Whether an expression is equal to one of these: `"id" IN (1, "otherId")`.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        let element = element.sqlExpression.node
        return SQLExpression(element, isIn: map { element.compared(with: $0) })
    }
}

extension Sequence where Element == any SQLSpecificExpressible {
    /// Whether an expression is equal to one of these: `"id" IN ("firstId", "secondId")`.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        let element = element.sqlExpression.node
        return SQLExpression(element, isIn: map { element.compared(with: $0) })
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
