import AmalgamCore

// The scalar functions of a typed column that are Swift functions: see Scalars.swift.

/// Returns the absolute value of the numbers of a column: `ABS("score")`.
///
/// ```swift
/// Player.filter { abs($0.score) > 10 }
/// // SELECT * FROM "player" WHERE ABS("score") > 10
/// ```
public func abs<Value: SQLNumericValue>(_ column: TypedColumn<Value>) -> TypedColumn<Value> {
    column.written(as: abs(column.magnitude), of: "ABS")
}

/// Returns the number of characters of a string, or of bytes of a blob: `LENGTH("name")`.
///
/// ```swift
/// Player.filter { length($0.name) > 10 }
/// // SELECT * FROM "player" WHERE LENGTH("name") > 10
/// ```
public func length(_ column: TypedColumn<some Any>) -> TypedColumn<Int> {
    column.result(of: "LENGTH", length(column.text))
}

/// Returns the number of characters of a string, or of bytes of a blob; NULL for NULL: `LENGTH("nickname")`.
public func length<Wrapped>(_ column: TypedColumn<Wrapped?>) -> TypedColumn<Int?> {
    column.result(of: "LENGTH", length(column.text))
}

@available(*, unavailable, message: "the values of the column aren't numbers")
public func abs<Value>(_ column: TypedColumn<Value>) -> TypedColumn<Value> {
    column.written(as: abs(column.sqlExpression), of: "ABS")
}
