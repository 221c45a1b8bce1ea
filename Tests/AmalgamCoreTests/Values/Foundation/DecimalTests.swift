import Amalgam
import Foundation
import Testing
import TestSupport

@Suite struct DecimalTests {
    @Test(arguments: [
        (Decimal(10), "text '10'"), (Decimal(string: "10.5")!, "text '10.5'"), (Decimal(-100), "text '-100'"),
        (Decimal(), "text '0'"), (Decimal(string: "0.1")! + Decimal(string: "0.2")!, "text '0.3'"),
    ])
    func storage(decimal: Decimal, expected: String) throws {
        #expect(try sql(decimal) == expected)
        #expect(try roundTrip(decimal) == decimal)
    }

    @Test(arguments: [
        ("'-100'", "-100"), ("-100", "-100"), ("1.23", "1.23"), ("'1.23'", "1.23"), ("0.1", "0.1"), ("1e3", "1000"),
        ("3.133", "3.133"), ("9223372036854775807", "9223372036854775807"),
        ("'18446744073709551615'", "18446744073709551615"),
        ("'18446744073709551616'", "18446744073709551616"), ("'10.50'", "10.5"), ("'.5'", "0.5"), ("'5.'", "5"),
        ("'+1'", "1"), ("'-0'", "0"), ("'0.000'", "0"), ("'1e-3'", "0.001"), ("'1E+3'", "1000"), ("'0010'", "10"),
        ("'99999999999999999999999999999999999999'", "99999999999999999999999999999999999999"),
        ("'-0.00000000000000000000000000000000000001'", "-0.00000000000000000000000000000000000001"),
    ])
    func conversions(expression: String, expected: String) throws {
        #expect(try decoded(Decimal.self, expression)?.description == expected)
        #expect(try decoded(Decimal.self, expression) == Decimal(string: expected))
    }

    @Test(arguments: [
        "NULL", "x'31'", "''", "'foo'", "'12 apples'", "' 12'", "'12 '", "'1,5'", "'1.2.3'", "'.'", "'-'", "'e5'",
        "'1e'", "'1e+'", "'--1'", "'0x10'", "'1e1000000000000000000000'", "'1e200'", "9e999", "1e300",
        "'\u{0661}'",
    ])
    func otherValues(expression: String) throws {
        #expect(try decoded(Decimal.self, expression) == nil)
    }

    /// A column with NUMERIC affinity stores numbers, and returns the decimal.
    @Test func numericColumns() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t (price NUMERIC)")
            for text in ["10", "10.1", "0.07", "-99999.99", "123456789.012345"] {
                let price = Decimal(string: text)!
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [price])
                #expect(try Decimal.fetchOne(db, sql: "SELECT price FROM t ORDER BY rowid DESC") == price)
            }
        }
    }

    @Test func randomRoundTrips() throws {
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<5_000 {
            let decimal = Decimal(
                sign: Bool.random(using: &generator) ? .plus : .minus,
                exponent: .random(in: -40...40, using: &generator),
                significand: Decimal(UInt64.random(in: 0 ... .max, using: &generator)))
            #expect(Decimal.fromDatabaseValue(decimal.databaseValue) == decimal)
        }
    }
}
