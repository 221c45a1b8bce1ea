public import AmalgamCore

extension ClosedRange where Bound: SQLExpressible {
    /// Returns an expression that is true if a value is in the range.
    ///
    /// ```swift
    /// Player.filter { (1...10).contains($0.score) }
    /// // SELECT * FROM "player" WHERE "score" BETWEEN 1 AND 10
    /// ```
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        let element = element.sqlExpression.node
        if element.formattedResult != nil {
            return SQLExpression(node: element) >= lowerBound && SQLExpression(node: element) <= upperBound
        }
        return SQLExpression(
            node: BetweenNode(element, element.compared(with: lowerBound), element.compared(with: upperBound)))
    }
}

extension Range where Bound: SQLExpressible {
    /// Returns an expression that is true if a value is in the range.
    ///
    /// ```swift
    /// Player.filter { (1..<10).contains($0.score) }
    /// // SELECT * FROM "player" WHERE ("score" >= 1) AND ("score" < 10)
    /// ```
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
        [element >= lowerBound, element < upperBound].joined(operator: .and)
    }
}

extension PartialRangeFrom where Bound: SQLExpressible {
    /// Returns an expression that is true if a value is in the range.
    ///
    /// ```swift
    /// Player.filter { (10...).contains($0.score) }
    /// // SELECT * FROM "player" WHERE "score" >= 10
    /// ```
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression { element >= lowerBound }
}

extension PartialRangeThrough where Bound: SQLExpressible {
    /// Returns an expression that is true if a value is in the range.
    ///
    /// ```swift
    /// Player.filter { (...10).contains($0.score) }
    /// // SELECT * FROM "player" WHERE "score" <= 10
    /// ```
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression { element <= upperBound }
}

extension PartialRangeUpTo where Bound: SQLExpressible {
    /// Returns an expression that is true if a value is in the range.
    ///
    /// ```swift
    /// Player.filter { (..<10).contains($0.score) }
    /// // SELECT * FROM "player" WHERE "score" < 10
    /// ```
    public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression { element < upperBound }
}
