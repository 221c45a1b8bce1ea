public import AmalgamCore

/// A change of a date in SQL: <https://sqlite.org/lang_datefunc.html#dtmods>.
///
/// ```swift
/// Player.filter { $0.birthDate < date("now", .startOfYear, .year(-18)) }
/// // SELECT * FROM "player" WHERE "birthDate" < DATE('now', 'start of year', '-18 years')
/// ```
///
/// Changes are made from left to right.
public enum SQLDateModifier: Hashable, Sendable {
    /// `'1.5 seconds'`: later by some seconds, or earlier.
    case second(Double)

    /// `'1 minutes'`: later by some minutes, or earlier.
    case minute(Int)

    /// `'1 hours'`: later by some hours, or earlier.
    case hour(Int)

    /// `'1 days'`: later by some days, or earlier.
    case day(Int)

    /// `'1 months'`: later by some months, or earlier. January 31 and one month is March 2 or 3, unless `ceiling` or
    /// `floor` follows.
    case month(Int)

    /// `'1 years'`: later by some years, or earlier.
    case year(Int)

    /// `'start of day'`: midnight before.
    case startOfDay

    /// `'start of month'`: midnight before the first day of the month.
    case startOfMonth

    /// `'start of year'`: midnight before the first day of the year.
    case startOfYear

    /// `'weekday 1'`: the next day of the week with this number, or the same day. Sunday is 0, Monday is 1.
    case weekday(Int)

    /// `'unixepoch'`: the number before is one of seconds since 1970. It comes first.
    case unixEpoch

    /// `'julianday'`: the number before is one of days since -4713. It comes first.
    case julianDay

    /// `'auto'`: the number before is one of days or seconds, after its size. It comes first.
    case auto

    /// `'localtime'`: from Universal Time to the time zone of the system.
    case localTime

    /// `'utc'`: from the time zone of the system to Universal Time.
    case utc

    /// `'ceiling'`: January 31 and one month is March 2 or 3. It follows a number of months or years.
    case ceiling

    /// `'floor'`: January 31 and one month is the last of February. It follows a number of months or years.
    case floor

    /// `'subsec'`: the result has fractions of seconds.
    case subsecond

    /// The modifier in SQL.
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
    /// The modifier as a text: `'start of day'`.
    public var sqlExpression: SQLExpression { text.sqlExpression }
}
