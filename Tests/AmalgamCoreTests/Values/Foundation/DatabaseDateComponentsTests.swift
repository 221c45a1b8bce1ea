import Amalgam
import CAmalgam
import Foundation
import Testing

@Suite struct DatabaseDateComponentsTests {
    static let components = DateComponents(
        year: 1973, month: 9, day: 18, hour: 10, minute: 11, second: 12, nanosecond: 123_000_000)

    static let texts: [(DatabaseDateComponents.Format, String)] = [
        (.YMD, "1973-09-18"),
        (.YMD_HM, "1973-09-18 10:11"),
        (.YMD_HMS, "1973-09-18 10:11:12"),
        (.YMD_HMSS, "1973-09-18 10:11:12.123"),
        (.HM, "10:11"),
        (.HMS, "10:11:12"),
        (.HMSS, "10:11:12.123"),
    ]

    @Test(arguments: texts)
    func formats(format: DatabaseDateComponents.Format, text: String) throws {
        let value = DatabaseDateComponents(Self.components, format: format)
        #expect(value.databaseValue == text.databaseValue)
        #expect(try stored("?", arguments: [value]) == text.databaseValue)

        let read = try #require(try roundTrip(value))
        #expect(read.format == format)
        #expect(read.databaseValue == text.databaseValue)
    }

    @Test(arguments: [
        (DatabaseDateComponents.Format.YMD, "yyyy-MM-dd"), (.YMD_HM, "yyyy-MM-dd HH:mm"),
        (.YMD_HMS, "yyyy-MM-dd HH:mm:ss"), (.YMD_HMSS, "yyyy-MM-dd HH:mm:ss.SSS"), (.HM, "HH:mm"),
        (.HMS, "HH:mm:ss"), (.HMSS, "HH:mm:ss.SSS"),
    ])
    func patterns(format: DatabaseDateComponents.Format, pattern: String) {
        #expect(format.rawValue == pattern)
        #expect(DatabaseDateComponents.Format(rawValue: pattern) == format)
    }

    @Test func componentsThatTheLayoutHas() throws {
        let day = try #require(try fetched(DatabaseDateComponents.self, "'1973-09-18'"))
        #expect(day.dateComponents == DateComponents(year: 1973, month: 9, day: 18))

        let time = try #require(try fetched(DatabaseDateComponents.self, "'10:11:12.5'"))
        #expect(time.format == .HMSS)
        #expect(time.dateComponents == DateComponents(hour: 10, minute: 11, second: 12, nanosecond: 500_000_000))

        let minute = try #require(try fetched(DatabaseDateComponents.self, "'1973-09-18 10:11'"))
        #expect(minute.dateComponents == DateComponents(year: 1973, month: 9, day: 18, hour: 10, minute: 11))
    }

    @Test(arguments: [
        ("1973-09-18T10:11", DatabaseDateComponents.Format.YMD_HM),
        ("1973-09-18T10:11:12", .YMD_HMS),
        ("1973-09-18T10:11:12.123", .YMD_HMSS),
    ])
    func layoutsWithTReadAsBlank(text: String, format: DatabaseDateComponents.Format) throws {
        let value = try #require(try fetched(DatabaseDateComponents.self, "'\(text)'"))
        #expect(value.format == format)
        #expect(value.databaseValue == text.replacingOccurrences(of: "T", with: " ").databaseValue)
    }

    @Test(arguments: [
        ("10:11Z", 0), ("10:11:12+02:00", 7_200), ("1973-09-18T10:11:12.123-05:30", -19_800),
        ("1973-09-18 10:11 Z", 0),
    ])
    func timeZones(text: String, seconds: Int) throws {
        let value = try #require(try fetched(DatabaseDateComponents.self, "'\(text)'"))
        #expect(value.dateComponents.timeZone == TimeZone(secondsFromGMT: seconds))
        #expect(value.dateComponents.hour == 10)
    }

    @Test func noTimeZone() throws {
        let value = try #require(try fetched(DatabaseDateComponents.self, "'10:11'"))
        #expect(value.dateComponents.timeZone == nil)
    }

    @Test func missingComponents() {
        func text(_ components: DateComponents, _ format: DatabaseDateComponents.Format) -> DatabaseValue {
            DatabaseDateComponents(components, format: format).databaseValue
        }
        #expect(text(DateComponents(), .YMD_HMSS) == "0000-01-01 00:00:00.000".databaseValue)
        #expect(text(DateComponents(hour: 7), .HM) == "07:00".databaseValue)
        #expect(text(DateComponents(year: 1973), .YMD) == "1973-01-01".databaseValue)
    }

    @Test(arguments: [
        (122_999_966, "00:00:00.123"), (123_000_034, "00:00:00.123"), (999_999_999, "00:00:00.999"),
    ])
    func nanosecondsAreRounded(nanosecond: Int, text: String) {
        let value = DatabaseDateComponents(DateComponents(nanosecond: nanosecond), format: .HMSS)
        #expect(value.databaseValue == text.databaseValue)
    }

    @Test(arguments: [
        (DateComponents(year: 10_000), DatabaseDateComponents.Format.YMD), (DateComponents(year: -1), .YMD_HM),
        (DateComponents(month: 100), .YMD), (DateComponents(day: -3), .YMD), (DateComponents(hour: .min), .HM),
        (DateComponents(minute: .max - 1), .HMS), (DateComponents(second: 100), .HMS),
        (DateComponents(nanosecond: -1), .HMSS), (DateComponents(nanosecond: 1_000_000_000), .HMSS),
    ])
    func componentsThatDoNotFitAreNotStored(components: DateComponents, format: DatabaseDateComponents.Format) throws {
        let value = DatabaseDateComponents(components, format: format)
        #expect(try bindingResult(value) == SQLITE_MISMATCH)
        #expect(try bindingResult(value.databaseValue) == SQLITE_MISMATCH)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([value]) }
        let error = #expect(throws: DatabaseError.self) { try stored("?", arguments: [value]) }
        #expect(error?.message?.hasSuffix(" as \(format.rawValue)") == true)
    }

    @Test func componentsThatTheLayoutHasNotDoNotMatter() {
        let components = DateComponents(year: 123_456, hour: 7, minute: 8, second: 999, nanosecond: -1)
        #expect(DatabaseDateComponents(components, format: .HM).databaseValue == "07:08".databaseValue)
    }

    @Test(arguments: ["NULL", "1", "1.5", "x'31303a3131'", "'hello'", "''", "'1973-13-01'", "'25:00'", "'now'"])
    func otherValues(expression: String) throws {
        #expect(DatabaseDateComponents.fromDatabaseValue(try stored(expression)) == nil)
        #expect(fetchedOrMismatch(DatabaseDateComponents.self, expression) == nil)
    }

    @Test func coding() throws {
        let value = DatabaseDateComponents(Self.components, format: .YMD_HM)
        let json = try JSONEncoder().encode([value])
        #expect(String(decoding: json, as: UTF8.self) == #"["1973-09-18 10:11"]"#)
        let decoded = try JSONDecoder().decode([DatabaseDateComponents].self, from: json)
        #expect(decoded.first?.format == .YMD_HM)
        #expect(decoded.first?.dateComponents.day == 18)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([DatabaseDateComponents].self, from: Data(#"["hello"]"#.utf8))
        }
    }
}
