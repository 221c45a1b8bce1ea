import Amalgam
import TestSupport
import Testing

@Suite struct FloatingPointTests {
    @Test(arguments: [0.0, 1.0, -1.5, 0.1, .pi, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity])
    func doubles(double: Double) throws {
        #expect(double.databaseValue.storage == .double(double))
        #expect(try roundTrip(double) == double)
        #expect(try roundTrip(-double) == -double)
    }

    @Test func storage() throws {
        #expect(try sql(1.0) == "real 1.0")
        #expect(try sql(Float(0.5)) == "real 0.5")
        #expect(try sql(Double.nan) == "null NULL")
    }

    /// SQLite has no NaN, and stores it as NULL. The error of a column with NOT NULL names the reason.
    @Test func notANumberInAColumnWithNotNull() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a REAL, b REAL NOT NULL)")
            try db.execute(sql: "INSERT INTO t VALUES (?, 0)", arguments: [Double.nan])
            #expect(try DatabaseValue.fetchOne(db, sql: "SELECT a FROM t") == .null)
            let message = "NOT NULL constraint failed: t.b (an argument is NaN, which SQLite stores as NULL)"
            for arguments: StatementArguments in [[-Double.nan], ["b": Float.nan], ["b": Double.signalingNaN]] {
                let sql = "INSERT INTO t VALUES (1, :b)"
                expectFailure(.SQLITE_CONSTRAINT, message, sql: sql) { try db.execute(sql: sql, arguments: arguments) }
            }
            expectFailure(.SQLITE_CONSTRAINT, "NOT NULL constraint failed: t.b") {
                try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [Double.infinity, nil])
            }
        }
    }

    @Test func notANumberAsAValueOfOneRun() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a REAL, b REAL NOT NULL)")
            let message = "NOT NULL constraint failed: t.b (an argument is NaN, which SQLite stores as NULL)"
            let sql = "INSERT INTO t VALUES (?, ?)"
            let statement = try db.makeStatement(sql: sql)
            expectFailure(.SQLITE_CONSTRAINT, message, sql: sql) { try statement.execute(values: 1, Double.nan) }
            expectFailure(.SQLITE_CONSTRAINT, "NOT NULL constraint failed: t.b") {
                try statement.execute(values: 1, Double?.none)
            }
            try statement.execute(values: Double.nan, 1.5)
            #expect(try DatabaseValue.fetchOne(db, sql: "SELECT a FROM t") == .null)
        }
    }

    @Test(arguments: [("1", 1.0), ("1.5", 1.5), ("9223372036854775807", 0x1p63), ("NULL", nil)])
    func numbersConvert(expression: String, expected: Double?) throws {
        #expect(try decoded(Double.self, expression) == expected)
        #expect(try decoded(Float.self, expression) == expected.map { Float($0) })
    }

    @Test(arguments: [("'Yesterday'", 0.0), ("'1.5 litres'", 1.5), ("x'322e35'", 2.5)])
    func statementsConvertAsSQLiteDoes(expression: String, expected: Double) throws {
        #expect(try fetched(Double.self, expression) == expected)
        #expect(try fetched(Float.self, expression) == Float(expected))
        #expect(Double.fromDatabaseValue(try stored(expression)) == nil)
        #expect(Float.fromDatabaseValue(try stored(expression)) == nil)
    }

    @Test func floatsAreRounded() throws {
        #expect(try roundTrip(Float.pi) == .pi)
        #expect(try decoded(Float.self, "0.1") == Float(0.1))
        #expect(try decoded(Float.self, "1e300") == .infinity)
    }

    /// A column with REAL affinity may store integers in the file, but expressions on them are reals.
    @Test func integersInRealColumns() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a REAL); CREATE INDEX i ON t (a + 1); INSERT INTO t VALUES (3)")
            #expect(try Double.fetchOne(db, sql: "SELECT a FROM t") == 3)
            #expect(try Int.fetchOne(db, sql: "SELECT a FROM t") == 3)
            #expect(try Double.fetchOne(db, sql: "SELECT a + 1 FROM t WHERE a + 1 = 4") == 4)
            #expect(try Int.fetchOne(db, sql: "SELECT a + 1 FROM t WHERE a + 1 = 4") == 4)
        }
    }
}
