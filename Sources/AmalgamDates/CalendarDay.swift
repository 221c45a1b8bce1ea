// Days of Foundation's Gregorian calendar, computed with integer arithmetic only. Like Foundation, the calendar is
// Gregorian from 1582-10-15 on, and Julian up to 1582-10-04: a string is decoded as the date that a `DateFormatter`
// returns, and `Date.distantPast` is 0001-01-01. SQLite's date functions use the Gregorian calendar for all dates: for
// dates before 1582-10-15, their results differ from this calendar by a few days.
//
// The computation shifts the beginning of the year to March, so that the leap day is the last day of a year.

/// A day of the years 0000 to 9999, in UTC.
package struct CalendarDay: Equatable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int

    @inline(__always)
    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// 1582-10-15, in days since 1970-01-01.
    private static let firstGregorianDay = -141_427

    /// 0000-01-01, in days since 1970-01-01.
    package static let first = -719_530

    /// 9999-12-31, in days since 1970-01-01.
    package static let last = 2_932_896

    /// Whether the day exists in the calendar.
    package var isValid: Bool {
        guard 1...12 ~= month, day >= 1, day <= 28 || day <= lengthOfMonth else { return false }
        return year != 1582 || month != 10 || day < 5 || day > 14
    }

    private var lengthOfMonth: Int {
        switch month {
        case 2: isLeapYear ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private var isLeapYear: Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0 || year < 1582)
    }

    /// The number of days since 1970-01-01.
    @inline(__always)
    package var daysSince1970: Int {
        // January and February of year 0 are in the shifted year -1. The addition of 400 avoids negative numbers.
        let shiftedYear = (month > 2 ? year : year &- 1) &+ 400
        let dayOfYear = (153 &* (month > 2 ? month &- 3 : month &+ 9) &+ 2) / 5 &+ day &- 1
        let julianDays = shiftedYear &* 365 &+ shiftedYear / 4 &+ dayOfYear
        if isGregorian {
            return julianDays &- shiftedYear / 100 &+ shiftedYear / 400 &- (719_468 &+ 146_097)
        } else {
            return julianDays &- (719_470 &+ 146_100)
        }
    }

    @inline(__always)
    private var isGregorian: Bool {
        year > 1582 || year == 1582 && (month > 10 || month == 10 && day >= 15)
    }

    /// Creates a day from a number of days since 1970-01-01.
    ///
    /// - Parameter days: a number from ``first`` to ``last``.
    @inline(__always)
    package init(daysSince1970 days: Int) {
        let shiftedYear: Int
        let dayOfYear: Int
        if days >= Self.firstGregorianDay {
            let days = days &+ 719_468
            let cycle = days / 146_097
            let day = days % 146_097
            let year = (day &- day / 1_460 &+ day / 36_524 &- day / 146_096) / 365
            dayOfYear = day &- (365 &* year &+ year / 4 &- year / 100)
            shiftedYear = year &+ cycle &* 400
        } else {
            let days = days &+ (719_470 &+ 1_461)
            let year = (4 &* days &+ 3) / 1_461
            dayOfYear = days &- (365 &* year &+ year / 4)
            shiftedYear = year &- 4
        }
        let shiftedMonth = (5 &* dayOfYear &+ 2) / 153
        day = dayOfYear &- (153 &* shiftedMonth &+ 2) / 5 &+ 1
        month = shiftedMonth < 10 ? shiftedMonth &+ 3 : shiftedMonth &- 9
        year = month > 2 ? shiftedYear : shiftedYear &+ 1
    }
}
