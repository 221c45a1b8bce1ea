public import Foundation

/// Date components that are stored as TEXT in a given format.
///
/// ```swift
/// let components = DateComponents(year: 1973, month: 9, day: 18)
/// let birthday = DatabaseDateComponents(components, format: .YMD)
/// try db.execute(sql: "INSERT INTO person (birthday) VALUES (?)", arguments: [birthday])   // '1973-09-18'
///
/// let stored = try DatabaseDateComponents.fetchOne(db, sql: "SELECT birthday FROM person")!
/// stored.format           // .YMD
/// stored.dateComponents   // year 1973, month 9, day 18
/// ```
///
/// Decoding accepts all formats, with a blank or a `T` between the date and the time. A time may be followed by a time
/// zone (`Z`, `+HH:MM`, `-HH:MM`), which becomes the time zone of the components. SQLite's date functions accept the
/// same formats, and also Julian day numbers and `now`: <https://sqlite.org/lang_datefunc.html>.
public struct DatabaseDateComponents: Sendable {
    /// The formats of stored strings. The raw value is the pattern.
    ///
    /// ```swift
    /// let format = DatabaseDateComponents.Format.YMD_HM
    /// format.rawValue   // "yyyy-MM-dd HH:mm"
    /// ```
    public enum Format: String, Sendable {
        /// A date: `yyyy-MM-dd`.
        case YMD = "yyyy-MM-dd"

        /// A date and a time in minutes: `yyyy-MM-dd HH:mm`.
        case YMD_HM = "yyyy-MM-dd HH:mm"

        /// A date and a time in seconds: `yyyy-MM-dd HH:mm:ss`.
        case YMD_HMS = "yyyy-MM-dd HH:mm:ss"

        /// A date and a time in milliseconds: `yyyy-MM-dd HH:mm:ss.SSS`.
        case YMD_HMSS = "yyyy-MM-dd HH:mm:ss.SSS"

        /// A time in minutes: `HH:mm`.
        case HM = "HH:mm"

        /// A time in seconds: `HH:mm:ss`.
        case HMS = "HH:mm:ss"

        /// A time in milliseconds: `HH:mm:ss.SSS`.
        case HMSS = "HH:mm:ss.SSS"
    }

    /// The date components. Decoded ones are those of the format, and the time zone, if any.
    public let dateComponents: DateComponents

    /// The format of the decoded or stored string.
    public let format: Format

    /// Creates components to be stored in a given format.
    ///
    /// ```swift
    /// let birthday = DatabaseDateComponents(DateComponents(year: 1973, month: 9), format: .YMD)
    /// // stored as '1973-09-01'
    /// ```
    ///
    /// A missing component is written as zero; a missing month or day as one. Storing a component that is negative, or
    /// has too many digits for the format, is an error. The time zone isn't written.
    public init(_ dateComponents: DateComponents, format: Format) {
        self.dateComponents = dateComponents
        self.format = format
    }
}

// MARK: - Text

extension DatabaseDateComponents {
    package init(_ text: DateText) {
        var components = DateComponents()
        switch text.format {
        case .YMD, .YMD_HM, .YMD_HMS, .YMD_HMSS:
            components.year = text.day.year
            components.month = text.day.month
            components.day = text.day.day
        case .HM, .HMS, .HMSS:
            break
        }
        switch text.format {
        case .YMD:
            break
        case .YMD_HMSS, .HMSS:
            components.nanosecond = text.millisecond * 1_000_000
            fallthrough
        case .YMD_HMS, .HMS:
            components.second = text.second
            fallthrough
        case .YMD_HM, .HM:
            components.minute = text.minute
            components.hour = text.hour
        }
        components.timeZone = text.zone.flatMap { TimeZone(secondsFromGMT: $0 * 60) }
        self.init(components, format: text.format)
    }

    /// The string of the components; nil if a component of the format is negative, or has too many digits.
    package var text: DateText? {
        var text = DateText(format: format)
        if format.hasDay {
            text.day = CalendarDay(
                year: dateComponents.year ?? 0, month: dateComponents.month ?? 1, day: dateComponents.day ?? 1)
        }
        if format.hasTime {
            text.hour = dateComponents.hour ?? 0
            text.minute = dateComponents.minute ?? 0
        }
        if format.hasSeconds { text.second = dateComponents.second ?? 0 }
        if format.hasMilliseconds {
            // Foundation's calendars return inexact nanoseconds, such as 122999966 for 123 ms. This code rounds them to
            // the nearest millisecond, and never rounds up to a full second.
            let nanosecond = dateComponents.nanosecond ?? 0
            guard 0..<1_000_000_000 ~= nanosecond else { return nil }
            text.millisecond = min(999, (nanosecond + 500_000) / 1_000_000)
        }
        return text.fits ? text : nil
    }
}

extension DateText {
    /// Whether each part fits in the digits of its format.
    fileprivate var fits: Bool {
        0...9_999 ~= day.year && [day.month, day.day, hour, minute, second].allSatisfy { 0...99 ~= $0 }
    }
}

// MARK: - Codable

/// Date components, encoded as the stored string.
extension DatabaseDateComponents: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let string = try container.decode(String.self)
        guard let text = DateText(string) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(string)\" is not a date or time")
        }
        self.init(text)
    }

    public func encode(to encoder: any Encoder) throws {
        guard let text else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "\(dateComponents) cannot be written as \(format.rawValue)"))
        }
        var container = encoder.singleValueContainer()
        try container.encode(text.string)
    }
}
