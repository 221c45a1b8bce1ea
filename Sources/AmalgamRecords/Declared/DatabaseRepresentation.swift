public import AmalgamCore
public import AmalgamQuery
public import Foundation

/// How the values of a property are stored, if not as their type says.
///
/// ```
/// struct Milliseconds: DatabaseRepresentation {
///     func databaseValue(of duration: Duration) -> DatabaseValue { Int64(duration / .milliseconds(1)).databaseValue }
///     func value(from databaseValue: DatabaseValue) -> Duration? {
///         Int64.fromDatabaseValue(databaseValue).map { .milliseconds($0) }
///     }
/// }
///
/// @Record("lap")
/// struct Lap {
///     @Key var id: Int64?
///     @Column(as: Milliseconds()) var time: Duration   // stored as an INTEGER: 61500
/// }
/// ```
///
/// A property whose type is an optional stores nil as NULL. The representation isn't asked.
///
/// A request that sorts or compares the column asks the representation for the stored forms of a few numbers, dates or
/// strings, and throws `SQLITE_MISUSE` if SQLite sorts them in a different order.
public protocol DatabaseRepresentation<Value>: Sendable {
    /// The type of the property, without its optional.
    associatedtype Value

    /// Returns the value that is stored.
    ///
    /// - Throws: any error. Methods that write the record throw it.
    func databaseValue(of value: Value) throws -> DatabaseValue

    /// Returns the value of a stored value; nil if there is none.
    ///
    /// - Throws: any error. Methods that fetch the record throw it.
    func value(from databaseValue: DatabaseValue) throws -> Value?
}

/// JSON as TEXT: `@Column(as: .json)`. See <https://sqlite.org/json1.html>.
///
/// Dates are milliseconds since 1970, data is in base64, and keys are sorted, as in the JSON that records store by
/// default. Use it for types that aren't stored as JSON by default, such as `String`, and to tell what is stored.
public struct JSONRepresentation<Value>: Sendable {
    /// Creates a representation.
    public init() {}
}

extension JSONRepresentation: DatabaseRepresentation where Value: Codable {
    public func databaseValue(of value: Value) throws -> DatabaseValue {
        let data = try DatabaseValue.databaseJSONEncoder().encode(value)
        return String(decoding: data, as: UTF8.self).databaseValue
    }

    /// The value of a property.
    ///
    /// - Throws: errors of the representation; a ``RowDecodingError``.
    public func value(from databaseValue: DatabaseValue) throws -> Value? {
        guard let data = Data.fromDatabaseValue(databaseValue) else { return nil }
        return try DatabaseValue.databaseJSONDecoder().decode(Value.self, from: data)
    }
}

/// Seconds since 1970 as an INTEGER: `@Column(as: .unixTime)`. Fractions of a second are dropped.
public struct UnixTimeRepresentation: DatabaseRepresentation {
    /// Creates a representation.
    public init() {}

    /// The seconds. A date that isn't a number, or that is too far away, is an error of the statement.
    public func databaseValue(of date: Date) -> DatabaseValue {
        DatabaseDateEncodingStrategy.secondsSince1970.encode(date)?.databaseValue ?? .null
    }

    public func value(from databaseValue: DatabaseValue) -> Date? {
        Double.fromDatabaseValue(databaseValue).map { Date(timeIntervalSince1970: $0) }
    }
}

/// ISO 8601 as TEXT, in UTC, with seconds: `2026-11-26T18:04:24Z`. See `@Column(as: .iso8601)`.
public struct ISO8601Representation: DatabaseRepresentation {
    /// Creates a representation.
    public init() {}

    /// The string. A date that isn't a number, or that is too far away, is an error of the statement.
    public func databaseValue(of date: Date) -> DatabaseValue {
        DatabaseDateEncodingStrategy.iso8601.encode(date)?.databaseValue ?? .null
    }

    public func value(from databaseValue: DatabaseValue) -> Date? {
        guard let text = String.fromDatabaseValue(databaseValue) else { return nil }
        return try? Date(text, strategy: .iso8601)
    }
}

/// The raw value of an enumeration that isn't a ``DatabaseValueConvertible``: `@Column(as: .rawValue)`.
public struct RawValueRepresentation<Value>: Sendable {
    /// Creates a representation.
    public init() {}
}

extension RawValueRepresentation: DatabaseRepresentation
where Value: RawRepresentable, Value.RawValue: DatabaseValueConvertible {
    public func databaseValue(of value: Value) -> DatabaseValue { value.rawValue.databaseValue }

    public func value(from databaseValue: DatabaseValue) -> Value? {
        Value.RawValue.fromDatabaseValue(databaseValue).flatMap { Value(rawValue: $0) }
    }
}

// MARK: - Known stored forms

/// A representation of which the library knows more than the stored forms of a few values tell.
package protocol KnownRepresentation {
    /// How SQLite sorts the stored values.
    static var order: FormatTraits.Order { get }

    /// Whether a record without the representation stores the same values. The stored forms of a few values tell for types
    /// that have samples.
    static var storesUsualForm: Bool { get }

    /// Whether the representation stores JSON as JSONB, and not as TEXT; nil for other values than JSON.
    static var storesJSONB: Bool? { get }
}

extension KnownRepresentation {
    package static var storesUsualForm: Bool { false }

    package static var storesJSONB: Bool? { nil }
}

extension JSONRepresentation: KnownRepresentation {
    package static var order: FormatTraits.Order { .different }

    /// An enumeration usually stores its raw value.
    package static var storesUsualForm: Bool { !(Value.self is any RawRepresentable.Type) }

    package static var storesJSONB: Bool? { false }
}

extension UnixTimeRepresentation: KnownRepresentation {
    package static var order: FormatTraits.Order { .kept }
}

extension ISO8601Representation: KnownRepresentation {
    package static var order: FormatTraits.Order { .kept }
}

extension RawValueRepresentation: KnownRepresentation {
    package static var order: FormatTraits.Order { .unknown }

    package static var storesUsualForm: Bool { true }
}

// MARK: - Names

// `@Record` replaces these representations by those of the property's type.

extension DatabaseRepresentation where Self == JSONRepresentation<Never> {
    /// JSON as TEXT.
    public static var json: JSONRepresentation<Never> { JSONRepresentation() }
}

extension DatabaseRepresentation where Self == RawValueRepresentation<_AnyRawValue> {
    /// The raw value.
    public static var rawValue: RawValueRepresentation<_AnyRawValue> { RawValueRepresentation() }
}

/// The type of the representation that the macro replaces.
public enum _AnyRawValue: Int, Sendable {
    case any
}

extension DatabaseRepresentation where Self == UnixTimeRepresentation {
    /// Seconds since 1970 as an INTEGER.
    public static var unixTime: UnixTimeRepresentation { UnixTimeRepresentation() }
}

extension DatabaseRepresentation where Self == ISO8601Representation {
    /// ISO 8601 as TEXT.
    public static var iso8601: ISO8601Representation { ISO8601Representation() }
}

// MARK: - Reading and writing

extension _RecordReader {
    /// The value of a property.
    ///
    /// - Throws: errors of the representation; a ``RowDecodingError``.
    public func value<Representation: DatabaseRepresentation>(
        _ number: Int, _ type: Representation.Value.Type, as representation: Representation
    ) throws -> Representation.Value {
        guard let index = index(number) else { throw row.columnNotFound(name(number)) }
        let stored = row.databaseValue(atUncheckedIndex: index)
        let value = try row.locating(atIndex: index) { stored.isNull ? nil : try representation.value(from: stored) }
        if let value { return value }
        throw row.mismatch(type, index: index)
    }

    /// The value of a property.
    ///
    /// - Throws: errors of the representation; a ``RowDecodingError``.
    public func value<Representation: DatabaseRepresentation>(
        _ number: Int, ifPresent type: Representation.Value.Type, as representation: Representation
    ) throws -> Representation.Value? {
        guard let index = index(number), !row.hasNull(atIndex: index) else { return nil }
        return try value(number, type, as: representation)
    }

    /// The value of a property.
    ///
    /// - Throws: errors of the representation; a ``RowDecodingError``.
    public func value<Representation: DatabaseRepresentation>(
        _ number: Int, _ type: Representation.Value.Type, as representation: Representation,
        default: @autoclosure () -> Representation.Value
    ) throws -> Representation.Value {
        index(number) == nil ? `default`() : try value(number, type, as: representation)
    }
}

extension PersistenceContainer {
    /// Stores the value of a property.
    ///
    /// - Throws: errors of the representation; a ``RowDecodingError``.
    public mutating func _set<Representation: DatabaseRepresentation>(
        _ writer: _RecordWriter, _ number: Int, _ value: Representation.Value, as representation: Representation
    ) throws {
        try _set(writer, number, representation.databaseValue(of: value))
    }

    /// Stores the value of a property.
    ///
    /// - Throws: errors of the representation; a ``RowDecodingError``.
    public mutating func _set<Representation: DatabaseRepresentation>(
        _ writer: _RecordWriter, _ number: Int, _ value: Representation.Value?, as representation: Representation
    ) throws {
        try _set(writer, number, value.map { try representation.databaseValue(of: $0) } ?? .null)
    }
}

// MARK: - Columns

extension TypedColumn {
    /// Creates a column whose values are stored in a separate format.
    ///
    /// ```
    /// let start = TypedColumn<Date>("start", as: .unixTime)
    /// Event.filter { _ in start > Date(timeIntervalSince1970: 1_700_000_000) }
    /// // SELECT * FROM "event" WHERE "start" > 1700000000
    /// ```
    ///
    /// A value that the representation can't store is an error of the statement.
    public init<Representation: DatabaseRepresentation<Value>>(_ name: String, as representation: Representation) {
        self.init(
            name, representation.traits, encode: { representation.storedValue(of: $0) },
            decode: { $0.isNull ? nil : try representation.value(from: $0) })
    }

    /// Creates a column whose values are stored in a separate format, or are NULL.
    ///
    /// ```swift
    /// let stop = TypedColumn<Date?>("stop", as: .iso8601)
    /// ```
    public init<Representation: DatabaseRepresentation>(_ name: String, as representation: Representation)
    where Value == Representation.Value? {
        self.init(
            name, representation.traits, encode: { value in value.map { representation.storedValue(of: $0) } ?? .null },
            decode: { $0.isNull ? .some(nil) : try representation.value(from: $0) })
    }

    /// Creates a column of numbers that are stored in a separate format, with the operators of ``Represented``.
    ///
    /// ```
    /// let price = TypedColumn<Represented<Double>>("price", as: Cents())
    /// Item.filter { _ in price > 2.5 }
    /// // SELECT * FROM "item" WHERE "price" > 250
    /// ```
    public init<Representation: DatabaseRepresentation>(_ name: String, as representation: Representation)
    where Value == Represented<Representation.Value> {
        self.init(
            name, representation.traits, encode: { representation.storedValue(of: $0.value) },
            decode: { $0.isNull ? nil : try representation.value(from: $0).map { Represented($0) } })
    }

    /// Creates a column of numbers that are stored in a separate format, or are NULL.
    public init<Representation: DatabaseRepresentation>(_ name: String, as representation: Representation)
    where Value == Represented<Representation.Value>? {
        self.init(
            name, representation.traits,
            encode: { value in value.map { representation.storedValue(of: $0.value) } ?? .null },
            decode: { $0.isNull ? .some(nil) : try representation.value(from: $0).map { Represented($0) } })
    }
}

extension DatabaseRepresentation {
    /// What is known of the stored values.
    fileprivate var traits: FormatTraits {
        let known = Self.self as? any KnownRepresentation.Type
        let order = known?.order ?? .unknown
        return FormatTraits(representation: known?.storesUsualForm ?? false ? nil : Self.self) { order }
    }

    fileprivate func storedValue(of value: Value) -> DatabaseValue {
        do {
            return try databaseValue(of: value)
        } catch {
            return DatabaseValue(unstorable: "\(error)")
        }
    }
}
