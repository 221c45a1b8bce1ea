public import AmalgamCore

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Returns the assignment of a value to the column.
    ///
    /// ```swift
    /// let score = TypedColumn<Int>("score")
    /// try Player.updateAll(db) { _ in score.set(to: 0) }
    /// // UPDATE "player" SET "score" = 0
    /// ```
    public func set(to value: Value) -> ColumnAssignment { untyped.set(to: stored(value)) }
}

extension TypedColumn {
    /// Returns the assignment of a value of any type, which is encoded as the record of the column encodes it, for example
    /// as JSON: `"tags" = '["new"]'`.
    @_disfavoredOverload
    public func set(to value: Value) -> ColumnAssignment { untyped.set(to: storedInFormat(value)) }

    /// Returns the assignment of the value of a column: `"score" = "bonus"`.
    public func set(to column: Self) -> ColumnAssignment { untyped.set(to: column.operand(like: self)) }

    /// Returns the assignment of the value of a column to an optional column: `"bonus" = "score"`.
    public func set<Wrapped>(to column: TypedColumn<Wrapped>) -> ColumnAssignment where Value == Wrapped? {
        untyped.set(to: column.operand(like: self))
    }

    /// Returns the assignment of an expression: `"score" = "score" * 2 + 1`.
    ///
    /// ```swift
    /// let score = TypedColumn<Int>("score")
    /// try Player.updateAll(db) { _ in score.set(to: score * 2 + 1) }
    /// // UPDATE "player" SET "score" = ("score" * 2) + 1
    /// ```
    ///
    /// The assignment throws `SQLITE_MISUSE` when it runs if the expression is computed from a column that stores its values in a
    /// different format.
    public func set(to expression: some SQLSpecificExpressible) -> ColumnAssignment {
        let hasFormat = expression.sqlExpression.node.formattedResult?.hasFormatOf(self) ?? true
        return hasFormat ? untyped.set(to: expression) : untyped.set(to: misuse(.formats))
    }

    /// An assignment for upserts that leaves the column of an existing row unchanged.
    public var noOverwrite: ColumnAssignment { untyped.noOverwrite }
}

// MARK: - Raw values

extension TypedColumn where Value: RawRepresentable, Value.RawValue: DatabaseValueConvertible {
    /// Returns the assignment of a raw value to the column: `"direction" = 'north'`.
    @_disfavoredOverload
    public func set(to value: Value) -> ColumnAssignment { untyped.set(to: storedRawValue(value)) }
}

extension TypedColumn {
    /// Returns the assignment of a raw value, or NULL, to an optional column.
    @_disfavoredOverload
    public func set<Wrapped: RawRepresentable>(to value: Wrapped?) -> ColumnAssignment
    where Value == Wrapped?, Wrapped.RawValue: DatabaseValueConvertible {
        untyped.set(to: value.map(storedRawValue))
    }
}

// MARK: - Operators

extension TypedColumn where Value: SQLNumericValue {
    /// Adds a value to the column: `"score" = "score" + 10`.
    ///
    /// ```swift
    /// let score = TypedColumn<Int>("score")
    /// try Player.updateAll(db) { _ in score += 10 }
    /// // UPDATE "player" SET "score" = "score" + 10
    /// ```
    public static func += (column: Self, value: Value) -> ColumnAssignment {
        column.untyped.set(to: SQLExpression(column.addend, .add, column.stored(value)))
    }

    /// Adds the value of a column or of an expression: `"score" = "score" + "bonus"`.
    public static func += (column: Self, value: some SQLNumericOperand) -> ColumnAssignment {
        column.set(to: column.number + value)
    }

    /// Subtracts a value from the column: `"score" = "score" - 10`.
    public static func -= (column: Self, value: Value) -> ColumnAssignment {
        column.untyped.set(to: binary(column.addend, .subtract, column.stored(value)))
    }

    /// Subtracts the value of a column or of an expression: `"score" = "score" - "bonus"`.
    public static func -= (column: Self, value: some SQLNumericOperand) -> ColumnAssignment {
        column.set(to: column.number - value)
    }

    /// Multiplies the column by a value: `"score" = "score" * 2`.
    public static func *= (column: Self, value: Value) -> ColumnAssignment { column.set(to: column * value) }

    /// Multiplies the column by the value of a column or of an expression: `"score" = "score" * "bonus"`.
    public static func *= (column: Self, value: some SQLNumericOperand) -> ColumnAssignment {
        column.set(to: column.number * value)
    }

    /// Divides the column by a value: `"score" = "score" / 2`.
    public static func /= (column: Self, value: Value) -> ColumnAssignment { column.set(to: column / value) }

    /// Divides the column by the value of a column or of an expression: `"score" = "score" / "bonus"`.
    public static func /= (column: Self, value: some SQLNumericOperand) -> ColumnAssignment {
        column.set(to: column.number / value)
    }
}

extension TypedColumn where Value: SQLIntegerValue {
    /// Assigns the bitwise AND of the column and a value: `"flags" = "flags" & 6`.
    public static func &= (column: Self, value: Value) -> ColumnAssignment { column.set(to: column & value) }

    /// Assigns the bitwise AND of the column and a column or an expression: `"flags" = "flags" & "mask"`.
    public static func &= (column: Self, value: some SQLNumericOperand) -> ColumnAssignment {
        column.set(to: column.number & value)
    }

    /// Assigns the bitwise OR of the column and a value: `"flags" = "flags" | 6`.
    public static func |= (column: Self, value: Value) -> ColumnAssignment { column.set(to: column | value) }

    /// Assigns the bitwise OR of the column and a column or an expression: `"flags" = "flags" | "mask"`.
    public static func |= (column: Self, value: some SQLNumericOperand) -> ColumnAssignment {
        column.set(to: column.number | value)
    }

    /// Shifts the bits of the column to the left: `"flags" = "flags" << 1`.
    public static func <<= (column: Self, value: Value) -> ColumnAssignment { column.set(to: column << value) }

    /// Shifts the bits of the column to the right: `"flags" = "flags" >> 1`.
    public static func >>= (column: Self, value: Value) -> ColumnAssignment { column.set(to: column >> value) }
}

// The compiler uses these overloads for other operands, because their error message is short.

extension TypedColumn {
    @available(*, unavailable, message: "the column isn't optional")
    public func set(to value: _OptionalNilComparisonType) -> ColumnAssignment { untyped.set(to: nil) }

    @available(*, unavailable, message: "the value has a different type")
    public func set(to value: some SQLExpressible) -> ColumnAssignment { untyped.set(to: value) }

    @available(*, unavailable, message: "the operands have different types, or aren't numbers")
    public static func += (column: Self, value: some SQLExpressible) -> ColumnAssignment { column.untyped += value }

    @available(*, unavailable, message: "the operands have different types, or aren't numbers")
    public static func -= (column: Self, value: some SQLExpressible) -> ColumnAssignment { column.untyped -= value }

    @available(*, unavailable, message: "the operands have different types, or aren't numbers")
    public static func *= (column: Self, value: some SQLExpressible) -> ColumnAssignment { column.untyped *= value }

    @available(*, unavailable, message: "the operands have different types, or aren't numbers")
    public static func /= (column: Self, value: some SQLExpressible) -> ColumnAssignment { column.untyped /= value }
}
