public import AmalgamCore

extension Sequence where Element: SQLExpressible {
    /// Returns an expression that is true if the sequence contains a value: `IN`.
    ///
    /// ```swift
    /// Player.filter { [1, 2, 3].contains($0.id) }
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// Player.filter { ![1, 2, 3].contains($0.id) }
    /// // SELECT * FROM "player" WHERE "id" NOT IN (1, 2, 3)
    /// ```
    ///
    /// One value is written as an equality, `"id" = 1`, and an empty sequence as `0`. NULL is compared as in SQL:
    /// `IN (NULL)` and `IN (1, NULL)` are never true for NULL, and `NOT IN (1, NULL)` is never true.
    ///
    /// Each value is an argument of the statement. If there are more values than the statement has free parameters
    /// (SQLite's limit is 32,766), the values are bound as one array: `"name" IN carray(?)`, or
    /// `"id" IN (SELECT +value FROM carray(?))` for numbers. The result is the same.
    ///
    /// The SQL depends on the number of values, so SQLite compiles a statement for each number. To compile one
    /// statement for all numbers of values, use an ``SQLArray``, which is always one argument.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        let element = element.sqlExpression.node
        return SQLExpression(element, isIn: map { element.compared(with: $0) })
    }
}

extension Sequence where Element == any SQLExpressible {
    /// Returns an expression that is true if one of these expressions is equal to a value: `"id" IN (1, "otherId")`.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        let element = element.sqlExpression.node
        return SQLExpression(element, isIn: map { element.compared(with: $0) })
    }
}

extension Sequence where Element == any SQLSpecificExpressible {
    /// Returns an expression that is true if one of the expressions in the sequence is equal to a value:
    /// `"id" IN ("firstId", "secondId")`.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        let element = element.sqlExpression.node
        return SQLExpression(element, isIn: map { element.compared(with: $0) })
    }
}

extension SQLArray {
    /// Returns an expression that is true if the array contains a value. The array may have any length.
    ///
    /// ```swift
    /// let selectedIDs = SQLArray(ids)
    /// Player.filter { selectedIDs.contains($0.id) }
    /// // SELECT * FROM "player" WHERE "id" IN (SELECT +value FROM carray(?))
    /// let selectedNames = SQLArray(["Anna", "Bob"])
    /// Player.filter { selectedNames.contains($0.name) }
    /// // SELECT * FROM "player" WHERE "name" IN carray(?)
    /// ```
    ///
    /// The array is one argument. The SQL doesn't depend on the number of values, so the statement is compiled once.
    /// `+value` makes SQLite compare the values as in `"id" IN (1, 2, 3)`: numbers are converted to strings for a TEXT
    /// column. If an integer isn't a `Double`, a further condition excludes REAL values that are only nearly equal.
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        let element = element.sqlExpression.node
        return SQLExpression(node: InNode(element: element.formattedResult?.arrayMisuse ?? element, set: self))
    }
}
