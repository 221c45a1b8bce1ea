public import AmalgamCore
public import Foundation

// The kinds of values of typed columns, which decide on the operators and functions of a column. An optional value has
// the kind of the wrapped value.

/// A type of numbers that are stored as numbers: the values of a ``TypedColumn`` with arithmetic operators.
///
/// The integers and floating-point numbers of Swift and `CGFloat` conform. `Decimal` is a ``SQLDecimalValue``. Your own
/// types can conform:
///
/// ```swift
/// struct Points: RawRepresentable, SQLNumericValue {
///     var rawValue: Int
/// }
///
/// let bonus = TypedColumn<Points>("bonus")
/// Player.select { _ in bonus + Points(rawValue: 1) }
/// // SELECT "bonus" + 1 FROM "player"
/// ```
public protocol SQLNumericValue: DatabaseValueConvertible {}

/// A type of integers: the values of a ``TypedColumn`` with bitwise operators.
///
/// ```swift
/// struct Options: OptionSet, SQLIntegerValue {
///     var rawValue: Int
///     static let hidden = Options(rawValue: 1)
/// }
///
/// let options = TypedColumn<Options>("options")
/// Player.filter { _ in options & .hidden == 0 }
/// // SELECT * FROM "player" WHERE ("options" & 1) = 0
/// ```
public protocol SQLIntegerValue: SQLNumericValue {}

/// A type of strings: the values of a ``TypedColumn`` with `like` and other functions of strings.
///
/// ```swift
/// struct Email: RawRepresentable, SQLStringValue {
///     var rawValue: String
/// }
///
/// let email = TypedColumn<Email>("email")
/// Player.filter { _ in email.like("%@example.com") }
/// // SELECT * FROM "player" WHERE "email" LIKE '%@example.com'
/// ```
public protocol SQLStringValue: DatabaseValueConvertible {}

/// A type of truth values: `Bool`, or an optional `Bool`. A ``TypedColumn`` of these values is a condition.
///
/// ```swift
/// let isActive = TypedColumn<Bool>("isActive")
/// Player.filter { _ in isActive }
/// // SELECT * FROM "player" WHERE "isActive"
/// ```
public protocol SQLBooleanValue: DatabaseValueConvertible {}

extension Int: SQLIntegerValue {}
extension Int8: SQLIntegerValue {}
extension Int16: SQLIntegerValue {}
extension Int32: SQLIntegerValue {}
extension Int64: SQLIntegerValue {}
extension UInt: SQLIntegerValue {}
extension UInt8: SQLIntegerValue {}
extension UInt16: SQLIntegerValue {}
extension UInt32: SQLIntegerValue {}
extension UInt64: SQLIntegerValue {}
extension Double: SQLNumericValue {}
extension Float: SQLNumericValue {}
extension CGFloat: SQLNumericValue {}
extension String: SQLStringValue {}
extension Bool: SQLBooleanValue {}

extension Optional: SQLNumericValue where Wrapped: SQLNumericValue {}
extension Optional: SQLIntegerValue where Wrapped: SQLIntegerValue {}
extension Optional: SQLStringValue where Wrapped: SQLStringValue {}
extension Optional: SQLBooleanValue where Wrapped: SQLBooleanValue {}

/// A value of an optional type, but not the literal `nil`.
///
/// Only optional types conform. A column that isn't optional can be compared with `team?.id`, but not with `nil`.
public protocol _OptionalValue<Wrapped> {
    /// The type of the wrapped value.
    associatedtype Wrapped

    /// The value.
    var _optional: Wrapped? { get }
}

extension Optional: _OptionalValue {
    /// The value.
    public var _optional: Wrapped? { self }
}
