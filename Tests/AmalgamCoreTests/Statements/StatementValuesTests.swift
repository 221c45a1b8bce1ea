import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// Values passed to an execution instead of arguments: `try statement.execute(values: 1, "Anna")`.
@Suite struct StatementValuesTests {
    private func withTable(_ body: (Database) throws -> Void) throws {
        try DatabaseKind.memory.run { db throws in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c)")
            try body(db)
        }
    }

    /// Values are stored like arguments.
    @Test func valuesOfAllTypes() throws {
        try withTable { db in
            let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
            let date = Date(timeIntervalSince1970: 1_700_000_000.125)
            let (none, some): (String?, Data?) = (nil, Data([1, 2]))
            let byValues = try db.makeStatement(sql: "INSERT INTO t (a, b, c) VALUES (?, ?, ?)")
            let byArguments = try db.makeStatement(sql: "INSERT INTO t (a, b, c) VALUES (?, ?, ?)")
            try byValues.execute(values: 1, "Anna", 1.5)
            try byArguments.execute(arguments: [1, "Anna", 1.5])
            try byValues.execute(values: date, Data("blob".utf8), id)
            try byArguments.execute(arguments: [date, Data("blob".utf8), id])
            try byValues.execute(values: none, some, Int?.none)
            try byArguments.execute(arguments: [none, some, nil])
            try byValues.execute(values: true, DatabaseValue.null, Decimal(string: "1.25")!)
            try byArguments.execute(arguments: [true, DatabaseValue.null, Decimal(string: "1.25")!])
            try byValues.execute(values: Data(), "", Int64.min)
            try byArguments.execute(arguments: [Data(), "", Int64.min])
            try byValues.execute(values: String(repeating: "é", count: 5000), Float(0.5), UInt8(7))
            try byArguments.execute(arguments: [String(repeating: "é", count: 5000), Float(0.5), UInt8(7)])
            let rows = try Row.fetchAll(db, sql: "SELECT a, b, c FROM t ORDER BY id")
            #expect(rows.count == 12)
            for index in stride(from: 0, to: 12, by: 2) { #expect(rows[index] == rows[index + 1]) }
        }
    }

    /// Allows an empty pack.
    private func execute<each Value: DatabaseValueConvertible>(_ statement: Statement, _ values: repeat each Value)
        throws
    {
        try statement.execute(values: repeat each values)
    }

    @Test func noParameter() throws {
        try withTable { db in
            expectError(.SQLITE_MISUSE, "wrong number of statement arguments: 1", sql: "INSERT INTO t DEFAULT VALUES") {
                try db.makeStatement(sql: "INSERT INTO t DEFAULT VALUES").execute(values: 1)
            }
            let statement = try db.makeStatement(sql: "INSERT INTO t DEFAULT VALUES")
            try execute(statement)
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 1)
        }
    }

    @Test func namedParametersTakeValuesInTheirOrder() throws {
        try withTable { db in
            let statement = try db.makeStatement(sql: "INSERT INTO t (a, b, c) VALUES (:x, :y, :x)")
            try statement.execute(values: 1, 2)
            #expect(try Row.fetchOne(db, sql: "SELECT a, b, c FROM t") == ["a": 1, "b": 2, "c": 1])
        }
    }

    @Test func anotherNumberOfValues() throws {
        try withTable { db in
            let sql = "INSERT INTO t (a, b) VALUES (?, ?)"
            let statement = try db.makeStatement(sql: sql)
            statement.arguments = [1, 2]
            expectError(.SQLITE_MISUSE, "wrong number of statement arguments: 1", sql: sql) {
                try statement.execute(values: 1)
            }
            expectError(.SQLITE_MISUSE, "wrong number of statement arguments: 3", sql: sql) {
                try statement.setArguments(values: 1, 2, 3)
            }
            #expect(statement.arguments == [1, 2])
            try statement.execute()
            #expect(try Row.fetchAll(db, sql: "SELECT a, b FROM t") == [["a": 1, "b": 2]])
        }
    }

    @Test func aValueThatCannotBeStored() throws {
        try withTable { db in
            let sql = "INSERT INTO t (a, b) VALUES (?, ?)"
            let statement = try db.makeStatement(sql: sql)
            let expected = #expect(throws: DatabaseError.self) { try statement.execute(arguments: [1, UInt64.max]) }
            let error = #expect(throws: DatabaseError.self) { try statement.execute(values: 1, UInt64.max) }
            #expect(error?.description == expected?.description)
            #expect(throws: DatabaseError.self) { try statement.setArguments(values: 1, UInt64.max) }
            try statement.execute(values: 1, 2)
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 1)
        }
    }

    /// The error of a run contains the values, as it contains arguments.
    @Test func anErrorOfTheRun() throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = true
        try DatabaseKind.memory.run(configuration) { db throws in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?)")
            try statement.execute(values: 1, "Anna")
            let error = #expect(throws: DatabaseError.self) { try statement.execute(values: 1, "Bo") }
            let expected = #expect(throws: DatabaseError.self) { try statement.execute(arguments: [1, "Bo"]) }
            #expect(error?.description == expected?.description)
            #expect(error?.arguments == [1, "Bo"])
            try statement.execute(values: 2, "Bo")
            #expect(try String.fetchAll(db, sql: "SELECT name FROM t ORDER BY id") == ["Anna", "Bo"])
        }
    }

    /// Values are used for one run: the arguments of the statement are unchanged.
    @Test func argumentsStay() throws {
        try withTable { db in
            let statement = try db.makeStatement(sql: "INSERT INTO t (a) VALUES (?)")
            statement.arguments = ["stays"]
            try statement.execute(values: "goes")
            #expect(statement.arguments == ["stays"])
            try statement.execute()
            try statement.setArguments(values: "set")
            #expect(statement.arguments == ["set"])
            try statement.execute(values: "goes, too")
            #expect(statement.arguments == ["set"])
            try statement.execute()
            try statement.setArguments(["last"])
            #expect(statement.arguments == ["last"])
            try statement.execute()
            #expect(
                try String.fetchAll(db, sql: "SELECT a FROM t ORDER BY id")
                    == ["goes", "stays", "goes, too", "set", "last"])
        }
    }

    @Test func cursors() throws {
        struct Pair: FetchableRecord {
            var id: Int
            var name: String

            init(row: Row) {
                id = row["id"]
                name = row["a"]
            }
        }
        try withTable { db in
            try db.execute(sql: "INSERT INTO t (a) VALUES ('one'), ('two'), ('three')")
            let rows = try db.makeStatement(sql: "SELECT id, a FROM t WHERE id > ? AND a <> ? ORDER BY id")
            #expect(try Array(Row.fetchCursor(rows, values: 1, "three").map { $0.copy() }) == [["id": 2, "a": "two"]])
            #expect(try Array(Pair.fetchCursor(rows, values: 0, "two").map(\.name)) == ["one", "three"])
            let names = try db.makeStatement(sql: "SELECT a FROM t WHERE id < ? ORDER BY id")
            #expect(try Array(String.fetchCursor(names, values: 3)) == ["one", "two"])
            #expect(try Array(Name.fetchCursor(names, values: 2)) == [Name(text: "one")])
            // The values stay bound, as arguments do.
            #expect(try String.fetchAll(names) == ["one"])
            #expect(names.arguments == [2])
        }
    }

    private struct Name: DatabaseValueConvertible, Equatable {
        var text: String
        var databaseValue: DatabaseValue { text.databaseValue }

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Name? {
            String.fromDatabaseValue(dbValue).map(Name.init(text:))
        }
    }

    /// A nested run can't use the connection's buffer for its bytes, and copies them.
    @Test func aRunInsideOfARun() throws {
        try withTable { db in
            let db = db.shared
            let inner = try db.value.makeStatement(sql: "INSERT INTO t (a, b) VALUES (?, ?)")
            let statement = Shared<Statement?>(inner)
            db.value.add(
                function: DatabaseFunction("f") { (text: String) in
                    try statement.value?.execute(values: "inner", text)
                    return text
                })
            let outer = try db.value.makeStatement(sql: "INSERT INTO t (a, b) SELECT ?, f(?)")
            try outer.execute(values: "outer", "text")
            statement.value = nil
            #expect(
                try Row.fetchAll(db.value, sql: "SELECT a, b FROM t ORDER BY a")
                    == [["a": "inner", "b": "text"], ["a": "outer", "b": "text"]])
        }
    }

    /// A value must not run its own statement, which would lose the other values.
    @Test func aValueThatRunsTheStatement() throws {
        try withTable { db in
            let sql = "INSERT INTO t (a, b) VALUES (?, ?)"
            let statement = try db.makeStatement(sql: sql)
            let value = CallingValue { try statement.execute(values: 3, 4) }
            let message = """
                The statement was run again while values were bound to it. Values must not use their statement.
                """
            expectError(.SQLITE_MISUSE, message, sql: sql) { try statement.execute(values: 1, value) }
            expectError(.SQLITE_MISUSE, message, sql: sql) { try statement.setArguments(values: 1, value) }
            #expect(try Row.fetchAll(db, sql: "SELECT a, b FROM t") == [["a": 3, "b": 4], ["a": 3, "b": 4]])
            try statement.execute(values: 5, 6)
        }
    }

    /// A value that runs a closure when it is bound.
    private struct CallingValue: DatabaseValueConvertible {
        let call: () throws -> Void

        init(_ call: @escaping () throws -> Void) { self.call = call }

        var databaseValue: DatabaseValue {
            do { try call() } catch { Issue.record(error) }
            return 2.databaseValue
        }

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> CallingValue? { nil }
    }

    @Test func outsideOfAnAccess() throws {
        let queue = try DatabaseQueue()
        let statement = try queue.inDatabase { try $0.makeStatement(sql: "SELECT ?") }
        #expect(throws: DatabaseError.self) { try statement.execute(values: 1) }
        #expect(throws: DatabaseError.self) { try statement.setArguments(values: 1) }
    }
}
