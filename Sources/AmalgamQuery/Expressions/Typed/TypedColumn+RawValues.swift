public import AmalgamCore

// Comparisons of enumerations that aren't `DatabaseValueConvertible`, such as those of
// `@Column(as: .rawValue)`. The overloads are disfavored: enumerations that are convertible have others.

extension TypedColumn where Value: RawRepresentable, Value.RawValue: DatabaseValueConvertible {
    /// Compares a column and the raw value of a value: `"direction" = 'north'`.
    ///
    /// ```swift
    /// enum Direction: String { case north, south }
    /// let direction = TypedColumn<Direction>("direction")
    /// Player.filter { _ in direction == .north }
    /// // SELECT * FROM "player" WHERE "direction" = 'north'
    /// ```
    @_disfavoredOverload
    public static func == (lhs: Self, rhs: Value) -> SQLExpression { equality(lhs, .equal, lhs.storedRawValue(rhs)) }

    /// Compares a column and the raw value of a value: `"direction" <> 'north'`.
    @_disfavoredOverload
    public static func != (lhs: Self, rhs: Value) -> SQLExpression { equality(lhs, .notEqual, lhs.storedRawValue(rhs)) }

    func storedRawValue(_ value: Value) -> SQLExpression { storedInFormat(value) }
}

extension TypedColumn {
    /// Compares an optional column and the raw value of a value: `"direction" = 'north'`, or `"direction" IS NULL`.
    @_disfavoredOverload
    public static func == <Wrapped: RawRepresentable>(lhs: Self, rhs: Wrapped?) -> SQLExpression
    where Value == Wrapped?, Wrapped.RawValue: DatabaseValueConvertible {
        equality(lhs, .equal, rhs.map(lhs.storedRawValue))
    }

    /// Compares an optional column and the raw value of a value: `"direction" <> 'north'`, or
    /// `"direction" IS NOT NULL`.
    @_disfavoredOverload
    public static func != <Wrapped: RawRepresentable>(lhs: Self, rhs: Wrapped?) -> SQLExpression
    where Value == Wrapped?, Wrapped.RawValue: DatabaseValueConvertible {
        equality(lhs, .notEqual, rhs.map(lhs.storedRawValue))
    }

    func storedRawValue<Wrapped: RawRepresentable>(_ value: Wrapped) -> SQLExpression
    where Value == Wrapped?, Wrapped.RawValue: DatabaseValueConvertible {
        storedInFormat(value)
    }
}
