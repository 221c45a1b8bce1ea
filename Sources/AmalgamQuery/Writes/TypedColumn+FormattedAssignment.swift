public import AmalgamCore
public import Foundation

// The assignments of columns whose operators compute with stored forms: numbers in a representation, and decimals. Their
// sums and products are in Expressions/Typed.

// MARK: - Numbers in a representation

extension TypedColumn where Value: _RepresentedValue {
    /// Adds a number to the column: `"price" = "price" + 100`. The number is stored as the column stores it, and rounded if
    /// the representation rounds.
    public static func += (column: Self, number: Value.Number) -> ColumnAssignment {
        column.untyped.set(to: SQLExpression(column.addend, .add, column.storedForm(number)))
    }

    /// Adds the number of a column to the column: `"price" = "price" + "tax"`.
    public static func += <Other: _RepresentedValue>(column: Self, other: TypedColumn<Other>) -> ColumnAssignment
    where Other.Number == Value.Number {
        column.untyped.set(to: SQLExpression(column.addend(like: other), .add, other))
    }

    /// Subtracts a number from the column: `"price" = "price" - 100`.
    public static func -= (column: Self, number: Value.Number) -> ColumnAssignment {
        column.untyped.set(to: binary(column.addend, .subtract, column.storedForm(number)))
    }

    /// Subtracts the number of a column from the column: `"price" = "price" - "tax"`.
    public static func -= <Other: _RepresentedValue>(column: Self, other: TypedColumn<Other>) -> ColumnAssignment
    where Other.Number == Value.Number {
        column.untyped.set(to: binary(column.addend(like: other), .subtract, other))
    }

    /// Returns the assignment of a number to the column: `"price" = 250`.
    public func set(to number: Value.Number) -> ColumnAssignment { untyped.set(to: storedForm(number)) }

    @available(
        *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
    )
    public static func *= (column: Self, value: some SQLExpressible) -> ColumnAssignment { column.noOverwrite }

    @available(
        *, unavailable, message: "the column stores a representation of its numbers: use 'untyped', or compute in Swift"
    )
    public static func /= (column: Self, value: some SQLExpressible) -> ColumnAssignment { column.noOverwrite }
}

extension TypedColumn {
    /// Adds an optional number to the optional column: `"discount" = "discount" + 100`.
    public static func += <Number>(column: Self, number: some _OptionalValue<Number>) -> ColumnAssignment
    where Value == Represented<Number>? {
        column.untyped.set(to: SQLExpression(column.addend, .add, column.storedForm(optional: number)))
    }

    /// Subtracts an optional number from the optional column: `"discount" = "discount" - 100`.
    public static func -= <Number>(column: Self, number: some _OptionalValue<Number>) -> ColumnAssignment
    where Value == Represented<Number>? {
        column.untyped.set(to: binary(column.addend, .subtract, column.storedForm(optional: number)))
    }

    private func storedForm<Number>(optional number: some _OptionalValue<Number>) -> SQLExpression
    where Value == Represented<Number>? {
        storedInFormat(number._optional.map { Represented($0) })
    }

    /// Returns the assignment of a number, or of NULL, to an optional column: `"price" = 250`.
    public func set<Number>(to number: Number?) -> ColumnAssignment where Value == Represented<Number>? {
        untyped.set(to: storedInFormat(number.map { Represented($0) }))
    }
}

// MARK: - Decimals

extension TypedColumn where Value: SQLDecimalValue {
    /// Adds a decimal exactly: `"price" = decimal_add("price", '1')`.
    ///
    /// ```swift
    /// let price = TypedColumn<Decimal>("price")
    /// try Player.updateAll(db) { _ in price += 1 }
    /// // UPDATE "player" SET "price" = decimal_add("price", '1')
    /// ```
    public static func += (column: Self, value: Decimal) -> ColumnAssignment { column.assigned(column + value) }

    /// Adds the value of a column exactly: `"price" = decimal_add("price", "tax")`.
    public static func += (column: Self, value: Self) -> ColumnAssignment { column.assigned(column + value) }

    /// Subtracts a decimal exactly: `"price" = decimal_sub("price", '1')`.
    public static func -= (column: Self, value: Decimal) -> ColumnAssignment { column.assigned(column - value) }

    /// Subtracts the value of a column exactly: `"price" = decimal_sub("price", "tax")`.
    public static func -= (column: Self, value: Self) -> ColumnAssignment { column.assigned(column - value) }

    /// Multiplies by a decimal exactly: `"price" = decimal_mul("price", '2')`.
    public static func *= (column: Self, value: Decimal) -> ColumnAssignment { column.assigned(column * value) }

    /// Multiplies by the value of a column exactly: `"price" = decimal_mul("price", "count")`.
    public static func *= (column: Self, value: Self) -> ColumnAssignment { column.assigned(column * value) }

    @available(*, unavailable, message: "a quotient may have no end: divide in Swift, or 'untyped' as REAL numbers")
    public static func /= (column: Self, value: some SQLExpressible) -> ColumnAssignment { column.noOverwrite }

    private func assigned(_ result: Self) -> ColumnAssignment { untyped.set(to: SQLExpression(node: result.node)) }
}
