import Amalgam
import CAmalgam
import Foundation
import Testing

@Suite struct NSNumberTests {
    @Test func integersAtTheirLimits() {
        let integers: [(NSNumber, Int64)] = [
            (NSNumber(value: Int8.min + 1), Int64(Int8.min) + 1), (NSNumber(value: Int8.max - 1), Int64(Int8.max) - 1),
            (NSNumber(value: UInt8.max - 1), 254), (NSNumber(value: Int16.min + 1), Int64(Int16.min) + 1),
            (NSNumber(value: UInt16.max - 1), 65_534), (NSNumber(value: Int32.min + 1), Int64(Int32.min) + 1),
            (NSNumber(value: UInt32.max - 1), 4_294_967_294), (NSNumber(value: Int.max - 1), Int64(Int.max) - 1),
            (NSNumber(value: UInt(7)), 7), (NSNumber(value: Int64.min + 1), Int64.min + 1),
            (NSNumber(value: Int64.max), Int64.max), (NSNumber(value: UInt64(Int64.max)), Int64.max),
            (NSNumber(value: true), 1), (NSNumber(value: false), 0),
        ]
        for (number, integer) in integers {
            #expect(number.databaseValue.storage == .int64(integer))
        }
    }

    @Test func reals() {
        #expect(NSNumber(value: Float(1.5)).databaseValue.storage == .double(1.5))
        #expect(NSNumber(value: 10.0).databaseValue.storage == .double(10))
        #expect(NSNumber(value: 10_000_000.01).databaseValue.storage == .double(10_000_000.01))
    }

    @Test func booleans() {
        #expect(Bool.fromDatabaseValue(NSNumber(value: true).databaseValue) == true)
        #expect(Bool.fromDatabaseValue(NSNumber(value: false).databaseValue) == false)
    }

    @Test func decimalNumbers() {
        #expect(NSDecimalNumber(string: "10.0").databaseValue.storage == .int64(10))
        #expect(NSDecimalNumber(string: "10.5").databaseValue.storage == .double(10.5))
        #expect(NSDecimalNumber(string: "-9223372036854775808").databaseValue.storage == .int64(.min))
        #expect(NSDecimalNumber(string: "9223372036854775807").databaseValue.storage == .int64(.max))
        #expect(NSDecimalNumber(string: "9223372036854775808").databaseValue.storage == .double(0x1p63))
        #expect(NSDecimalNumber(string: "1e30").databaseValue.storage == .double(1e30))
        // A REAL has fewer digits.
        let number = NSDecimalNumber(string: "0.12345678901234567890123")
        #expect(number.databaseValue.storage == .double(0.12345678901234567890123))
        #expect(NSDecimalNumber(string: "1e-30").databaseValue.storage == .double(1e-30))
    }

    @Test func roundTripsKeepEquality() throws {
        try withDatabase { (db) throws in
            for number in [NSNumber(value: Int32.min + 1), NSNumber(value: 10_000_000.01), NSNumber(value: true)] {
                #expect(NSNumber.fromDatabaseValue(number.databaseValue) == number)
                #expect(try NSNumber.fetchOne(db, sql: "SELECT ?", arguments: [number]) == number)
            }
        }
    }

    @Test("a decimal number that comes back equal, as an argument and by its database value")
    func decimalRoundTripsKeepEquality() throws {
        let numbers = [
            NSDecimalNumber(value: Int32.min + 1), NSDecimalNumber(value: 10_000_000.01),
            NSDecimalNumber(string: "10.5"),
            NSDecimalNumber(string: "-0.1"), NSDecimalNumber(string: "1e30"), NSDecimalNumber(value: Int64.max),
        ]
        try withDatabase { (db) throws in
            for number in numbers {
                #expect(NSDecimalNumber.fromDatabaseValue(number.databaseValue) == number)
                #expect(try NSDecimalNumber.fetchOne(db, sql: "SELECT ?", arguments: [number]) == number)
            }
            for number in numbers.prefix(4) {
                #expect(NSNumber.fromDatabaseValue(number.databaseValue) == number)
                #expect(try NSNumber.fetchOne(db, sql: "SELECT ?", arguments: [number]) == number)
            }
        }
        #expect(numbers[0].databaseValue.storage == .int64(Int64(Int32.min) + 1))
    }

    @Test(arguments: [
        "0", "0.25", "1", "-1", "9223372036854775807", "9223372036854775806", "-9223372036854775807",
        "-9223372036854775808", "18446744073709551615",
    ])
    func textsAreDecimalNumbers(text: String) throws {
        let number = try #require(NSNumber.fromDatabaseValue(text.databaseValue))
        #expect(number is NSDecimalNumber)
        #expect(number == NSDecimalNumber(string: text))
        #expect("\(number)" == text)
        try withDatabase { (db) throws in
            let fetched = try #require(try NSNumber.fetchOne(db, sql: "SELECT ?", arguments: [text]))
            #expect(fetched is NSDecimalNumber)
            #expect(fetched == number)
        }
    }

    @Test(arguments: [("'-100'", "-100"), ("-100", "-100"), ("1.23", "1.23")])
    func conversions(expression: String, expected: String) throws {
        let value = try stored(expression)
        #expect(NSNumber.fromDatabaseValue(value)?.doubleValue == Double(expected))
        #expect(NSDecimalNumber.fromDatabaseValue(value) == NSDecimalNumber(string: expected))
    }

    @Test(arguments: ["NULL", "'foo'", "''", "'12 apples'", "x'31'"])
    func otherValues(expression: String) throws {
        let value = try stored(expression)
        #expect(NSNumber.fromDatabaseValue(value) == nil)
        #expect(NSDecimalNumber.fromDatabaseValue(value) == nil)
    }

    @Test func largeUnsignedIntegersAreNotStored() throws {
        let number = NSNumber(value: UInt64.max)
        #expect(try bindingResult(number) == SQLITE_MISMATCH)
        #expect(number.databaseValue.description == "18446744073709551615")
        #expect(throws: DatabaseError.self) { try stored("?", arguments: [number]) }
    }
}
