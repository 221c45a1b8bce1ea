package import Foundation

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
        // One division gives the `Double` that is nearest to the time in seconds. When the date is written, rounding
        // gives the same milliseconds again, and thus the same string.
        return Date(timeIntervalSinceReferenceDate: Double(milliseconds) / 1_000)
    }

    /// Writes the string in which a date is stored, in the format `yyyy-MM-dd HH:mm:ss.SSS`.
    ///
    /// - Parameter bytes: a buffer of at least ``capacity`` bytes.
    /// - Returns: the length of the string; nil outside the years 0000 to 9999.
    package static func write(_ date: Date, to bytes: UnsafeMutableRawBufferPointer) -> Int? {
        DateText(date)?.write(to: bytes)
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
