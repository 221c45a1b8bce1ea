public import Foundation

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
