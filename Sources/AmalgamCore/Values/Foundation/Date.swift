import CAmalgam
public import Foundation

/// A date, stored as TEXT in UTC, in the format `yyyy-MM-dd HH:mm:ss.SSS`, rounded to the millisecond.
///
/// ```swift
/// try db.execute(sql: "UPDATE player SET creationDate = ? WHERE id = ?", arguments: [Date.now, 1])
/// let latest = try Date.fetchOne(db, sql: "SELECT MAX(creationDate) FROM player")
/// ```
///
/// TEXT values are decoded in all formats of ``DatabaseDateComponents`` that have a day. Missing parts are zero, and
/// the time is in UTC unless it is followed by a time zone (`Z`, `+HH:MM`, `-HH:MM`). Numbers are decoded as seconds
/// since 1970.
///
/// | column | date |
/// | --- | --- |
/// | `'2015-07-22'` | 2015-07-22 00:00:00 UTC |
/// | `'2015-07-22 01:02'`, `'2015-07-22T01:02'` | 2015-07-22 01:02:00 UTC |
/// | `'2015-07-22 01:02:03'` | 2015-07-22 01:02:03 UTC |
/// | `'2015-07-22 01:02:03.456'` | 2015-07-22 01:02:03.456 UTC |
/// | `'2015-07-22T01:02:03+02:00'` | 2015-07-21 23:02:03 UTC |
/// | `1437526920` | 2015-07-22 01:02:00 UTC |
///
/// The stored strings sort as their dates do, can be compared with `CURRENT_TIMESTAMP`, and are accepted by [SQLite's
/// date functions](https://sqlite.org/lang_datefunc.html). Their years have four digits. Dates outside the years 0000
/// to 9999 are stored as REAL, in seconds since 1970: they are decoded correctly, but don't sort correctly among
/// strings. Infinite dates are infinite REAL values. Storing a date whose time interval is NaN is an error, because
/// SQLite would store NULL.
///
/// Days are those of Foundation's Gregorian calendar, which is Julian before 1582-10-15. For these dates, SQLite's
/// functions, which use the Gregorian calendar throughout, differ by a few days.
///
/// Encoding and decoding use no formatter and no calendar: each takes some tens of nanoseconds.
extension Date: DatabaseValueConvertible, StatementColumnConvertible {
    /// A TEXT value such as `2015-07-22 01:02:03.456`, or a REAL value outside the years 0000 to 9999.
    public var databaseValue: DatabaseValue {
        DateText(self)?.string.databaseValue ?? numericValue
    }

    /// The REAL value of a date outside the years 0000 to 9999. NaN can't be stored.
    private var numericValue: DatabaseValue {
        timeIntervalSince1970.isNaN
            ? DatabaseValue(unstorable: "a date whose time interval isn't a number")
            : timeIntervalSince1970.databaseValue
    }

    /// Returns the date of a TEXT value that has a day, or of a number of seconds since 1970; nil for other values.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Date? {
        switch dbValue.storage {
        case .int64(let integer): Date(timeIntervalSince1970: Double(integer))
        case .double(let double): Date(timeIntervalSince1970: double)
        case .string: DateText(dbValue)?.date
        case .null, .blob: nil
        }
    }

    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        DateText(self)?.bind(to: sqliteStatement, at: index) ?? numericValue.bind(to: sqliteStatement, at: index)
    }

    /// Decodes a TEXT value that has a day, or a number of seconds since 1970; nil for other values.
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let date = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else { return nil }
        self = date
    }

    public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Date? {
        let value = amalgam_column(sqliteStatement, index)!
        // Numbers are checked first: SQLite may have added a TEXT form to a number that was read as TEXT.
        if value.pointee.isInteger { return Date(timeIntervalSince1970: Double(value.pointee.integer)) }
        if value.pointee.isReal { return Date(timeIntervalSince1970: value.pointee.real) }
        if value.pointee.isText {
            let text = value.pointee.buffer
            return Date(stored: text) ?? DateText(text)?.date
        }
        if value.pointee.isNull { return nil }
        return fromDatabaseValue(DatabaseValue(sqliteStatement: sqliteStatement, index: index))
    }
}

extension Date {
    /// Creates a date from an SQLite [Julian day](https://sqlite.org/lang_datefunc.html#jday), rounded to the
    /// millisecond.
    ///
    /// ```swift
    /// let julianDay = try Double.fetchOne(db, sql: "SELECT julianday('2015-07-22 12:00')")!
    /// let date = Date(julianDay: julianDay)   // 2015-07-22 12:00:00 UTC
    /// ```
    ///
    /// The result is nil outside the range of SQLite's Julian days, which are from 0 to 5373484.5.
    public init?(julianDay: Double) {
        guard julianDay >= 0, julianDay < 5_373_484.5 else { return nil }
        let milliseconds = (julianDay * 86_400_000).rounded()
        // 2001-01-01 is the Julian day 2451910.5.
        self.init(timeIntervalSinceReferenceDate: (milliseconds - 211_845_067_200_000) / 1_000)
    }
}

// MARK: - Text

extension DateText {
    private static let millisecondsPerDay = 86_400_000
    private static let daysUntilReferenceDate = 11_323

    /// The date of a string that has a day, in UTC unless it has a time zone; nil if it has no day.
    package var date: Date? {
        switch format {
        case .YMD, .YMD_HM, .YMD_HMS, .YMD_HMSS: instant
        case .HM, .HMS, .HMSS: nil
        }
    }

    private var instant: Date {
        let days = day.daysSince1970 &- Self.daysUntilReferenceDate
        let minutes = (days &* 24 &+ hour) &* 60 &+ minute &- (zone ?? 0)
        let milliseconds = (minutes &* 60 &+ second) &* 1_000 &+ millisecond
        // One division gives the `Double` that is nearest to the milliseconds, so a decoded date is written as the same
        // string.
        return Date(timeIntervalSinceReferenceDate: Double(milliseconds) / 1_000)
    }

    /// Creates the parts of a date, rounded to the millisecond; nil outside the years 0000 to 9999.
    @inline(__always)
    package init?(_ date: Date) {
        // Rounding down would be wrong: the Double that is closest to a millisecond may be slightly less than it.
        let reference = (date.timeIntervalSinceReferenceDate * 1_000).rounded()
        guard abs(reference) < 1e15 else { return nil }
        let milliseconds = Int(reference) &+ Self.daysUntilReferenceDate &* Self.millisecondsPerDay
        guard milliseconds >= CalendarDay.first &* Self.millisecondsPerDay,
            milliseconds < (CalendarDay.last &+ 1) &* Self.millisecondsPerDay
        else { return nil }

        self.init(format: .YMD_HMSS)
        // A positive number, so that the division rounds down.
        let sinceFirstDay = milliseconds &- CalendarDay.first &* Self.millisecondsPerDay
        day = CalendarDay(daysSince1970: sinceFirstDay / Self.millisecondsPerDay &+ CalendarDay.first)
        var time = Int32(truncatingIfNeeded: sinceFirstDay % Self.millisecondsPerDay)
        millisecond = Int(time % 1_000)
        time /= 1_000
        second = Int(time % 60)
        time /= 60
        minute = Int(time % 60)
        hour = Int(time / 60)
    }
}
