import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// All methods that fetch values of the first column, for types that decode directly from the statement (`String`) and
/// for those that don't (`Name`).
struct ValueFetchingTests {
    enum Colour: String, DatabaseValueConvertible { case red, blue }

    private let sql = "SELECT name, id FROM player WHERE id <> ? ORDER BY id"
    private let swapped = "SELECT id, name FROM player WHERE id <> ? ORDER BY id"

    /// Expects that all fetching methods return the same values.
    private func fetchesAlike<T: DatabaseValueConvertible & Hashable>(
        _ db: Database, _ sql: String, _ arguments: StatementArguments, _ values: [T], adapter: (any RowAdapter)? = nil
    ) throws {
        let statement = try db.makeStatement(sql: sql)
        #expect(try T.fetchAll(db, sql: sql, arguments: arguments, adapter: adapter) == values)
        #expect(try T.fetchAll(statement, arguments: arguments, adapter: adapter) == values)
        #expect(try T.fetchSet(db, sql: sql, arguments: arguments, adapter: adapter) == Set(values))
        #expect(try T.fetchSet(statement, arguments: arguments, adapter: adapter) == Set(values))
        #expect(try Array(T.fetchCursor(db, sql: sql, arguments: arguments, adapter: adapter)) == values)
        #expect(try Array(T.fetchCursor(statement, arguments: arguments, adapter: adapter)) == values)
        #expect(try T.fetchOne(db, sql: sql, arguments: arguments, adapter: adapter) == values.first)
        #expect(try T.fetchOne(statement, arguments: arguments, adapter: adapter) == values.first)
    }

    private func fetchesAlikeFast<T: DatabaseValueConvertible & StatementColumnConvertible & Hashable>(
        _ db: Database, _ sql: String, _ arguments: StatementArguments, _ values: [T], adapter: (any RowAdapter)? = nil
    ) throws {
        let statement = try db.makeStatement(sql: sql)
        #expect(try T.fetchAll(db, sql: sql, arguments: arguments, adapter: adapter) == values)
        #expect(try T.fetchAll(statement, arguments: arguments, adapter: adapter) == values)
        #expect(try T.fetchSet(db, sql: sql, arguments: arguments, adapter: adapter) == Set(values))
        #expect(try T.fetchSet(statement, arguments: arguments, adapter: adapter) == Set(values))
        #expect(try Array(T.fetchCursor(db, sql: sql, arguments: arguments, adapter: adapter)) == values)
        #expect(try Array(T.fetchCursor(statement, arguments: arguments, adapter: adapter)) == values)
        #expect(try T.fetchOne(db, sql: sql, arguments: arguments, adapter: adapter) == values.first)
        #expect(try T.fetchOne(statement, arguments: arguments, adapter: adapter) == values.first)
    }

    @Test(arguments: DatabaseKind.allCases)
    func entryPoints(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            try fetchesAlikeFast(db, sql, [2], ["Anna", "Cleo"])
            try fetchesAlike(db, sql, [2], ["Anna", "Cleo"] as [Name])
            try fetchesAlikeFast(db, swapped, [2], ["Anna", "Cleo"], adapter: SuffixRowAdapter(fromIndex: 1))
            try fetchesAlike(db, swapped, [2], ["Anna", "Cleo"] as [Name], adapter: SuffixRowAdapter(fromIndex: 1))
            try fetchesAlikeFast(db, "SELECT id FROM player WHERE id > ?", [9], [] as [Int])
            try fetchesAlike(db, "SELECT name FROM player WHERE id > ?", [9], [] as [Name])
            try fetchesAlikeFast(db, "SELECT :a UNION ALL SELECT :b", ["a": 1.5, "b": 2], [1.5, 2.0])
        }
    }

    @Test func entryPointsOfOptionals() throws {
        try DatabaseKind.memory.run { db in
            let sql = "SELECT column1 FROM (VALUES ('a'), (NULL), ('b')) WHERE 0 = ?"
            try fetchesAlikeFast(db, sql, [0], ["a", nil, "b"] as [String?])
            try fetchesAlike(db, sql, [0], ["a", nil, "b"] as [Name?])
            try fetchesAlikeFast(db, sql, [0], ["a".databaseValue, .null, "b".databaseValue])
            try fetchesAlikeFast(db, sql, [1], [] as [String?])
            try fetchesAlike(db, sql, [1], [] as [Name?])
        }
    }

    // MARK: Fetching one

    @Test func oneValue() throws {
        try DatabaseKind.memory.run { (db) throws in
            #expect(try Int.fetchOne(db, sql: "SELECT 1") == 1)
            #expect(try Int.fetchOne(db, sql: "SELECT NULL") == nil)
            #expect(try Int.fetchOne(db, sql: "SELECT 1 WHERE 0") == nil)
            #expect(try Name.fetchOne(db, sql: "SELECT 'Anna'") == "Anna")
            #expect(try Name.fetchOne(db, sql: "SELECT NULL") == nil)
            #expect(try Name.fetchOne(db, sql: "SELECT 1 WHERE 0") == nil)
            #expect(try Int.fetchOne(db, sql: "SELECT NULL UNION ALL SELECT 1") == nil)
        }
    }

    @Test func oneOptionalTellsNULLFromNoRow() throws {
        func expect<T: Equatable>(_ value: T??, _ expected: T??, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(value == expected, sourceLocation: sourceLocation)
        }
        try DatabaseKind.memory.run { db in
            expect(try Int?.fetchOne(db, sql: "SELECT 1"), .some(.some(1)))
            expect(try Int?.fetchOne(db, sql: "SELECT NULL"), .some(.none))
            expect(try Int?.fetchOne(db, sql: "SELECT 1 WHERE 0"), .none)
            expect(try Name?.fetchOne(db, sql: "SELECT 'Anna'"), .some(.some("Anna")))
            expect(try Name?.fetchOne(db, sql: "SELECT NULL"), .some(.none))
            expect(try Name?.fetchOne(db, sql: "SELECT 1 WHERE 0"), .none)
        }
    }

    @Test func oneDatabaseValue() throws {
        try DatabaseKind.memory.run { (db) throws in
            #expect(try DatabaseValue.fetchOne(db, sql: "SELECT NULL") == .some(.null))
            #expect(try DatabaseValue.fetchOne(db, sql: "SELECT 'a'") == "a".databaseValue)
            #expect(try DatabaseValue.fetchOne(db, sql: "SELECT 1 WHERE 0") == nil)
        }
    }

    @Test func fetchingOneStopsAtTheFirstRow() throws {
        try DatabaseKind.memory.run { (db) throws in
            let sql = "SELECT abs(column1) FROM (VALUES (-1), (-9223372036854775808))"
            #expect(try Int.fetchOne(db, sql: sql) == 1)
            #expect(try Row.fetchOne(db, sql: sql)?[0] as Int? == 1)
        }
    }

    @Test func statementsThatReturnNoRow() throws {
        try DatabaseKind.memory.run { (db) throws in
            #expect(try Int.fetchAll(db, sql: "CREATE TABLE t (a)") == [])
            #expect(try Int.fetchOne(db, sql: "INSERT INTO t VALUES (1)") == nil)
            #expect(try Int.fetchSet(db, sql: "INSERT INTO t VALUES (2)") == [])
            #expect(try Int.fetchCursor(db, sql: "INSERT INTO t VALUES (3)").next() == nil)
            #expect(try Name.fetchAll(db, sql: "INSERT INTO t VALUES (4)") == [])
            #expect(try Row.fetchAll(db, sql: "INSERT INTO t VALUES (5)") == [])
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1, 2, 3, 4, 5])
        }
    }

    @Test func anAdapterWithoutColumns() throws {
        try DatabaseKind.memory.run { db in
            for fetch in [
                { _ = try Int.fetchAll(db, sql: "SELECT 1", adapter: EmptyRowAdapter()) },
                { _ = try Name.fetchOne(db, sql: "SELECT 1", adapter: EmptyRowAdapter()) },
            ] {
                #expect { try fetch() } throws: { ResultCode.SQLITE_MISUSE ~= $0 }
            }
        }
    }

    // MARK: Conversions

    @Test func mismatches() throws {
        try DatabaseKind.memory.run { (db) throws in
            #expect(throws: RowDecodingError.self) { try String.fetchAll(db, sql: "SELECT NULL") }
            #expect(throws: RowDecodingError.self) { try Name.fetchAll(db, sql: "SELECT NULL") }
            #expect(throws: RowDecodingError.self) { try String.fetchSet(db, sql: "SELECT NULL") }
            #expect(throws: RowDecodingError.self) { try Name.fetchCursor(db, sql: "SELECT NULL").next() }
            #expect(throws: RowDecodingError.self) { try Int8.fetchAll(db, sql: "SELECT 1000") }
            #expect(throws: RowDecodingError.self) { try Int8?.fetchAll(db, sql: "SELECT 1000") }
            #expect(throws: RowDecodingError.self) { try Int8.fetchOne(db, sql: "SELECT 1000") }
            #expect(throws: RowDecodingError.self) { try Colour.fetchOne(db, sql: "SELECT 'green'") }
            #expect(throws: RowDecodingError.self) { try Colour?.fetchAll(db, sql: "SELECT 'green'") }
            #expect(try Colour.fetchAll(db, sql: "SELECT 'red' UNION ALL SELECT 'blue'") == [.red, .blue])
            #expect(try Colour?.fetchAll(db, sql: "SELECT 'red' UNION ALL SELECT NULL") == [.red, nil])
        }
    }

    @Test func aMismatchEndsACursor() throws {
        try DatabaseKind.memory.run { db in
            let sql = "SELECT column1 FROM (VALUES ('a'), (NULL), ('b'))"
            let cursor = try String.fetchCursor(db, sql: sql)
            #expect(try cursor.next() == "a")
            #expect(throws: RowDecodingError.self) { try cursor.next() }
            #expect(throws: RowDecodingError.self) { try cursor.next() }
            let names = try Name.fetchCursor(db, sql: sql)
            #expect(try names.next() == "a")
            #expect(throws: RowDecodingError.self) { try names.forEach { _ in } }
            #expect(throws: RowDecodingError.self) { try names.next() }
        }
    }

    @Test func liveValuesConvertAsSQLiteDoes() throws {
        try DatabaseKind.memory.run { db in
            #expect(try Double.fetchOne(db, sql: "SELECT 'Yesterday'") == 0)
            #expect(try Int.fetchOne(db, sql: "SELECT '12 monkeys'") == 12)
            #expect(try String.fetchOne(db, sql: "SELECT 12") == "12")
            let row = try #require(try Row.fetchOne(db, sql: "SELECT 'Yesterday', 12"))
            #expect(throws: RowDecodingError.self) { try row.decode(Double.self, atIndex: 0) }
            #expect(throws: RowDecodingError.self) { try row.decode(String.self, atIndex: 1) }
        }
    }

    // MARK: Errors

    @Test(arguments: [nil, SuffixRowAdapter(fromIndex: 0)])
    func errorsOfSteps(_ adapter: SuffixRowAdapter?) throws {
        try DatabaseKind.memory.run { (db) throws in
            let sql = "SELECT abs(-9223372036854775808)"
            let fetches: [() throws -> Void] = [
                { _ = try Int.fetchAll(db, sql: sql, adapter: adapter) },
                { _ = try Int.fetchSet(db, sql: sql, adapter: adapter) },
                { _ = try Int.fetchOne(db, sql: sql, adapter: adapter) },
                { _ = try Int.fetchCursor(db, sql: sql, adapter: adapter).next() },
                { _ = try Name.fetchAll(db, sql: sql, adapter: adapter) },
                { _ = try Name.fetchOne(db, sql: sql, adapter: adapter) },
                { _ = try Int?.fetchAll(db, sql: sql, adapter: adapter) },
                { _ = try Row.fetchAll(db, sql: sql, adapter: adapter) },
                { _ = try Row.fetchSet(db, sql: sql, adapter: adapter) },
                { _ = try Row.fetchOne(db, sql: sql, adapter: adapter) },
                { _ = try Row.fetchCursor(db, sql: sql, adapter: adapter).next() },
                { _ = try Row.fetchAll(db.cachedStatement(sql: sql), adapter: adapter) },
            ]
            for fetch in fetches {
                let error = expectError(.SQLITE_ERROR, "integer overflow", sql: sql, fetch)
                #expect(error?.description == "SQLite error 1: integer overflow - while executing `\(sql)`")
                #expect(try Int.fetchOne(db, sql: "SELECT 1") == 1)
            }
        }
    }

    @Test func errorsOfCompilation() throws {
        try DatabaseKind.memory.run { db in
            let sql = "SELECT * FROM blah"
            let fetches: [() throws -> Void] = [
                { _ = try Int.fetchAll(db, sql: sql) }, { _ = try Int.fetchOne(db, sql: sql) },
                { _ = try Int.fetchSet(db, sql: sql) }, { _ = try Int.fetchCursor(db, sql: sql) },
                { _ = try Name.fetchAll(db, sql: sql) }, { _ = try Name.fetchCursor(db, sql: sql) },
                { _ = try Row.fetchAll(db, sql: sql) }, { _ = try Row.fetchOne(db, sql: sql) },
                { _ = try Row.fetchSet(db, sql: sql) }, { _ = try Row.fetchCursor(db, sql: sql) },
            ]
            for fetch in fetches { expectError(.SQLITE_ERROR, "no such table: blah", sql: sql, fetch) }
        }
    }
}
