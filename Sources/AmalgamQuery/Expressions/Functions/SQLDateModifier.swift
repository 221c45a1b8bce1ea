public import AmalgamCore

/// A modifier of a date function: <https://sqlite.org/lang_datefunc.html#dtmods>.
///
/// ```swift
/// Player.filter(Column("birthDate") < date("now".databaseValue, .startOfYear, .year(-18)))
/// // SELECT * FROM "player" WHERE "birthDate" < DATE('now', 'start of year', '-18 years')
/// ```
///
/// SQLite applies modifiers from left to right.
public enum SQLDateModifier: Hashable, Sendable {
    /// `'1.5 seconds'`: adds a number of seconds, which may be negative.
    case second(Double)

    /// `'1 minutes'`: adds a number of minutes, which may be negative.
    case minute(Int)

    /// `'1 hours'`: adds a number of hours, which may be negative.
    case hour(Int)

    /// `'1 days'`: adds a number of days, which may be negative.
    case day(Int)

    /// `'1 months'`: adds a number of months, which may be negative. One month after January 31 is March 2 or 3. If
    /// `floor` follows, it is the last day of February.
    case month(Int)

    /// `'1 years'`: adds a number of years, which may be negative.
    case year(Int)

    /// `'start of day'`: moves back to midnight.
    case startOfDay

    /// `'start of month'`: moves back to midnight of the first day of the month.
    case startOfMonth

    /// `'start of year'`: moves back to midnight of the first day of the year.
    case startOfYear

    /// `'weekday 1'`: moves forward to the next date with this day of the week, unless the date already falls on this
    /// day. Sunday is 0, Monday is 1.
    case weekday(Int)

    /// `'unixepoch'`: interprets the number as seconds since 1970. It must be the first modifier.
    case unixEpoch

    /// `'julianday'`: interprets the number as a Julian day. It must be the first modifier.
    case julianDay

    /// `'auto'`: interprets the number as a Julian day or as seconds since 1970, depending on its size. It must be the
    /// first modifier.
    case auto

    /// `'localtime'`: converts from UTC to the time zone of the system.
    case localTime

    /// `'utc'`: converts from the time zone of the system to UTC.
    case utc

    /// `'ceiling'`: one month after January 31 is March 2 or 3, as without this modifier. It follows a number of months
    /// or years.
    case ceiling

    /// `'floor'`: one month after January 31 is the last day of February. It follows a number of months or years.
    case floor

    /// `'subsec'`: adds fractions of seconds to the result.
    case subsecond

    /// The modifier as a string.
    private var text: String {
        switch self {
        case .second(let count): "\(count) seconds"
        case .minute(let count): "\(count) minutes"
        case .hour(let count): "\(count) hours"
        case .day(let count): "\(count) days"
        case .month(let count): "\(count) months"
        case .year(let count): "\(count) years"
        case .startOfDay: "start of day"
        case .startOfMonth: "start of month"
        case .startOfYear: "start of year"
        case .weekday(let number): "weekday \(number)"
        case .unixEpoch: "unixepoch"
        case .julianDay: "julianday"
        case .auto: "auto"
        case .localTime: "localtime"
        case .utc: "utc"
        case .ceiling: "ceiling"
        case .floor: "floor"
        case .subsecond: "subsec"
        }
    }
}

extension SQLDateModifier: SQLExpressible {
    /// The modifier as a string: `'start of day'`.
    public var sqlExpression: SQLExpression { text.sqlExpression }
}
