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
/// Days are those of Foundation's Gregorian calendar, which is Julian before 1582-10-15. SQLite's functions use the
/// Gregorian calendar for all dates. Therefore, their results for earlier dates differ by a few days.
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
