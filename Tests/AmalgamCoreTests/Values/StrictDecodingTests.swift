import Amalgam
@testable import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// What is decoded of a stored value, in rows that move with a statement and in copied rows, with and without
/// `Configuration.strictDecoding`.
struct StrictDecodingTests {
    /// A stored value, a Swift type, and the decoded values; nil for a `RowDecodingError`.
    struct Conversion: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let check: @Sendable () throws -> Void

        /// A type that is decoded directly from a statement.
        init<T: DatabaseValueConvertible & StatementColumnConvertible & Equatable & Sendable>(
            _ expression: String, _ type: T.Type, moved: T?, copied: T?, strict: T?
        ) {
            testDescription = "\(expression) as \(type)"
            check = {
                for isStrict in [false, true] {
                    try withConnection(isStrict) { db in
                        let found = try movedValues(db, type, expression)
                        let expected = isStrict ? strict : moved
                        #expect(found == found.mapValues { _ in expected }, "moved, strictDecoding: \(isStrict)")
                        try checkCopies(db, type, expression, isStrict ? strict : copied, isStrict)
                    }
                }
            }
        }

        /// A type that is decoded from a `DatabaseValue`.
        init<T: DatabaseValueConvertible & Equatable & Sendable>(
            _ expression: String, _ type: T.Type, converted: T?, strict: T?
        ) {
            testDescription = "\(expression) as \(type)"
            check = {
                for isStrict in [false, true] {
                    let expected = isStrict ? strict : converted
                    try withConnection(isStrict) { db in
                        let fetched = try decoded { try T.fetchAll(db, sql: "SELECT \(expression)")[0] }
                        #expect(fetched == expected, "fetched, strictDecoding: \(isStrict)")
                        try checkCopies(db, type, expression, expected, isStrict)
                    }
                }
            }
        }

        /// A value that is decoded independently of the setting.
        init<T: DatabaseValueConvertible & StatementColumnConvertible & Equatable & Sendable>(
            _ expression: String, _ value: T?
        ) {
            self.init(expression, T.self, moved: value, copied: value, strict: value)
        }
    }

    enum Grade: String, DatabaseValueConvertible { case beginner, master }
    enum Level: Int, DatabaseValueConvertible, StatementColumnConvertible { case zero, one, two }

    static let numbers = [
        Conversion("'abc'", Int.self, moved: 0, copied: nil, strict: nil),
        Conversion("'12'", Int.self, moved: 12, copied: nil, strict: nil),
        Conversion("x'3132'", Int.self, moved: 12, copied: nil, strict: nil),
        Conversion("2.5", Int.self, moved: 2, copied: 2, strict: nil),
        Conversion("1e300", Int.self, moved: nil, copied: nil, strict: nil),
        Conversion("12", 12),
        Conversion("2.0", 2),
        Conversion("'7'", Int64.self, moved: 7, copied: nil, strict: nil),
        Conversion("-1.5", Int8.self, moved: -1, copied: -1, strict: nil),
        Conversion("1000", Int8?.none),
        Conversion("'7'", UInt64.self, moved: 7, copied: nil, strict: nil),
        Conversion("1e19", UInt64(10_000_000_000_000_000_000)),
        Conversion("'abc'", Bool.self, moved: false, copied: nil, strict: nil),
        Conversion("x'31'", Bool.self, moved: true, copied: nil, strict: nil),
        Conversion("0.5", Bool.self, moved: true, copied: true, strict: nil),
        Conversion("2.0", true),
        Conversion("0", false),
        Conversion("'abc'", Double.self, moved: 0, copied: nil, strict: nil),
        Conversion("'1.5'", Double.self, moved: 1.5, copied: nil, strict: nil),
        Conversion("x'312e35'", Double.self, moved: 1.5, copied: nil, strict: nil),
        Conversion("1", 1.0),
        Conversion("1.5", 1.5),
        Conversion("(SELECT real FROM stored)", 3.0),
        Conversion("'1.5'", Float.self, moved: 1.5, copied: nil, strict: nil),
        Conversion("1", Float(1)),
        Conversion("1", CGFloat.self, converted: 1, strict: 1),
        Conversion("'1.5'", CGFloat.self, converted: nil, strict: nil),
    ]

    static let textsAndBlobs = [
        Conversion("12", String.self, moved: "12", copied: nil, strict: nil),
        Conversion("1.5", String.self, moved: "1.5", copied: nil, strict: nil),
        Conversion("x'616263'", String.self, moved: "abc", copied: "abc", strict: nil),
        Conversion("zeroblob(1)", String.self, moved: "\0", copied: "\0", strict: nil),
        Conversion("'abc'", "abc"),
        Conversion("12", Data.self, moved: Data("12".utf8), copied: nil, strict: nil),
        Conversion("1.5", Data.self, moved: Data("1.5".utf8), copied: nil, strict: nil),
        Conversion("'abc'", Data("abc".utf8)),
        Conversion("x'00ff'", Data([0, 0xff])),
        Conversion("zeroblob(2)", Data([0, 0])),
    ]

    private static let uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    private static let url = URL(string: "https://sqlite.org/")

    static let typesOfSeveralForms = [
        Conversion("'1970-01-01 00:00:02'", Date(timeIntervalSince1970: 2)),
        Conversion("2", Date(timeIntervalSince1970: 2)),
        Conversion("2.5", Date(timeIntervalSince1970: 2.5)),
        Conversion("x'32'", Date?.none),
        Conversion("'00010203-0405-0607-0809-0A0B0C0D0E0F'", uuid),
        Conversion("x'000102030405060708090a0b0c0d0e0f'", uuid),
        Conversion("1", UUID?.none),
        Conversion("'10.5'", Decimal(string: "10.5")),
        Conversion("10", Decimal(10)),
        Conversion("1.5", Decimal(string: "1.5")),
        Conversion("'https://sqlite.org/'", URL.self, converted: url, strict: url),
        Conversion("CAST('https://sqlite.org/' AS BLOB)", URL.self, converted: url, strict: url),
        Conversion("2.5", 2.5.databaseValue),
        Conversion("x'616263'", Data("abc".utf8).databaseValue),
    ]

    static let typesOfApplications = [
        Conversion("'master'", Grade.self, converted: .master, strict: .master),
        Conversion("CAST('master' AS BLOB)", Grade.self, converted: .master, strict: nil),
        Conversion("1", Level.one),
        Conversion("1.5", Level.self, moved: .one, copied: .one, strict: nil),
        Conversion("'1'", Level.self, moved: .one, copied: nil, strict: nil),
        Conversion("x'616263'", Name.self, converted: Name("abc"), strict: nil),
        Conversion("x'616263'", Anything.self, converted: Anything(text: "abc"), strict: Anything(text: "abc")),
    ]

    /// A type that decides for itself which storage classes it decodes.
    struct Anything: DatabaseValueConvertible, Equatable {
        var text: String
        var databaseValue: DatabaseValue { text.databaseValue }

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Anything? {
            switch dbValue.storage {
            case .blob(let data): Anything(text: String(decoding: data, as: UTF8.self))
            default: Anything(text: dbValue.description)
            }
        }
    }

    @Test(arguments: numbers + textsAndBlobs + typesOfSeveralForms + typesOfApplications)
    func storedValues(_ conversion: Conversion) throws {
        try conversion.check()
    }

    @Test func foundationClasses() throws {
        try withConnection(true) { db in
            expectMismatch { try NSString.fetchAll(db, sql: "SELECT x'616263'") }
            expectEqual(try NSString.fetchAll(db, sql: "SELECT 'abc'"), ["abc"])
            expectEqual(try NSNumber.fetchAll(db, sql: "SELECT 2 UNION ALL SELECT '1.5'"), [2, 1.5])
        }
        try withConnection(false) { db in
            expectEqual(try NSString.fetchAll(db, sql: "SELECT x'616263'"), ["abc"])
        }
    }

    // MARK: Errors

    @Test func theErrorDescribesTheValueAndTheRow() throws {
        try withConnection(true) { db in
            let location = #"column: "a", column index: 0, row: [a:"12"]"#
            let reason = #"could not decode Int from database value "12""#
            expectDecodingError("\(reason) - \(location), sql: `SELECT '12' AS a`, arguments: []") {
                _ = try Int.fetchAll(db, sql: "SELECT '12' AS a")
            }
            let row = try #require(try Row.fetchOne(db, sql: "SELECT '12' AS a"))
            expectDecodingError("\(reason) - \(location)") { _ = try row.decode(Int.self, forColumn: "a") }
        }
    }

    @Test func subscriptsTrap() async {
        expectText(
            #"could not convert "12" to Int: could not decode Int from database value "12""#,
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try withConnection(true) { db in
                    try Row.fetchCursor(db, sql: "SELECT '12'").forEach { row in _ = row[0] as Int }
                }
            })
        expectText(
            #"could not convert Data(3 bytes) to String: could not decode String from database value Data(3 bytes)"#,
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try withConnection(true) { db in
                    _ = try Row.fetchAll(db, sql: "SELECT x'616263' AS a")[0]["a"] as String
                }
            })
    }

    @Test func nullIsNil() throws {
        try withConnection(true) { db in
            expectEqual(try Int?.fetchAll(db, sql: "SELECT NULL"), [nil])
            expectEqual(try String.fetchOne(db, sql: "SELECT NULL"), nil)
            expectEqual(try Row.fetchAll(db, sql: "SELECT NULL")[0].decode(Double?.self, atIndex: 0), nil)
        }
    }

    // MARK: Connections

    @Test func allConnectionsOfAPoolAreStrict() throws {
        try DatabaseKind.pool.open(strictConfiguration(true)) { writer in
            try writer.write { db in expectMismatch { try Int.fetchAll(db, sql: "SELECT '12'") } }
            try writer.read { db in
                expectMismatch { try Int.fetchAll(db, sql: "SELECT '12'") }
                expectMismatch { try String.fetchOne(db, sql: "SELECT 12") }
            }
        }
    }

    /// TEXT values of a UTF-16 database can't be read in place, so they are decoded in the slow path.
    @Test(arguments: ["UTF-16le", "UTF-16be"])
    func textInUTF16(encoding: String) throws {
        try DatabaseQueue(configuration: strictConfiguration(true)).inDatabase { db in
            try db.execute(sql: "PRAGMA encoding = '\(encoding)'; CREATE TABLE t (a); INSERT INTO t VALUES ('été')")
            expectEqual(try String.fetchAll(db, sql: "SELECT a FROM t"), ["été"])
            expectEqual(try Data.fetchAll(db, sql: "SELECT a FROM t"), [Data("été".utf8)])
            expectMismatch { try Int.fetchAll(db, sql: "SELECT a FROM t") }
        }
    }

    /// A function that reads its argument as TEXT may add a TEXT form to a number, whose storage class is unchanged.
    @Test func numbersWithATextForm() throws {
        for isStrict in [false, true] {
            try withConnection(isStrict) { db in
                let rows = try Row.fetchCursor(db, sql: "SELECT 12, 1.5")
                let row = try #require(try rows.next())
                let statement = try #require(row.plainStatement)
                #expect(sqlite3_column_text(statement, 0) != nil && sqlite3_column_text(statement, 1) != nil)
                let expected: [String?] = isStrict ? [nil, nil] : ["12", "1.5"]
                for index in 0...1 {
                    expectEqual(try decoded { try row.decode(String.self, atIndex: index) }, expected[index])
                    let data = try decoded { try row.decode(Data.self, atIndex: index) }
                    expectEqual(data, expected[index].map { Data($0.utf8) })
                }
                expectEqual(try row.decode(Int.self, atIndex: 0), 12)
                expectEqual(try row.decode(Double.self, atIndex: 1), 1.5)
            }
        }
    }

    @Test func argumentsOfFunctionsAreDecodedAsWithoutTheSetting() throws {
        try withConnection(true) { db in
            db.add(function: DatabaseFunction("twice") { (number: Int) in 2 * number })
            expectEqual(try Int.fetchOne(db, sql: "SELECT twice(2.5)"), 4)
        }
    }

    /// A connection that this package hasn't opened has no hooks in its authorizer slot.
    @Test func statementsOfOtherConnectionsConvert() throws {
        var connection: SQLiteConnection?
        var statement: SQLiteStatement?
        #expect(sqlite3_open(":memory:", &connection) == SQLITE_OK)
        defer { sqlite3_close(connection) }
        #expect(sqlite3_prepare_v2(connection, "SELECT '12'", -1, &statement, nil) == SQLITE_OK)
        defer { sqlite3_finalize(statement) }
        #expect(sqlite3_step(statement) == SQLITE_ROW)
        #expect(Int.fromStatement(try #require(statement), atUncheckedIndex: 0) == 12)
    }

    /// Values that are equal stay equal, wherever they come from.
    @Test func equalityIgnoresTheSetting() throws {
        let sql = "SELECT 2.5, x'616263'"
        let row = try withConnection(true) { db in try #require(try Row.fetchOne(db, sql: sql)) }
        let other = try withConnection(false) { db in try #require(try Row.fetchOne(db, sql: sql)) }
        #expect(row == other && row.hashValue == other.hashValue)
        #expect(row[0] as DatabaseValue == 2.5.databaseValue)
        #expect(row[1] as DatabaseValue == Data("abc".utf8).databaseValue)
    }
}

// MARK: - Ways to decode

private func strictConfiguration(_ isStrict: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.strictDecoding = isStrict
    return configuration
}

private func withConnection<T>(_ isStrict: Bool, _ body: (Database) throws -> T) throws -> T {
    try DatabaseQueue(configuration: strictConfiguration(isStrict)).inDatabase { db in
        // SQLite stores 3.0 as an integer, and reads it as REAL.
        try db.execute(sql: "CREATE TABLE stored (real REAL); INSERT INTO stored VALUES (3)")
        return try body(db)
    }
}

/// Returns the decoded value, or nil if the closure throws a `RowDecodingError`.
private func decoded<T>(_ body: () throws -> T?) throws -> T? {
    do { return try body() } catch is RowDecodingError { return nil }
}

private func expectMismatch<T>(_ body: () throws -> T) {
    #expect(throws: RowDecodingError.self) { _ = try body() }
}

/// Decodes a value in rows that move with their statement.
private func movedValues<T: DatabaseValueConvertible & StatementColumnConvertible & Sendable>(
    _ db: Database, _ type: T.Type, _ expression: String
) throws -> [String: T?] {
    let sql = "SELECT \(expression) AS a"
    func row(_ sql: String, _ adapter: (any RowAdapter)? = nil, _ decode: (Row) throws -> T) throws -> T? {
        let rows = try Row.fetchCursor(db, sql: sql, adapter: adapter)
        // When the cursor is released, the row becomes a copy.
        return try withExtendedLifetime(rows) {
            let row = try #require(try rows.next())
            #expect(row.statement != nil)
            return try decoded { try decode(row) }
        }
    }
    let adapted = "SELECT 0, \(expression) AS a"
    return [
        "fetchAll": try decoded { try T.fetchAll(db, sql: sql)[0] },
        "fetchOne": try decoded { try T.fetchOne(db, sql: sql) },
        "optional": try decoded { try T?.fetchAll(db, sql: sql)[0] },
        "cursor": try decoded { try T.fetchCursor(db, sql: sql).next() },
        "index": try row(sql) { try $0.decode(T.self, atIndex: 0) },
        "column": try row(sql) { try $0.decode(T.self, forColumn: "a") },
        "adapter": try row(adapted, SuffixRowAdapter(fromIndex: 1)) { try $0.decode(T.self, atIndex: 0) },
    ]
}

/// Decodes a value in copied rows.
private func checkCopies<T: DatabaseValueConvertible & Equatable>(
    _ db: Database, _ type: T.Type, _ expression: String, _ expected: T?, _ isStrict: Bool
) throws {
    for (way, row) in try copies(db, expression) {
        #expect(try decoded { try row.decode(type, atIndex: 0) } == expected, "\(way), strictDecoding: \(isStrict)")
        #expect(try decoded { try row.decode(type, forColumn: "a") } == expected, "\(way), strictDecoding: \(isStrict)")
    }
}

private func copies(_ db: Database, _ expression: String) throws -> [(String, Row)] {
    let sql = "SELECT \(expression) AS a"
    let adapted = "SELECT 0, \(expression) AS a"
    let suffix = SuffixRowAdapter(fromIndex: 1)
    let scopes = ScopeAdapter(["part": suffix])
    let cursor = try Row.fetchCursor(db, sql: "\(sql) UNION ALL SELECT NULL")
    let retained = try #require(try cursor.next())
    _ = try cursor.next()
    let copied = try #require(try Row.fetchCursor(db, sql: sql).next()).copy()
    let batch = try RowBatch(db.makeStatement(sql: sql), adapter: nil)
    return [
        ("fetchAll", try Row.fetchAll(db, sql: sql)[0]),
        ("fetchOne", try #require(try Row.fetchOne(db, sql: sql))),
        ("fetchSet", try #require(try Row.fetchSet(db, sql: sql).first)),
        ("retained", retained),
        ("copied", copied),
        ("adapted", try Row.fetchAll(db, sql: adapted, adapter: suffix)[0]),
        ("scope", try #require(try Row.fetchAll(db, sql: adapted, adapter: scopes)[0].scopes["part"])),
        ("batch", batch.rows[0]),
    ]
}
