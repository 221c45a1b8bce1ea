public import AmalgamCore

extension Sequence where Element: DatabaseValueConvertible {
    /// Returns an expression that is true if the sequence contains the value of a column: `IN`.
    ///
    /// ```swift
    /// let score = TypedColumn<Int>("score")
    /// Player.filter { _ in [10, 20].contains(score) }
    /// // SELECT * FROM "player" WHERE "score" IN (10, 20)
    /// ```
    ///
    /// One value is written as an equality, and an empty sequence as `0`.
    public func contains(_ column: TypedColumn<Element>) -> SQLExpression {
        SQLExpression(column.sqlExpression.node, isIn: map { column.stored($0).node })
    }

    /// Returns an expression that is true if the sequence contains the value of an optional column: `IN`. NULL is in no
    /// list, as in SQL.
    public func contains(_ column: TypedColumn<Element?>) -> SQLExpression {
        SQLExpression(column.sqlExpression.node, isIn: map { column.stored($0).node })
    }

    @available(*, unavailable, message: "the column has values of a different type")
    public func contains(_ column: TypedColumn<some Any>) -> SQLExpression { SQLExpression(column.node, isIn: []) }
}

// Values of other types have the format of the column, such as JSON.

extension Sequence {
    /// Returns an expression that is true if the sequence contains the value of a column: `IN`. Values are encoded as the
    /// record of the column encodes them, for example as JSON.
    @_disfavoredOverload
    public func contains(_ column: TypedColumn<Element>) -> SQLExpression {
        SQLExpression(column.node, isIn: map { column.storedInFormat($0).node })
    }

    /// Returns an expression that is true if the sequence contains the value of an optional column: `IN`.
    @_disfavoredOverload
    public func contains(_ column: TypedColumn<Element?>) -> SQLExpression {
        SQLExpression(column.node, isIn: map { column.storedInFormat($0).node })
    }

    /// Returns an expression that is true if one of several columns has the value of a column:
    /// `"score" IN ("bonus", "best")`.
    public func contains<Value>(_ column: TypedColumn<Value>) -> SQLExpression where Element == TypedColumn<Value> {
        SQLExpression(
            column.sqlExpression.node, isIn: map { $0.hasFormat(of: column) ? $0.node : $0.misuse(.formats).node })
    }
}

extension SQLArray {
    /// Returns an expression that is true if the array contains the value of a column: `"name" IN carray(?)`, or
    /// `"id" IN (SELECT +value FROM carray(?))` for numbers.
    ///
    /// Writing the expression throws `SQLITE_MISUSE` if the column stores its values in a different form than the array.
    /// An `Array` has the form of the column.
    public func contains(_ column: TypedColumn<some Any>) -> SQLExpression {
        contains(column.storesUsualForms ? column.sqlExpression : column.misuse(.array))
    }
}

// MARK: - Ranges

extension ClosedRange where Bound: DatabaseValueConvertible {
    /// Returns an expression that is true if the value of a column is in the range.
    ///
    /// ```swift
    /// let score = TypedColumn<Int>("score")
    /// Player.filter { _ in (10...20).contains(score) }
    /// // SELECT * FROM "player" WHERE "score" BETWEEN 10 AND 20
    /// ```
    public func contains(_ column: TypedColumn<Bound>) -> SQLExpression { column.between(lowerBound, upperBound) }

    /// Returns an expression that is true if the value of an optional column is in the range.
    public func contains(_ column: TypedColumn<Bound?>) -> SQLExpression { column.between(lowerBound, upperBound) }
}

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Returns a BETWEEN condition; two comparisons if a bound isn't stored exactly, or if a collation compares the values,
    /// which BETWEEN would apply to the upper bound only.
    fileprivate func between(_ lower: Value, _ upper: Value) -> SQLExpression {
        let isExact = format?.rounding(of: lower) ?? .exact == .exact && format?.rounding(of: upper) ?? .exact == .exact
        if !isExact || isOrderedByCollation { return self >= lower && self <= upper }
        return SQLExpression(node: BetweenNode(ordered.node, stored(lower).node, stored(upper).node))
    }
}

extension Range where Bound: DatabaseValueConvertible {
    /// Returns an expression that is true if the value of a column is in the range:
    /// `("score" >= 10) AND ("score" < 20)`.
    public func contains(_ column: TypedColumn<Bound>) -> SQLExpression {
        column >= lowerBound && column < upperBound
    }

    /// Returns an expression that is true if the value of an optional column is in the range.
    public func contains(_ column: TypedColumn<Bound?>) -> SQLExpression {
        column >= lowerBound && column < upperBound
    }
}

extension PartialRangeFrom where Bound: DatabaseValueConvertible {
    /// Returns an expression that is true if the value of a column is in the range: `"score" >= 10`.
    public func contains(_ column: TypedColumn<Bound>) -> SQLExpression { column >= lowerBound }

    /// Returns an expression that is true if the value of an optional column is in the range.
    public func contains(_ column: TypedColumn<Bound?>) -> SQLExpression { column >= lowerBound }
}

extension PartialRangeThrough where Bound: DatabaseValueConvertible {
    /// Returns an expression that is true if the value of a column is in the range: `"score" <= 10`.
    public func contains(_ column: TypedColumn<Bound>) -> SQLExpression { column <= upperBound }

    /// Returns an expression that is true if the value of an optional column is in the range.
    public func contains(_ column: TypedColumn<Bound?>) -> SQLExpression { column <= upperBound }
}

extension PartialRangeUpTo where Bound: DatabaseValueConvertible {
    /// Returns an expression that is true if the value of a column is in the range: `"score" < 10`.
    public func contains(_ column: TypedColumn<Bound>) -> SQLExpression { column < upperBound }

    /// Returns an expression that is true if the value of an optional column is in the range.
    public func contains(_ column: TypedColumn<Bound?>) -> SQLExpression { column < upperBound }
}

extension ClosedRange {
    @available(*, unavailable, message: "the column has values of a different type")
    public func contains(_ column: TypedColumn<some Any>) -> SQLExpression { column.sqlExpression }
}

extension Range {
    @available(*, unavailable, message: "the column has values of a different type")
    public func contains(_ column: TypedColumn<some Any>) -> SQLExpression { column.sqlExpression }
}
