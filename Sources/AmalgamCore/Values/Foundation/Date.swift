import CAmalgam
public import Foundation

/// Stored as TEXT, `yyyy-MM-dd HH:mm:ss.SSS`, in UTC, rounded to the millisecond.
///
/// Texts are read in all layouts of ``DatabaseDateComponents`` that have a day, with missing parts as zero, in UTC
/// unless a time zone (`Z`, `+HH:MM`, `-HH:MM`) follows the time. A number is seconds since 1970.
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
/// Texts sort and compare as their dates do, compare with `CURRENT_TIMESTAMP`, and feed
/// [SQLite's date functions](https://sqlite.org/lang_datefunc.html). They have four digits for the year: dates outside
/// the years 0000 to 9999 are stored as a REAL instead, in seconds since 1970, which reads back, and does not sort
/// along with texts; infinite dates are infinite REAL values. Storing a date whose interval isn't a number is an error:
/// SQLite would store NULL. Days are those of Foundation's Gregorian calendar, which before 1582-10-15 is Julian: SQLite's
/// functions, Gregorian throughout, are a few days off there.
///
/// No formatter and no calendar is involved: reading or writing a text takes some tens of nanoseconds.
extension Date: DatabaseValueConvertible, StatementColumnConvertible {
    /// A TEXT such as `2015-07-22 01:02:03.456`.
    public var databaseValue: DatabaseValue {
        DateText(self)?.string.databaseValue ?? numericValue
    }

    /// The value of a date outside the years 0000 to 9999.
    private var numericValue: DatabaseValue {
        timeIntervalSince1970.isNaN
            ? DatabaseValue(unstorable: "a date whose time interval isn't a number")
            : timeIntervalSince1970.databaseValue
    }

    /// The date of a text that names a day, or of a number of seconds since 1970; nil for anything else.
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

    /// The date of a text that names a day, or of a number of seconds since 1970; nil for anything else.
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let date = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else { return nil }
        self = date
    }

    public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Date? {
        let value = amalgam_column(sqliteStatement, index)!
        // Numbers first: SQLite may have put a text beside one that was read as text before.
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
    /// The date of a [Julian day](https://sqlite.org/lang_datefunc.html#jday) as SQLite counts them, rounded to the
    /// millisecond.
    ///
    /// ```swift
    /// let julianDay = try Double.fetchOne(db, sql: "SELECT julianday('2015-07-22 12:00')")!
    /// let date = Date(julianDay: julianDay)   // 2015-07-22 12:00:00 UTC
    /// ```
    ///
    /// - Returns: nil for a number that is no Julian day to SQLite, which knows them from 0 to 5373484.5.
    public init?(julianDay: Double) {
        guard julianDay >= 0, julianDay < 5_373_484.5 else { return nil }
        let milliseconds = (julianDay * 86_400_000).rounded()
        // The first of January 2001 is Julian day 2451910.5.
        self.init(timeIntervalSinceReferenceDate: (milliseconds - 211_845_067_200_000) / 1_000)
    }
}

// MARK: - Text

extension DateText {
    private static let millisecondsPerDay = 86_400_000
    private static let daysUntilReferenceDate = 11_323

    /// The instant of a text that has a day, in UTC unless it has a time zone.
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
        // One correctly rounded operation: equal texts are equal dates, and print as they were.
        return Date(timeIntervalSinceReferenceDate: Double(milliseconds) / 1_000)
    }

    /// The nearest millisecond to a date, or nil outside the years 0000 to 9999.
    @inline(__always)
    package init?(_ date: Date) {
        // To the nearest and not down: the closest Double to a millisecond may be below it.
        let reference = (date.timeIntervalSinceReferenceDate * 1_000).rounded()
        guard abs(reference) < 1e15 else { return nil }
        let milliseconds = Int(reference) &+ Self.daysUntilReferenceDate &* Self.millisecondsPerDay
        guard milliseconds >= CalendarDay.first &* Self.millisecondsPerDay,
            milliseconds < (CalendarDay.last &+ 1) &* Self.millisecondsPerDay
        else { return nil }

        self.init(format: .YMD_HMSS)
        // Positive, so that dividing rounds down.
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
