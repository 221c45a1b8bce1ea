public import AmalgamCore

/// The values of a column whose numbers are stored in a representation: `TypedColumn<Represented<Double>>`.
///
/// `@Record` declares the column of a number with `@Column(as:)` as such a column:
///
/// ```
/// @Record("item")
/// struct Item {
///     @Key var id: Int64?
///     @Column(as: Cents()) var price: Double   // 2.5 is stored as 250
/// }
///
/// Item.filter { $0.price > 2 && $0.price != 10 }
/// // SELECT "id", "price" FROM "item" WHERE ("price" > 200) AND ("price" <> 1000)
/// try Item.updateAll(db) { $0.price += 1 }
/// // UPDATE "item" SET "price" = "price" + 100
/// ```
///
/// The column is compared with values, ordered, assigned and added. If the stored forms have a different order, as JSON
/// has, or if 0 isn't stored as 0, the operators that need this throw `SQLITE_MISUSE` when the request runs. SQL would
/// multiply and divide the stored numbers, which aren't the numbers of the property. Therefore, `$0.price * 2` is an
/// error. Compute in Swift, or with the stored numbers: `$0.price.untyped * 2`.
public struct Represented<Number>: Sendable where Number: Sendable {
    /// The number.
    package let value: Number

    package init(_ value: Number) { self.value = value }
}

/// `Represented`, or an optional one.
public protocol _RepresentedValue {
    /// The type of the numbers.
    associatedtype Number

    init(_number: Number)
}

extension Represented: _RepresentedValue {
    public init(_number number: Number) { self.init(number) }
}

extension Optional: _RepresentedValue where Wrapped: _RepresentedValue {
    public init(_number number: Wrapped.Number) { self = .some(Wrapped(_number: number)) }
}

extension Represented: Equatable where Number: Equatable {}

extension Represented: Comparable where Number: Comparable {
    /// Compares the numbers.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.value < rhs.value }
}

extension Row {
    /// Returns the number of a column that stores a representation of its numbers.
    ///
    /// Traps if the value can't be converted, or if the row doesn't have the column.
    public subscript<Number: DatabaseValueConvertible>(_ column: TypedColumn<Represented<Number>>) -> Number {
        self[column.asNumbers()]
    }

    /// Returns the number of an optional column that stores a representation of its numbers.
    ///
    /// Traps if the value can't be converted.
    public subscript<Number: DatabaseValueConvertible>(_ column: TypedColumn<Represented<Number>?>) -> Number? {
        self[column.asNumbers()]
    }

    /// Returns the number of a column that stores a representation of its numbers.
    ///
    /// - Throws: a ``RowDecodingError`` if the value can't be converted, or if the row doesn't have the column.
    public func decode<Number: DatabaseValueConvertible>(
        _ type: Number.Type = Number.self, forColumn column: TypedColumn<Represented<Number>>
    ) throws -> Number {
        try decode(type, forColumn: column.asNumbers())
    }

    /// Returns the number of an optional column that stores a representation of its numbers.
    ///
    /// - Throws: a ``RowDecodingError`` if the value can't be converted.
    public func decode<Number: DatabaseValueConvertible>(
        _ type: Number?.Type = Number?.self, forColumn column: TypedColumn<Represented<Number>?>
    ) throws -> Number? {
        try decode(type, forColumn: column.asNumbers())
    }
}

extension TypedColumn {
    /// The column as one of numbers, with the format of the representation.
    package func asNumbers<Number>() -> TypedColumn<Number> where Value == Represented<Number> {
        TypedColumn<Number>(
            name,
            format: format.map { format in
                StoredFormat(
                    format.traits, encode: { format.encode(Represented($0)) },
                    decode: { try format.decode($0).map(\.value) })
            })
    }

    /// The column as one of optional numbers, with the format of the representation.
    package func asNumbers<Number>() -> TypedColumn<Number?> where Value == Represented<Number>? {
        TypedColumn<Number?>(
            name,
            format: format.map { format in
                StoredFormat(
                    format.traits, encode: { format.encode($0.map { Represented($0) }) },
                    decode: { try format.decode($0).map { $0?.value } })
            })
    }
}
