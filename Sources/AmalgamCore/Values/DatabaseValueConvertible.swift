public import Foundation

/// A type whose values are stored in one column.
///
/// ```swift
/// struct ISBN: DatabaseValueConvertible {
///     var digits: String
///
///     var databaseValue: DatabaseValue { digits.databaseValue }
///
///     static func fromDatabaseValue(_ dbValue: DatabaseValue) -> ISBN? {
///         String.fromDatabaseValue(dbValue).map(ISBN.init(digits:))
///     }
/// }
///
/// try db.execute(sql: "INSERT INTO book (isbn) VALUES (?)", arguments: [isbn])
/// let isbn = try ISBN.fetchOne(db, sql: "SELECT isbn FROM book")
/// ```
///
/// The conformance is derived for `RawRepresentable` types with a convertible raw value, and for
/// `Codable` types, which are stored as their single value or as JSON text.
public protocol DatabaseValueConvertible: SQLExpressible, StatementBinding {
    /// The value as SQLite stores it.
    var databaseValue: DatabaseValue { get }

    /// The Swift value of a stored value, or nil when it does not convert. It never traps.
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

    /// The value that stands for a column that does not exist: nil, meaning failure, except for optionals.
    /// Not to be customised.
    static func fromMissingColumn() -> Self?

    /// Decodes an argument of a ``DatabaseFunction``, or returns nil when it does not convert.
    ///
    /// It decodes what ``fromDatabaseValue(_:)`` does, which it calls by default. Types that are the arguments of many
    /// calls may do so without a `DatabaseValue`:
    ///
    /// ```swift
    /// extension Celsius {
    ///     static func fromFunctionArgument(_ argument: DatabaseFunction.Argument) -> Celsius? {
    ///         Double.fromFunctionArgument(argument).map(Celsius.init(degrees:))
    ///     }
    /// }
    /// ```
    static func fromFunctionArgument(_ argument: DatabaseFunction.Argument) -> Self?

    /// Makes `self` the result of a ``DatabaseFunction``. By default, that is its ``databaseValue``.
    func setFunctionResult(_ result: DatabaseFunction.Result)

    /// The decoder of `Codable` values that are stored as JSON text.
    static func databaseJSONDecoder() -> JSONDecoder

    /// The encoder of `Codable` values that are stored as JSON text.
    static func databaseJSONEncoder() -> JSONEncoder
}

extension DatabaseValueConvertible {
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        databaseValue.bind(to: sqliteStatement, at: index)
    }

    public var sqlExpression: SQLExpression { SQLExpression(node: databaseValue) }

    @inlinable
    public static func fromMissingColumn() -> Self? { nil }

    /// Data as base64, dates as milliseconds since 1970, non-finite numbers refused.
    public static func databaseJSONDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .base64
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.nonConformingFloatDecodingStrategy = .throw
        return decoder
    }

    /// Data as base64, dates as milliseconds since 1970, non-finite numbers refused, keys sorted so that equal
    /// values have equal texts.
    public static func databaseJSONEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .base64
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.nonConformingFloatEncodingStrategy = .throw
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}
