import Amalgam
import Testing

@Suite struct BoolTests {
    @Test func storage() throws {
        #expect(try sql(true) == "integer 1")
        #expect(try sql(false) == "integer 0")
        #expect(try roundTrip(true) == true)
        #expect(try roundTrip(false) == false)
    }

    @Test(arguments: [
        ("0", false), ("1", true), ("2", true), ("-1", true), ("0.0", false), ("-0.0", false), ("0.5", true),
        ("1.5", true), ("9223372036854775807", true), ("NULL", nil),
    ])
    func zeroIsTheOnlyFalse(expression: String, expected: Bool?) throws {
        #expect(try decoded(Bool.self, expression) == expected)
    }

    @Test(arguments: [("'1'", true), ("'0.5'", true), ("'0'", false), ("'true'", false), ("x''", false)])
    func statementsConvertAsSQLiteDoes(expression: String, expected: Bool) throws {
        #expect(try fetched(Bool.self, expression) == expected)
        #expect(Bool.fromDatabaseValue(try stored(expression)) == nil)
    }
}
