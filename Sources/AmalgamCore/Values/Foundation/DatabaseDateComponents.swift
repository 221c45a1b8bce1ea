import CAmalgam
public import Foundation

/// Date components that are stored as text in a layout of your choice.
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
/// All layouts are read, also with a `T` in place of the blank, and with a time zone (`Z`, `+HH:MM`, `-HH:MM`) after
/// the time, which the components then get. They are the date and time formats of
/// <https://sqlite.org/lang_datefunc.html>, Julian day numbers and `now` excepted.
public struct DatabaseDateComponents: Sendable {
    /// The layouts. The raw value is the pattern.
    public enum Format: String, Sendable {
        /// `yyyy-MM-dd`
        case YMD = "yyyy-MM-dd"

        /// `yyyy-MM-dd HH:mm`
        case YMD_HM = "yyyy-MM-dd HH:mm"

        /// `yyyy-MM-dd HH:mm:ss`
        case YMD_HMS = "yyyy-MM-dd HH:mm:ss"

        /// `yyyy-MM-dd HH:mm:ss.SSS`
        case YMD_HMSS = "yyyy-MM-dd HH:mm:ss.SSS"

        /// `HH:mm`
        case HM = "HH:mm"

        /// `HH:mm:ss`
        case HMS = "HH:mm:ss"

        /// `HH:mm:ss.SSS`
        case HMSS = "HH:mm:ss.SSS"
    }

    /// The components. Those read from the database are the ones their layout has, no other.
    public let dateComponents: DateComponents

    /// The layout that was found, or the one to write.
    public let format: Format

    /// Components to be stored in the given format.
    ///
    /// Components the format needs and that are missing are written as zero, the month and the day as one. Storing one
    /// that is negative, or has too many digits for the format, is an error. The time zone is not written.
    public init(_ dateComponents: DateComponents, format: Format) {
        self.dateComponents = dateComponents
        self.format = format
    }
}

// MARK: - Text

extension DatabaseDateComponents {
    init(_ text: DateText) {
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

    /// nil when a component that the format has is negative, or has too many digits.
    var text: DateText? {
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
            // Calendars give nanoseconds with some noise: 122999966 is 123 ms. No noise makes a second of them.
            let nanosecond = dateComponents.nanosecond ?? 0
            guard 0..<1_000_000_000 ~= nanosecond else { return nil }
            text.millisecond = min(999, (nanosecond + 500_000) / 1_000_000)
        }
        return text.fits ? text : nil
    }
}

extension DateText {
    /// Whether all parts have as many digits as they are written with.
    fileprivate var fits: Bool {
        0...9_999 ~= day.year && [day.month, day.day, hour, minute, second].allSatisfy { 0...99 ~= $0 }
    }
}

// MARK: - Values

/// Stored as TEXT.
extension DatabaseDateComponents: DatabaseValueConvertible, StatementColumnConvertible {
    /// A TEXT, in ``format``.
    public var databaseValue: DatabaseValue {
        text?.string.databaseValue ?? DatabaseValue(unstorable: "\(dateComponents) as \(format.rawValue)")
    }

    /// The components of a text in one of the ten layouts, or nil.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseDateComponents? {
        DateText(dbValue).map { DatabaseDateComponents($0) }
    }

    /// Binds the text.
    ///
    /// - Returns: `SQLITE_MISMATCH` when a component is negative, or has too many digits for the format.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        text?.bind(to: sqliteStatement, at: index) ?? SQLITE_MISMATCH
    }

    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let text = DateText(sqliteStatement, index) else { return nil }
        self.init(text)
    }
}

// MARK: - Codable

/// Encoded as the text that the database stores.
extension DatabaseDateComponents: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let string = try container.decode(String.self)
        guard let components = Self.fromDatabaseValue(string.databaseValue) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(string)\" is not a date or time")
        }
        self = components
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
