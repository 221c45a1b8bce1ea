import Amalgam
import Foundation
import Testing
import TestSupport

@Suite struct DateTests {
    // MARK: - Writing

    @Test(arguments: [
        (Date(timeIntervalSince1970: -987_654.321), "1969-12-20 13:39:05.679"),
        (Date(timeIntervalSince1970: 123_456.789), "1970-01-02 10:17:36.789"),
        (Date(timeIntervalSinceReferenceDate: 0), "2001-01-01 00:00:00.000"),
        (Date(timeIntervalSinceReferenceDate: 123_456.789), "2001-01-02 10:17:36.789"),
        (Date(timeIntervalSince1970: 0), "1970-01-01 00:00:00.000"),
        (Date(timeIntervalSince1970: -0.001), "1969-12-31 23:59:59.999"),
        (Date(timeIntervalSince1970: 951_782_400), "2000-02-29 00:00:00.000"),
        (Date.distantPast, "0001-01-01 00:00:00.000"),
        (Date.distantFuture, "4001-01-01 00:00:00.000"),
    ])
    func text(date: Date, expected: String) throws {
        #expect(date.databaseValue == expected.databaseValue)
        #expect(try stored("?", arguments: [date]) == expected.databaseValue)
    }

    /// A NaN date throws, because SQLite would store NULL.
    @Test func aDateThatIsNoTimeIsNotStored() throws {
        let date = Date(timeIntervalSince1970: .nan)
        let error = #expect(throws: DatabaseError.self) { _ = try stored("?", arguments: [date]) }
        #expect(error?.resultCode == .SQLITE_MISMATCH)
    }

    @Test(arguments: [Double.infinity, -Double.infinity, 253_402_300_800, -1e12])
    func datesWithoutTextAreNumbersThatReadBack(seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(date.databaseValue == seconds.databaseValue)
        #expect(try stored("?", arguments: [date]) == seconds.databaseValue)
        #expect(Date.fromDatabaseValue(date.databaseValue) == date)
    }

    @Test func textsAreRoundedToTheMillisecond() {
        #expect(Date(timeIntervalSince1970: 0.0004).databaseValue == "1970-01-01 00:00:00.000".databaseValue)
        #expect(Date(timeIntervalSince1970: 0.0006).databaseValue == "1970-01-01 00:00:00.001".databaseValue)
        #expect(Date(timeIntervalSince1970: 0.9996).databaseValue == "1970-01-01 00:00:01.000".databaseValue)
    }

    @Test(arguments: [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 1e12)])
    func sentinelsRoundTripExactly(date: Date) throws {
        #expect(try roundTrip(date) == date)
        #expect(Date.fromDatabaseValue(date.databaseValue) == date)
    }

    // MARK: - Reading

    @Test(
        arguments: [
            ("2015-07-22", 1_437_523_200.0),
            ("2015-07-22 01:02", 1_437_526_920),
            ("2015-07-22 01:02:03", 1_437_526_923),
            ("2015-07-22 01:02:03.4", 1_437_526_923.4),
            ("2015-07-22 01:02:03.45", 1_437_526_923.45),
            ("2015-07-22 01:02:03.456", 1_437_526_923.456),
            ("2015-07-22 01:02:03.00456", 1_437_526_923.004),
            ("2015-07-22 01:02:03.9999999999", 1_437_526_923.999),
            ("2015-07-22T01:02", 1_437_526_920),
            ("2015-07-22T01:02:03", 1_437_526_923),
            ("2015-07-22T01:02:03.456", 1_437_526_923.456),
            ("2018-08-19T17:18:07Z", 1_534_699_087),
            ("2015-07-22 01:02Z", 1_437_526_920),
            ("2015-07-22 01:02:03 Z", 1_437_526_923),
            ("2015-07-22 01:02:03.456+02:00", 1_437_519_723.456),
            ("2015-07-22T01:02:03-05:30", 1_437_546_723),
            ("2015-07-22 01:02+00:00", 1_437_526_920),
            ("2015-07-22 01:02 +14:59", 1_437_472_980),
        ] as [(String, Double)])
    func layouts(text: String, secondsSince1970: Double) throws {
        let date = try #require(try decoded(Date.self, "'\(text)'"))
        #expect(abs(date.timeIntervalSince1970 - secondsSince1970) < 1e-6)
    }

    @Test(arguments: [
        "", "Yesterday", "now", "12", "12:34", "12:34:56.789", "2015", "2015-07", "2015-7-22", "15-07-22", "2015/07/22",
        "-2015-07-22", "02015-07-22", "2015-07-22 ", " 2015-07-22", "2015-07-22Z", "2015-07-22 01", "2015-07-22 1:02",
        "2015-07-22  01:02", "2015-07-22t01:02", "2015-07-22 01:02:", "2015-07-22 01:02:3", "2015-07-22 01:02:03.",
        "2015-07-22 01:02:03,456", "2015-07-22 01:02:03.4x", "2015-07-22 01:02:03 ", "2015-07-22 01:02+",
        "2015-07-22 01:02+2:00", "2015-07-22 01:02+0200", "2015-07-22 01:02+15:00", "2015-07-22 01:02+02:60",
        "2015-07-22 01:02ZZ", "2015-07-22 01:02 UTC", "2015-07-22 01:02\u{0}", "２０１５-07-22",
    ])
    func textsThatAreNoDates(text: String) throws {
        #expect(Date.fromDatabaseValue(text.databaseValue) == nil)
        #expect(throws: RowDecodingError.self) { try fetched(Date.self, "?", arguments: [text]) }
    }

    @Test(arguments: [
        "2015-00-01", "2015-13-01", "2015-01-00", "2015-01-32", "2015-02-29", "2015-02-30", "1900-02-29", "2015-04-31",
        "1582-10-05", "1582-10-14", "2015-07-22 24:00", "2015-07-22 25:00", "2015-07-22 01:60", "2015-07-22 01:02:60",
    ])
    func daysAndTimesThatDoNotExist(text: String) throws {
        #expect(try decoded(Date.self, "'\(text)'") == nil)
    }

    @Test(arguments: ["2000-02-29", "2016-02-29", "0000-02-29", "1500-02-29", "1582-10-04", "1582-10-15", "9999-12-31"])
    func unusualDaysThatExist(text: String) throws {
        let date = try #require(try decoded(Date.self, "'\(text)'"))
        #expect(date.databaseValue == "\(text) 00:00:00.000".databaseValue)
    }

    @Test(arguments: [("0", 0.0), ("1437526920", 1_437_526_920), ("-1.5", -1.5), ("1e10", 1e10)])
    func numbersAreSecondsSince1970(expression: String, seconds: Double) throws {
        #expect(try decoded(Date.self, expression) == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: ["NULL", "x'323031352d30372d3232'", "x''"])
    func otherValuesAreNoDates(expression: String) throws {
        #expect(try decoded(Date.self, expression) == nil)
    }

    @Test func mismatchFromALiveStatement() throws {
        let error = #expect(throws: RowDecodingError.self) {
            try withDatabase { db in
                try Date.fetchAll(db, sql: "SELECT ? AS date", arguments: ["Yesterday"])
            }
        }
        #expect(
            error?.description == """
                could not decode Date from database value "Yesterday" - column: "date", column index: 0, \
                row: [date:"Yesterday"], sql: `SELECT ? AS date`, arguments: ["Yesterday"]
                """)
    }

    /// A number can be read after SQLite has converted it to text, which SQLite stores next to the number.
    @Test func numbersThatWereReadAsText() throws {
        try withDatabase { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT 20150722")
            let row = try #require(try rows.next())
            let text: String = row[0]
            let date: Date = row[0]
            #expect(text == "20150722")
            #expect(date == Date(timeIntervalSince1970: 20_150_722))
        }
    }

    // MARK: - Outside of the four digits of the year

    @Test(arguments: [
        (Date(timeIntervalSinceReferenceDate: -63_145_699_200), "0000-01-01 00:00:00.000"),
        (Date(timeIntervalSinceReferenceDate: 252_423_993_599.999), "9999-12-31 23:59:59.999"),
    ])
    func limits(date: Date, text: String) throws {
        #expect(date.databaseValue == text.databaseValue)
        #expect(try roundTrip(date) == date)
    }

    @Test(arguments: [-63_145_699_200.001, 252_423_993_600, 1e15, -1e15, 1e300, .infinity, -.infinity])
    func datesOutsideTheLimitsAreNumbers(seconds: Double) throws {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        #expect(date.databaseValue.storage == .double(date.timeIntervalSince1970))
        let read = try #require(try roundTrip(date))
        #expect(read.timeIntervalSince1970 == date.timeIntervalSince1970)
    }

    @Test func aDateThatIsNotANumberIsAnError() throws {
        let date = Date(timeIntervalSinceReferenceDate: .nan)
        let error = #expect(throws: DatabaseError.self) { try sql(date) }
        #expect(error?.resultCode == .SQLITE_MISMATCH)
        #expect(error?.message == "a value cannot be stored: a date whose time interval isn't a number")
    }

    // MARK: - Round trips

    /// Every 997th millisecond of a day, which covers every second and every thousandth.
    @Test(arguments: ["1969-12-31", "2000-02-29", "2024-07-01", "0001-01-01", "9999-12-31"])
    func textsAreStable(day: String) throws {
        var millisecond = 0
        while millisecond < 86_400_000 {
            let time = [
                digits(millisecond / 3_600_000, 2), ":", digits(millisecond / 60_000 % 60, 2), ":",
                digits(millisecond / 1_000 % 60, 2), ".", digits(millisecond % 1_000, 3),
            ].joined()
            let text = "\(day) \(time)".databaseValue
            guard let date = Date.fromDatabaseValue(text), date.databaseValue == text,
                Date.fromDatabaseValue(date.databaseValue) == date
            else {
                Issue.record("\(text)")
                return
            }
            millisecond += 997
        }
    }

    private func digits(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: count - digits.count) + digits
    }

    @Test func datesAreRoundedByHalfAMillisecondAtMost() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let date = Date(timeIntervalSinceReferenceDate: .random(in: -63e9...252e9, using: &generator))
            let read = try #require(Date.fromDatabaseValue(date.databaseValue))
            #expect(abs(read.timeIntervalSince(date)) < 0.000_55)
            #expect(read.databaseValue == date.databaseValue)
        }
    }

    /// Date strings sort in the order of the dates.
    @Test func order() throws {
        var generator = SeededGenerator(seed: 2)
        let dates = (0..<1_000).map { _ in
            Date(timeIntervalSinceReferenceDate: .random(in: -63e9...252e9, using: &generator))
        }
        let texts = try dates.map { try #require(String.fromDatabaseValue($0.databaseValue)) }
        let sorted = try dates.sorted().map { try #require(String.fromDatabaseValue($0.databaseValue)) }
        #expect(texts.sorted() == sorted)
    }

    // MARK: - Agreement

    /// Dates are written as formatters of Foundation write them, from year 0 to 9999.
    @Test func agreementWithFoundation() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        for day in stride(from: -719_530, through: 2_932_896, by: 211) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            let parts = calendar.dateComponents([.era, .year, .month, .day], from: date)
            let year = parts.era == 0 ? 1 - parts.year! : parts.year!
            let text = "\(digits(year, 4))-\(digits(parts.month!, 2))-\(digits(parts.day!, 2)) 00:00:00.000"
            guard date.databaseValue == text.databaseValue, Date.fromDatabaseValue(text.databaseValue) == date else {
                Issue.record("\(date.databaseValue) instead of \(text)")
                return
            }
        }
    }

    /// SQLite reads our date strings as we do, because the calendar is Gregorian.
    @Test func agreementWithSQLite() throws {
        try withDatabase { db in
            var generator = SeededGenerator(seed: 3)
            for _ in 0..<2_000 {
                let date = Date(timeIntervalSince1970: .random(in: -12_219_292_800...253e9, using: &generator))
                let row = try Row.fetchOne(
                    db, sql: "SELECT unixepoch(?1, 'subsec'), julianday(?1), strftime('%Y-%m-%d %H:%M:%f', ?1), ?1",
                    arguments: [date])!
                let seconds: Double = row[0]
                let julianDay: Double = row[1]
                let text: String = row[2]
                #expect(abs(seconds - date.timeIntervalSince1970) < 0.001)
                #expect(abs(Date(julianDay: julianDay)!.timeIntervalSince(date)) < 0.001)
                #expect(text.databaseValue == row[3])
            }
        }
    }

    @Test func comparisonWithCurrentTimestamp() throws {
        try withDatabase { (db) throws in
            let now = Date()
            #expect(
                try Bool.fetchOne(
                    db, sql: "SELECT CURRENT_TIMESTAMP BETWEEN ? AND ?",
                    arguments: [now.addingTimeInterval(-3_600), now.addingTimeInterval(3_600)]) == true)
            let timestamp = try #require(try Date.fetchOne(db, sql: "SELECT CURRENT_TIMESTAMP"))
            #expect(abs(timestamp.timeIntervalSince(now)) < 3_600)
        }
    }

    // MARK: - Julian days

    @Test(arguments: [
        (2_440_587.5, 0.0), (2_457_225.543_090_277_7, 1_437_526_923), (0, -210_866_760_000), (2_451_910.5, 978_307_200),
    ])
    func julianDays(julianDay: Double, secondsSince1970: Double) throws {
        let date = try #require(Date(julianDay: julianDay))
        #expect(abs(date.timeIntervalSince1970 - secondsSince1970) < 0.001)
    }

    @Test(arguments: [-0.1, 5_373_484.5, 1e300, .infinity, -.infinity, .nan])
    func numbersThatAreNoJulianDays(number: Double) {
        #expect(Date(julianDay: number) == nil)
    }

    // MARK: - Robustness

    /// Any bytes can be read, and an accepted date is written and read as the same date.
    @Test func anyBytes() throws {
        try withDatabase { db in
            var generator = SeededGenerator(seed: 4)
            let models = ["2015-07-22 01:02:03.456+02:00", "2015-07-22T01:02Z", "12:34:56.789", "2015-07-22"]
            let alphabet = Array("0123456789-:. TZ+\u{0}z".utf8) + [0x80, 0xff]
            let statement = try db.makeStatement(sql: "SELECT CAST(? AS TEXT)")
            for _ in 0..<20_000 {
                var bytes = Array(models.randomElement(using: &generator)!.utf8)
                for _ in 0..<Int.random(in: 0...3, using: &generator) {
                    let byte = alphabet.randomElement(using: &generator)!
                    let index = Int.random(in: 0...bytes.count, using: &generator)
                    switch Int.random(in: 0...2, using: &generator) {
                    case 0: bytes.insert(byte, at: index)
                    case 1 where index < bytes.count: bytes[index] = byte
                    default: bytes.removeLast(bytes.count - index)
                    }
                }
                let text = String(decoding: bytes, as: UTF8.self)
                let direct = try? Date.fetchOne(statement, arguments: [Data(bytes)])
                #expect(direct == Date.fromDatabaseValue(text.databaseValue))
                if let direct {
                    #expect(Date.fromDatabaseValue(direct.databaseValue) == direct)
                }
                let components = try? DatabaseDateComponents.fetchOne(statement, arguments: [Data(bytes)])
                #expect(direct == nil || components != nil)
            }
        }
    }
}
