public import AmalgamCore
public import Foundation

/// The conversion of `Date` to column values, for encoding a record.
///
/// ```swift
/// struct Player: Encodable, PersistableRecord {
///     static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
///         .timeIntervalSince1970
///     }
///     var creationDate: Date   // stored as REAL
/// }
/// ```
public enum DatabaseDateEncodingStrategy: Sendable {
    /// A TEXT value such as `2001-01-02 10:17:36.789`, in UTC.
    case deferredToDate

    /// A REAL value: the seconds since 2001-01-01.
    case timeIntervalSinceReferenceDate

    /// A REAL value: the seconds since 1970-01-01.
    case timeIntervalSince1970

    /// An INTEGER value: the seconds since 1970-01-01, rounded down.
    case secondsSince1970

    /// An INTEGER value: the milliseconds since 1970-01-01, rounded down.
    case millisecondsSince1970

    /// A TEXT value such as `2001-01-02T10:17:36Z`.
    case iso8601

    /// A TEXT value in the format of a `DateFormatter`.
    case formatted(DateFormatter)

    /// A closure converts the date. It returns nil for NULL.
    case custom(@Sendable (Date) -> (any DatabaseValueConvertible)?)

    /// Returns the value to store.
    ///
    /// SQLite would store a time interval that is NaN as NULL. For such a date, all strategies but `.custom` return a
    /// value that throws an error when it is stored.
    func encode(_ date: Date) -> (any DatabaseValueConvertible)? {
        switch self {
        case .custom(let encode): encode(date)
        case _ where date.timeIntervalSinceReferenceDate.isNaN: date
        case .deferredToDate: date
        case .timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate
        case .timeIntervalSince1970: date.timeIntervalSince1970
        case .secondsSince1970: Self.integer(date.timeIntervalSince1970)
        case .millisecondsSince1970: Self.integer(Self.milliseconds(date))
        case .iso8601: Self.iso8601(date)
        case .formatted(let formatter): formatter.string(from: date)
        }
    }

    /// Returns the number, rounded down. For a number that doesn't fit in 64 bits, returns a value that throws an error
    /// when it is stored.
    private static func integer(_ number: Double) -> DatabaseValue {
        Int64(exactly: number.rounded(.down))?.databaseValue ?? DatabaseValue(unstorable: "\(number)")
    }

    /// Returns the milliseconds since 1970. A number that differs from a whole number by less than 0.001 is rounded,
    /// because the `Double` in a date may be slightly less than the whole number of milliseconds.
    private static func milliseconds(_ date: Date) -> Double {
        let milliseconds = date.timeIntervalSince1970 * 1000
        let nearest = milliseconds.rounded()
        return abs(milliseconds - nearest) < 1e-3 ? nearest : milliseconds
    }

    /// Returns the string of the second that contains a date.
    private static func iso8601(_ date: Date) -> any DatabaseValueConvertible {
        // Foundation's formatter doesn't support dates so far away.
        if date.timeIntervalSince1970.magnitude > 1e15 {
            return DatabaseValue(unstorable: "\(date.timeIntervalSince1970)")
        }
        let second = Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))
        guard let text = DateText(second) else { return second.formatted(.iso8601) }
        // yyyy-MM-dd HH:mm:ss.SSS
        return text.string.prefix(10) + "T" + text.string.dropFirst(11).prefix(8) + "Z"
    }
}
