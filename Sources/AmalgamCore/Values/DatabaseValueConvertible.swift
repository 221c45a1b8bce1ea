public import Foundation

/// A type whose values are stored in a single column.
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
/// let isbn = ISBN(digits: "9780140328721")
/// try db.execute(sql: "INSERT INTO book (isbn) VALUES (?)", arguments: [isbn])
/// let stored = try ISBN.fetchOne(db, sql: "SELECT isbn FROM book")
/// ```
///
/// The conformance is derived for `RawRepresentable` types with a convertible raw value. It is also derived for
/// `Codable` types, which are stored as a single value or as JSON.
public protocol DatabaseValueConvertible: SQLExpressible, StatementBinding {
    /// The value in SQLite's representation.
    var databaseValue: DatabaseValue { get }

    /// Returns the Swift value of a database value, or nil if it can't be converted. The implementation must not trap.
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

    /// Returns the value of a missing column; nil is an error. Only `Optional` returns a value: don't implement this.
    static func fromMissingColumn() -> Self?

    /// Decodes an argument of a ``DatabaseFunction``. Returns nil if the argument can't be converted.
    ///
    /// The default implementation calls ``fromDatabaseValue(_:)``. For types that are the arguments of many calls,
    /// implement the method without the intermediate `DatabaseValue`. It must return the same values as
    /// ``fromDatabaseValue(_:)``:
    ///
    /// ```swift
    /// extension Celsius {  // a DatabaseValueConvertible type with a property `degrees`
    ///     static func fromFunctionArgument(_ argument: DatabaseFunction.Argument) -> Celsius? {
    ///         Double.fromFunctionArgument(argument).map(Celsius.init(degrees:))
    ///     }
    /// }
    /// ```
    static func fromFunctionArgument(_ argument: DatabaseFunction.Argument) -> Self?

    /// Sets `self` as the result of a ``DatabaseFunction``. The default implementation sets the ``databaseValue``.
    ///
    /// ```swift
    /// extension Celsius {  // a DatabaseValueConvertible type with a property `degrees`
    ///     func setFunctionResult(_ result: DatabaseFunction.Result) { degrees.setFunctionResult(result) }
    /// }
    /// ```
    func setFunctionResult(_ result: DatabaseFunction.Result)

    /// Returns the decoder of `Codable` values that are stored as JSON.
    static func databaseJSONDecoder() -> JSONDecoder

    /// Returns the encoder of `Codable` values that are stored as JSON.
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

    /// Returns a decoder that expects `Data` in base64, and dates in milliseconds since 1970. Decoding NaN or infinity
    /// throws an error.
    public static func databaseJSONDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .base64
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.nonConformingFloatDecodingStrategy = .throw
        return decoder
    }

    /// Returns an encoder that writes `Data` in base64, and dates in milliseconds since 1970. Encoding NaN or infinity
    /// throws an error. Keys are sorted, so that equal values have equal JSON.
    public static func databaseJSONEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .base64
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.nonConformingFloatEncodingStrategy = .throw
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}
