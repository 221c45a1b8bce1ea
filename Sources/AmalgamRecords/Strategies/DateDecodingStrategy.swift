public import AmalgamCore
public import Foundation

/// The conversion of column values to `Date`, for decoding a record.
///
/// ```swift
/// struct Player: Decodable, FetchableRecord {
///     static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
///         .timeIntervalSince1970
///     }
///     var creationDate: Date   // stored as REAL
/// }
/// ```
public enum DatabaseDateDecodingStrategy: Sendable {
    /// All formats that `Date` itself reads: a string such as `2001-01-02 10:17:36.789`, or a number of seconds since
    /// 1970-01-01.
    case deferredToDate

    /// A number of seconds since 2001-01-01.
    case timeIntervalSinceReferenceDate

    /// A number of seconds since 1970-01-01.
    case timeIntervalSince1970

    /// A number of milliseconds since 1970-01-01.
    case millisecondsSince1970

    /// A string such as `2001-01-02T10:17:36Z`.
    case iso8601

    /// A string in the format of a `DateFormatter`.
    case formatted(DateFormatter)

    /// A closure converts the value. It returns nil if the value can't be converted.
    case custom(@Sendable (DatabaseValue) -> Date?)

    /// Returns the date in a column of a row.
    ///
    /// - Throws: a ``RowDecodingError`` if the value can't be converted.
    func decode(_ row: Row, _ index: Int) throws -> Date {
        switch self {
        case .deferredToDate: try row.decodeFast(Date.self, atUncheckedIndex: index)
        case .timeIntervalSinceReferenceDate: Date(timeIntervalSinceReferenceDate: try number(row, index))
        case .timeIntervalSince1970: Date(timeIntervalSince1970: try number(row, index))
        case .millisecondsSince1970: Date(timeIntervalSince1970: try number(row, index) / 1000)
        case .iso8601: try convert(row, index) { String.fromDatabaseValue($0).flatMap(Self.iso8601) }
        case .formatted(let formatter):
            try convert(row, index) { String.fromDatabaseValue($0).flatMap(formatter.date(from:)) }
        case .custom(let decode): try convert(row, index, decode)
        }
    }

    /// Returns the date of a stored value; nil if the value can't be converted.
    func date(_ stored: DatabaseValue) -> Date? {
        switch self {
        case .deferredToDate: Date.fromDatabaseValue(stored)
        case .timeIntervalSinceReferenceDate:
            Double.fromDatabaseValue(stored).map { Date(timeIntervalSinceReferenceDate: $0) }
        case .timeIntervalSince1970: Double.fromDatabaseValue(stored).map { Date(timeIntervalSince1970: $0) }
        case .millisecondsSince1970: Double.fromDatabaseValue(stored).map { Date(timeIntervalSince1970: $0 / 1000) }
        case .iso8601: String.fromDatabaseValue(stored).flatMap(Self.iso8601)
        case .formatted(let formatter): String.fromDatabaseValue(stored).flatMap(formatter.date(from:))
        case .custom(let decode): decode(stored)
        }
    }

    private func convert(_ row: Row, _ index: Int, _ decode: (DatabaseValue) -> Date?) throws -> Date {
        guard let date = decode(row.databaseValue(atUncheckedIndex: index)) else {
            throw row.mismatch(Date.self, index: index)
        }
        return date
    }

    /// If the row is attached to a statement, SQLite converts TEXT to a number. In a copied row, decoding TEXT throws.
    private func number(_ row: Row, _ index: Int) throws -> Double {
        do {
            return try row.decodeFast(Double.self, atUncheckedIndex: index)
        } catch is RowDecodingError {
            throw row.mismatch(Date.self, index: index)
        }
    }

    /// Parses a full date and time with a time zone.
    private static func iso8601(_ text: String) -> Date? {
        var utf8 = text
        let parts = utf8.withUTF8 { DateText(UnsafeRawBufferPointer($0)) }
        if let parts, parts.zone != nil, parts.format == .YMD_HMS { return parts.date }
        return try? Date(text, strategy: .iso8601)
    }
}
