public import AmalgamCore
public import Foundation

/// How a `Date` is stored in a column, when a record is encoded.
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
    /// A TEXT such as `2001-01-02 10:17:36.789`, in UTC.
    case deferredToDate

    /// A REAL: seconds since 2001-01-01.
    case timeIntervalSinceReferenceDate

    /// A REAL: seconds since 1970-01-01.
    case timeIntervalSince1970

    /// An INTEGER: seconds since 1970-01-01, rounded down.
    case secondsSince1970

    /// An INTEGER: milliseconds since 1970-01-01, rounded down.
    case millisecondsSince1970

    /// A TEXT such as `2001-01-02T10:17:36Z`.
    case iso8601

    /// The TEXT of a formatter.
    case formatted(DateFormatter)

    /// A closure that returns nil for NULL.
    case custom(@Sendable (Date) -> (any DatabaseValueConvertible)?)

    /// The value to store. A date whose time interval isn't a number cannot be stored: SQLite would store NULL.
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

    /// The number below, or a value that cannot be stored: there is no way to report an error from here.
    private static func integer(_ number: Double) -> DatabaseValue {
        Int64(exactly: number.rounded(.down))?.databaseValue ?? DatabaseValue(unstorable: "\(number)")
    }

    /// Milliseconds since 1970. A date that was a whole millisecond still is one: the closest `Double` may be below it.
    private static func milliseconds(_ date: Date) -> Double {
        let milliseconds = date.timeIntervalSince1970 * 1000
        let nearest = milliseconds.rounded()
        return abs(milliseconds - nearest) < 1e-3 ? nearest : milliseconds
    }

    /// The text of the second that a date is in.
    private static func iso8601(_ date: Date) -> any DatabaseValueConvertible {
        // The formatter of Foundation isn't made for a billion years.
        if date.timeIntervalSince1970.magnitude > 1e15 {
            return DatabaseValue(unstorable: "\(date.timeIntervalSince1970)")
        }
        let second = Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))
        guard let text = DateText(second) else { return second.formatted(.iso8601) }
        // yyyy-MM-dd HH:mm:ss.SSS
        return text.string.prefix(10) + "T" + text.string.dropFirst(11).prefix(8) + "Z"
    }
}
