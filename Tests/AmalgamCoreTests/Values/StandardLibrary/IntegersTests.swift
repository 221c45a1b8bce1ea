import Amalgam
@testable import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

@Suite struct IntegersTests {
    /// Checks the limits of an integer type.
    private func checkLimits<T>(_ type: T.Type) throws
    where T: FixedWidthInteger & DatabaseValueConvertible & StatementColumnConvertible & Codable {
        let maximum = Int64(exactly: T.max) ?? .max
        let minimum = Int64(T.min)
        for integer in [minimum, minimum + 1, 0, 1, maximum - 1, maximum] {
            let value = T(integer)
            #expect(value.databaseValue.storage == .int64(integer))
            #expect(T.fromDatabaseValue(integer.databaseValue) == value)
            #expect(try roundTrip(value) == value)
            #expect(try sql(value) == "integer \(integer)")
        }
        if minimum > .min {
            #expect(try decoded(type, "\(minimum - 1)") == nil)
        }
        if maximum < .max {
            #expect(try decoded(type, "\(maximum + 1)") == nil)
        }
        #expect(try decoded(type, "NULL") == nil)
    }

    @Test func limits() throws {
        try checkLimits(Int.self)
        try checkLimits(Int8.self)
        try checkLimits(Int16.self)
        try checkLimits(Int32.self)
        try checkLimits(Int64.self)
        try checkLimits(UInt.self)
        try checkLimits(UInt8.self)
        try checkLimits(UInt16.self)
        try checkLimits(UInt32.self)
        try checkLimits(UInt64.self)
    }

    @Test func integersThatDoNotFitDoNotConvert() throws {
        #expect(try decoded(Int8.self, "1000") == nil)
        #expect(try decoded(UInt8.self, "256") == nil)
        #expect(try decoded(Int.self, "256") == 256)
        #expect(try decoded(UInt.self, "-1") == nil)
    }

    @Test func integersThatDoNotFitAreErrorsWhenFetched() throws {
        let error = #expect(throws: RowDecodingError.self) {
            try withDatabase { db in
                try Int8.fetchAll(db, sql: "SELECT ? AS foo", arguments: [1000])
            }
        }
        #expect(
            error?.description == """
                could not decode Int8 from database value 1000 - column: "foo", column index: 0, row: [foo:1000], \
                sql: `SELECT ? AS foo`, arguments: [1000]
                """)
    }

    // MARK: - Reals

    @Test(arguments: [
        ("1.1", 1),
        ("-1.9", -1),
        ("9223372036854774784.0", 9_223_372_036_854_774_784),
        ("-9223372036854775808.0", Int64.min),
    ])
    func realsLoseTheirFraction(expression: String, expected: Int64) throws {
        #expect(try decoded(Int64.self, expression) == expected)
        #expect(try decoded(Int.self, expression) == Int(expected))
    }

    @Test(arguments: ["9223372036854775808.0", "-9.223372036854777e18", "1e300", "9e999", "-9e999"])
    func realsThatDoNotFitDoNotConvert(expression: String) throws {
        #expect(try decoded(Int64.self, expression) == nil)
        #expect(try decoded(Int.self, expression) == nil)
        #expect(try decoded(Int8.self, expression) == nil)
    }

    @Test(arguments: [
        ("2147483647.999999", Int32.max),
        ("2147483648.0", nil),
        ("-2147483648.999999", Int32.min),
        ("-2147483649.0", nil),
    ])
    func realsAreTruncatedAndThenChecked(expression: String, expected: Int32?) throws {
        #expect(try decoded(Int32.self, expression) == expected)
    }

    @Test func unsignedIntegersReadReals() throws {
        #expect(try decoded(UInt8.self, "255.9") == 255)
        #expect(try decoded(UInt8.self, "256.0") == nil)
        #expect(try decoded(UInt8.self, "-0.5") == 0)
        #expect(try decoded(UInt64.self, "1e19") == 10_000_000_000_000_000_000)
        #expect(try decoded(UInt64.self, "18446744073709551616.0") == nil)
        #expect(Int64.fromDatabaseValue(Double.nan.databaseValue) == nil)
    }

    // MARK: - Strings and blobs

    @Test(arguments: [("'20 small cigars'", 20), ("'Yesterday'", 0), ("x'3132'", 12), ("'-7.9'", -7)])
    func statementsConvertAsSQLiteDoes(expression: String, expected: Int) throws {
        #expect(try fetched(Int.self, expression) == expected)
        #expect(Int.fromDatabaseValue(try stored(expression)) == nil)
    }

    @Test func convertedTextsAreRangeChecked() throws {
        #expect(fetchedOrMismatch(Int8.self, "'1000'") == nil)
    }

    @Test func initializerOfInt64NeverFails() throws {
        try withDatabase { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT NULL, 1, 2.5, '3x', 1e300")
            _ = try rows.next()
            withExtendedLifetime(rows) {
                let statement = rows._run.statement.sqliteStatement
                #expect((0..<5).map { Int64(sqliteStatement: statement, index: $0) } == [0, 1, 2, 3, .max])
            }
        }
    }

    // MARK: - Integers that SQLite doesn't have

    @Test func bindingRefusesLargeUnsignedIntegers() throws {
        #expect(try bindingResult(UInt64(Int64.max)) == SQLITE_OK)
        #expect(try bindingResult(UInt64(Int64.max) + 1) == SQLITE_MISMATCH)
        #expect(try bindingResult(UInt.max) == SQLITE_MISMATCH)
        #expect(try bindingResult(UInt64.max.databaseValue) == SQLITE_MISMATCH)
    }

    /// The value of a large unsigned integer doesn't trap, and doesn't become a different number.
    @Test func largeUnsignedIntegersHaveADatabaseValueThatIsNotStored() {
        let value = UInt64.max.databaseValue
        #expect(value.description == "18446744073709551615")
        #expect(value == UInt.max.databaseValue && value.hashValue == UInt.max.databaseValue.hashValue)
        #expect(value != (UInt64.max - 1).databaseValue)
        #expect(value != "18446744073709551615".databaseValue)
        #expect(Int64.fromDatabaseValue(value) == nil && !value.isNull)
    }

    /// Binding it throws, however the arguments were created.
    @Test(
        arguments: [
            [UInt64.max], StatementArguments([UInt64.max]), StatementArguments([UInt.max, 1] as [UInt]),
            StatementArguments([1, UInt64.max] as [(any DatabaseValueConvertible)?]),
            StatementArguments([UInt64.max] as [Any]) ?? [], ["a": UInt64.max], StatementArguments(["a": UInt64.max]),
            StatementArguments([("a", UInt64.max)]), StatementArguments(["a": UInt64.max] as [AnyHashable: Any]) ?? [],
            [1] + [UInt64.max], [NSNumber(value: UInt64.max)],
        ] as [StatementArguments])
    func argumentsThatAreNotStored(arguments: StatementArguments) throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a, b)")
            let isNamed = !arguments.namedValues.isEmpty
            let second = arguments.count == 1 ? "1" : "?"
            let sql = "INSERT INTO t VALUES (\(isNamed ? ":a" : "?"), \(second))"
            let statement = try db.makeStatement(sql: sql)
            let message = "a value cannot be stored: 18446744073709551615"
            expectError(.SQLITE_MISMATCH, message, sql: sql) { try db.execute(sql: sql, arguments: arguments) }
            expectError(.SQLITE_MISMATCH, message, sql: sql) { try statement.execute(arguments: arguments) }
            expectError(.SQLITE_MISMATCH, message, sql: sql) { try statement.setArguments(arguments) }
            expectError(.SQLITE_MISMATCH, message, sql: sql) { _ = try Row.fetchAll(statement, arguments: arguments) }
            statement.setUncheckedArguments(arguments)
            expectError(.SQLITE_MISMATCH, message, sql: sql) { try statement.execute() }
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 0)
            // The statement is still usable.
            try statement.execute(arguments: isNamed ? ["a": 1] : arguments.count == 2 ? [1, 2] : [1])
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 1)
        }
    }

    @Test func interpolatedIntegersThatAreNotStored() throws {
        try withDatabase { db in
            _ = expectError(.SQLITE_MISMATCH, "a value cannot be stored: 18446744073709551615") {
                try db.execute(literal: "SELECT \(UInt64.max)")
            }
        }
    }
}
