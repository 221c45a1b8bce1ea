import Amalgam
@testable import AmalgamCore
import Foundation
import TestSupport
import Testing

/// Several statements in one string: `allStatements` and `execute`.
struct SQLStatementCursorTests {
    // MARK: allStatements

    @Test(arguments: DatabaseKind.allCases)
    func eachStatementIsCompiledWhenItIsReached(_ kind: DatabaseKind) throws {
        try kind.run { db in
            let statements = try db.allStatements(
                sql: """
                    CREATE TABLE t (a);
                    INSERT INTO t VALUES (0);
                    SELECT a FROM t ORDER BY a;
                    INSERT INTO t VALUES (1);
                    SELECT a FROM t ORDER BY a;
                    """)
            var values: [[Int]] = []
            while let statement = try statements.next() {
                values.append(try Int.fetchAll(statement))
            }
            #expect(values == [[], [], [0], [], [0, 1]])
        }
    }

    @Test func rowsOfStatementsWithAndWithoutRows() throws {
        try DatabaseKind.memory.run { db in
            let statements = try db.allStatements(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (0); SELECT * FROM t")
            var rows: [[Row]] = []
            while let statement = try statements.next() { rows.append(try Row.fetchAll(statement)) }
            #expect(rows == [[], [], [["a": 0]]])
        }
    }

    @Test func collectingStatementsThatDependOnEachOther() throws {
        try DatabaseKind.memory.run { db in
            expectError(.SQLITE_ERROR, "no such table: t", sql: "INSERT INTO t VALUES (1)") {
                _ = try Array(db.allStatements(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)"))
            }
        }
    }

    @Test func flatMappingStatements() throws {
        try DatabaseKind.memory.run { db in
            let statements = try db.allStatements(sql: "SELECT 1; SELECT 2 UNION ALL SELECT 3;")
            #expect(try Array(statements.flatMap { try Int.fetchCursor($0) }) == [1, 2, 3])
        }
    }

    @Test func nothingFollowsTheEnd() throws {
        try DatabaseKind.memory.run { db in
            let statements = try db.allStatements(sql: "SELECT 1")
            #expect(try statements.next()?.sql == "SELECT 1")
            #expect(try statements.next() == nil)
            #expect(try statements.next() == nil)
            #expect(try db.allStatements(sql: " ; -- nothing").next() == nil)
        }
    }

    @Test func nothingFollowsAnError() throws {
        try DatabaseKind.memory.run { db in
            let statements = try db.allStatements(sql: "SELECT 1; SELEKT 2; SELECT 3")
            #expect(try statements.next()?.sql == "SELECT 1")
            #expect(throws: DatabaseError.self) { try statements.next() }
            #expect(try statements.next() == nil)
        }
    }

    @Test func statementsWithoutArgumentsAreGivenThemLater() throws {
        try DatabaseKind.memory.run { db in
            let statements = try db.allStatements(sql: "SELECT ?; SELECT :a")
            let first = try #require(try statements.next())
            #expect(try Int.fetchOne(first, arguments: [1]) == 1)
            let second = try #require(try statements.next())
            #expect(try Int.fetchOne(second, arguments: ["a": 2]) == 2)
            #expect(try statements.next() == nil)
        }
    }

    @Test func eachStatementTakesItsShare() throws {
        try DatabaseKind.memory.run { db in
            let positional = try db.allStatements(sql: "SELECT ? + ?; SELECT 10; SELECT ?", arguments: [1, 2, 20])
            #expect(try Array(positional.flatMap { try Int.fetchCursor($0) }) == [3, 10, 20])
            let named = try db.allStatements(sql: "SELECT :a; SELECT :b; SELECT :a", arguments: ["a": 1, "b": 2])
            #expect(try Array(named.flatMap { try Int.fetchCursor($0) }) == [1, 2, 1])
            let literal = try db.allStatements(literal: "SELECT \(1); SELECT \(2)")
            #expect(try Array(literal.flatMap { try Int.fetchCursor($0) }) == [1, 2])
        }
    }

    @Test(arguments: [[1], [1, 2, 3]] as [StatementArguments])
    func argumentsThatDoNotFit(_ arguments: StatementArguments) throws {
        try DatabaseKind.memory.run { db in
            let statements = try db.allStatements(sql: "SELECT ?; SELECT ?", arguments: arguments)
            #expect { try statements.forEach { _ = try Int.fetchOne($0) } } throws: { ResultCode.SQLITE_MISUSE ~= $0 }
        }
    }

    @Test func aLiteralWithAValueAndAParameter() throws {
        try DatabaseKind.memory.run { db in
            let statements = try db.allStatements(literal: "SELECT \(1); SELECT ?")
            #expect { try statements.forEach { _ = $0 } } throws: { ResultCode.SQLITE_MISUSE ~= $0 }
        }
    }

    // MARK: execute

    @Test(arguments: [
        "", " ", ";", ";;", " \n;\t; ", "\r\n", "\u{C}", "-- comment", "-- comment\\n; -- comment;", "/* ; */;",
    ])
    func executingNothing(_ sql: String) throws {
        try DatabaseKind.memory.run { (db) throws in
            #expect(try db.tracing { try db.execute(sql: sql) } == [])
        }
    }

    @Test(arguments: [
        "INSERT INTO t VALUES (1);INSERT INTO t VALUES (2)",
        ";;\r\n;INSERT INTO t VALUES (1)\u{C};\t;INSERT INTO t VALUES (2)\t;\r\n;",
        "-- one;\nINSERT INTO t VALUES (1); -- two;\n;-- three\nINSERT INTO t VALUES (2); -- four",
    ])
    func everyStatementRunsInOrder(_ sql: String) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            for _ in 1...4 {
                try db.execute(sql: sql)
                #expect(try Int.fetchAll(db, sql: "SELECT a FROM t ORDER BY rowid") == [1, 2])
                try db.execute(sql: "DELETE FROM t")
            }
        }
    }

    @Test func aStatementMayDependOnTheOneBefore() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1); ALTER TABLE t ADD b; UPDATE t SET b = 2")
            #expect(try Row.fetchAll(db, sql: "SELECT * FROM t") == [["a": 1, "b": 2]])
        }
    }

    @Test func rowsAreSteppedOver() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            try db.execute(sql: "INSERT INTO t VALUES (1), (2), (3) RETURNING a")
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 3)
            // The third row of the query fails: it is reached.
            let sql = "SELECT abs(column1) FROM (VALUES (1), (2), (-9223372036854775808))"
            expectError(.SQLITE_ERROR, "integer overflow", sql: sql) { try db.execute(sql: sql) }
            expectError(.SQLITE_ERROR, "integer overflow", sql: sql) { try db.makeStatement(sql: sql).execute() }
        }
    }

    @Test func anErrorKeepsWhatRanBefore() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a UNIQUE)")
            expectError(.SQLITE_CONSTRAINT, "UNIQUE constraint failed: t.a", sql: "INSERT INTO t VALUES (1)") {
                try db.execute(sql: "INSERT INTO t VALUES (1); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)")
            }
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
        }
    }

    @Test(arguments: ["SELECT 1;\0SELECT 2", "SELECT 1\0", "\0"])
    func sqlAfterANULCharacterIsNotForgotten(_ sql: String) throws {
        try DatabaseKind.memory.run { db in
            #expect { try db.execute(sql: sql) } throws: { ResultCode.SQLITE_MISUSE ~= $0 }
        }
    }

    @Test(arguments: ["SELECT 1;\0SELECT 2", "SELECT 1\0"])
    func aStatementBeforeANULCharacterIsNotAlone(_ sql: String) throws {
        try DatabaseKind.memory.run { db in
            let statement = try? db.makeStatement(sql: sql)
            #expect(statement?.sql == nil)
        }
    }

    // MARK: Arguments of execute

    private func people(_ db: Database) throws -> [Row] {
        try Row.fetchAll(db, sql: "SELECT name, age FROM persons ORDER BY rowid")
    }

    private let insertions = """
        INSERT INTO persons (name, age) VALUES ('Arthur', ?);
        INSERT INTO persons (name, age) VALUES ('Barbara', ?);
        """

    private func withPersons(_ test: (Database) throws -> Void) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE persons (name TEXT, age INT)")
            try test(db)
        }
    }

    @Test func positionalArgumentsAreSpread() throws {
        try withPersons { db in
            try db.execute(sql: insertions, arguments: [41, 32])
            #expect(try people(db) == [["name": "Arthur", "age": 41], ["name": "Barbara", "age": 32]])
        }
    }

    @Test func positionalArgumentsFeedNames() throws {
        try withPersons { db in
            try db.execute(
                sql: "INSERT INTO persons VALUES ('Arthur', :age1); INSERT INTO persons VALUES ('Barbara', :age2)",
                arguments: [41, 32])
            #expect(try people(db) == [["name": "Arthur", "age": 41], ["name": "Barbara", "age": 32]])
        }
    }

    @Test func namedArgumentsServeEveryStatement() throws {
        try withPersons { db in
            try db.execute(
                sql: "INSERT INTO persons VALUES (:name, :age); INSERT INTO persons VALUES (:name || '2', :age)",
                arguments: ["name": "Arthur", "age": 41])
            #expect(try people(db) == [["name": "Arthur", "age": 41], ["name": "Arthur2", "age": 41]])
        }
    }

    @Test func tooFewArguments() throws {
        try withPersons { (db) throws in
            let sql = "INSERT INTO persons (name, age) VALUES ('Barbara', ?)"
            let error = expectError(.SQLITE_MISUSE, "wrong number of statement arguments: 0", sql: sql) {
                try db.execute(sql: insertions, arguments: [41])
            }
            #expect(
                error?.description
                    == "SQLite error 21: wrong number of statement arguments: 0 - while executing `\(sql)`")
            #expect(try people(db) == [["name": "Arthur", "age": 41]])
        }
    }

    @Test func tooManyArguments() throws {
        try withPersons { (db) throws in
            let error = expectError(.SQLITE_MISUSE, "wrong number of statement arguments: 3") {
                try db.execute(sql: insertions, arguments: [41, 32, 17])
            }
            #expect(error?.description == "SQLite error 21: wrong number of statement arguments: 3")
            #expect(try people(db).count == 2)
            expectError(.SQLITE_MISUSE, "wrong number of statement arguments: 1") {
                try db.execute(sql: "", arguments: [1])
            }
        }
    }

    @Test func tooManyArgumentsAreTheSameErrorHoweverOftenTheSQLHasRun() throws {
        try withPersons { db in
            let sql = "INSERT INTO persons VALUES ('Arthur', ?)"
            for count in 0...5 {
                expectError(.SQLITE_MISUSE, "wrong number of statement arguments: 2") {
                    try db.execute(sql: sql, arguments: [1, 2])
                }
                #expect(try people(db).count == 2 * count + 1)
                try db.execute(sql: sql, arguments: [count])
            }
        }
    }

    @Test func aQuestionMarkInATextIsNoParameter() throws {
        try withPersons { db in
            expectError(.SQLITE_MISUSE, "wrong number of statement arguments: 1") {
                try db.execute(sql: "SELECT * FROM persons WHERE name LIKE '%?%'", arguments: ["A"])
            }
        }
    }

    // MARK: Counters

    @Test func counters() throws {
        try DatabaseKind.memory.run { db in
            func counters() -> [Int] { [db.changesCount, db.totalChangesCount, Int(db.lastInsertedRowID)] }
            #expect(counters() == [0, 0, 0])
            try db.execute(sql: "CREATE TABLE persons (name TEXT)")
            try db.execute(sql: "INSERT INTO persons VALUES ('Arthur')")
            #expect(counters() == [1, 1, 1])
            try db.execute(sql: "INSERT INTO persons VALUES ('Barbara')")
            #expect(counters() == [1, 2, 2])
            try db.execute(sql: "DELETE FROM persons")
            #expect(counters() == [2, 4, 2])
        }
    }

    @Test func countersOfAClosedConnection() throws {
        let db = try Database(path: ":memory:", description: "closed", configuration: Configuration())
        db.close()
        #expect(db.changesCount == 0 && db.totalChangesCount == 0 && db.lastInsertedRowID == 0)
        #expect(db.lastErrorCode == .SQLITE_MISUSE)
        #expect(db.lastErrorMessage == nil)
    }
}
