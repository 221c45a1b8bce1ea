import Amalgam
@testable import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

struct StatementTests {
    // MARK: One statement

    @Test(arguments: [
        "SELECT 1", "SELECT 1;", "SELECT 1; ; ;", "  SELECT 1\n", "\r\n\tSELECT 1 ;\r\n\u{C};",
        "SELECT 1; -- one", "SELECT 1; /* one; */ ;", ";SELECT 1", " ; ;\r\n;\u{C}SELECT 1;",
    ])
    func whatIsAroundAStatementIsLeftOut(_ sql: String) throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(sql: sql)
            #expect(statement.sql == "SELECT 1")
            #expect(statement.description == "SELECT 1")
            #expect(try Int.fetchAll(statement) == [1])
        }
    }

    @Test(arguments: ["SELECT 1; SELECT 2", "SELECT 1; SELECT 2;", "SELECT 1;x", "SELECT 1;;-- two\nSELECT 2"])
    func severalStatementsAreRefused(_ sql: String) throws {
        try DatabaseKind.memory.run { db in
            let error = expectError(
                .SQLITE_MISUSE,
                """
                Multiple statements found. To execute multiple statements, use Database.execute(sql:) or \
                Database.allStatements(sql:) instead.
                """, sql: sql
            ) { _ = try db.makeStatement(sql: sql) }
            #expect(
                error?.description.hasSuffix(
                    "- while executing `\(sql.hasSuffix(";") ? String(sql.dropLast()) : sql)`") == true)
            #expect(throws: DatabaseError.self) { try db.cachedStatement(sql: sql) }
        }
    }

    @Test(arguments: ["", " ", ";", " ;\n; ", "-- nothing", "/* nothing; */", "-- nothing;\n;"])
    func noStatementIsRefused(_ sql: String) throws {
        try DatabaseKind.memory.run { db in
            expectError(.SQLITE_ERROR, "empty statement", sql: sql) { _ = try db.makeStatement(sql: sql) }
        }
    }

    @Test(arguments: ["SELECT * FROM blah", "UPDATE blah SET id = 12", "DELETE FROM blah"])
    func unknownTables(_ sql: String) throws {
        try DatabaseKind.memory.run { db in
            let error = expectError(.SQLITE_ERROR, "no such table: blah", sql: sql) {
                _ = try db.makeStatement(sql: sql)
            }
            #expect(error?.description == "SQLite error 1: no such table: blah - while executing `\(sql)`")
            expectError(.SQLITE_ERROR, "no such table: blah", sql: sql) { _ = try db.cachedStatement(sql: sql) }
        }
    }

    @Test func sqlInAnyScript() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(sql: " SELECT 'été 🎈' AS \"naïveté\" ; ")
            #expect(statement.sql == "SELECT 'été 🎈' AS \"naïveté\"")
            #expect(statement.columnNames == ["naïveté"])
            #expect(try String.fetchOne(statement) == "été 🎈")
        }
    }

    // MARK: The facts of a statement

    @Test(arguments: [
        ("SELECT * FROM player", true), ("BEGIN", true), ("PRAGMA user_version", true),
        ("INSERT INTO team VALUES (9, 'Greens')", false), ("UPDATE team SET name = 'x'", false),
        ("DELETE FROM team", false), ("CREATE TABLE t (a)", false),
        ("INSERT INTO team VALUES (9, 'x') RETURNING id", false),
    ])
    func readonlyStatements(_ sql: String, _ isReadonly: Bool) throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            #expect(try db.makeStatement(sql: sql).isReadonly == isReadonly)
        }
    }

    @Test func columns() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            let statement = try db.makeStatement(sql: "SELECT *, 1 AS one, name AS NAME FROM player")
            #expect(statement.columnCount == 6)
            #expect(statement.columnNames == ["id", "name", "score", "teamId", "one", "NAME"])
            #expect(statement.index(ofColumn: "one") == 4)
            #expect(statement.index(ofColumn: "TEAMID") == 3)
            #expect(statement.index(ofColumn: "Name") == 1)
            #expect(statement.index(ofColumn: "missing") == nil)
            let insert = try db.makeStatement(sql: "INSERT INTO team VALUES (9, 'Greens')")
            #expect(insert.columnCount == 0)
            #expect(insert.columnNames == [])
        }
    }

    @Test func rawHandles() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(sql: "SELECT 1")
            #expect(sqlite3_db_handle(statement.sqliteStatement) == db.sqliteConnection)
            #expect(statements(of: db.sqliteConnection).contains(statement.sqliteStatement))
        }
    }

    @Test func aStatementIsFinalizedWhenItIsReleased() throws {
        try DatabaseKind.memory.run { db in
            let count = statements(of: db.sqliteConnection).count
            var statement: Statement? = try db.makeStatement(sql: "SELECT 1")
            #expect(statement != nil)
            #expect(statements(of: db.sqliteConnection).count == count + 1)
            statement = nil
            #expect(statements(of: db.sqliteConnection).count == count)
        }
    }

    // MARK: Literals

    @Test func interpolatedValuesAreTheArguments() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(literal: "SELECT \(1), \("O'Brien"), \(nil as Int?)")
            #expect(statement.sql == "SELECT ?, ?, NULL")
            #expect(statement.arguments == [1, "O'Brien"])
            let row = try #require(try Row.fetchOne(statement))
            #expect(Array(row.databaseValues) == [1.databaseValue, "O'Brien".databaseValue, .null])
            #expect(try Int.fetchOne(statement, arguments: [2, "x"]) == 2)
        }
    }

    @Test func argumentsMayCompleteALiteralWithoutValues() throws {
        try DatabaseKind.memory.run { db in
            let positional = try db.makeStatement(literal: "SELECT ?")
            #expect(try Int.fetchOne(positional, arguments: [1]) == 1)
            let named = try db.cachedStatement(literal: "SELECT :a")
            #expect(try Int.fetchOne(named, arguments: ["a": 2]) == 2)
        }
    }

    @Test func aLiteralHasAllOfItsArgumentsOrNone() throws {
        try DatabaseKind.memory.run { db in
            expectError(.SQLITE_MISUSE, "wrong number of statement arguments: 1", sql: "SELECT ?, ?") {
                _ = try db.makeStatement(literal: "SELECT \(1), ?")
            }
        }
    }

    // MARK: Arguments

    @Test(arguments: DatabaseKind.allCases)
    func aStatementServesManyArguments(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            let insert = try db.makeStatement(sql: "INSERT INTO team (id, name) VALUES (?, ?)")
            for (id, name) in [(3, "Greens"), (4, "Greys")] { try insert.execute(arguments: [id, name]) }
            insert.arguments = [5, "Golds"]
            try insert.execute()
            let named = try db.makeStatement(sql: "INSERT INTO team (id, name) VALUES (:id, :name)")
            try named.execute(arguments: ["id": 6, "name": "Pinks"])
            try named.setArguments(["name": "Violets", "id": 7])
            try named.execute()
            let query = try db.makeStatement(sql: "SELECT name FROM team WHERE id = ?")
            let names = try (3...7).map { try String.fetchOne(query, arguments: [$0]) }
            #expect(names == ["Greens", "Greys", "Golds", "Pinks", "Violets"])
        }
    }

    @Test(arguments: ["?, ?", "?1, ?2", ":a, :b", "@a, @b", "$a, $b", ":a, ?"])
    func positionalArgumentsFeedAllParameters(_ parameters: String) throws {
        try DatabaseKind.memory.run { db in
            let row = try Row.fetchOne(db, sql: "SELECT \(parameters)", arguments: [1, 2])
            #expect(row.map { Array($0.databaseValues) } == [1.databaseValue, 2.databaseValue])
        }
    }

    @Test(arguments: [":a, :b, :a", "@a, @b, @a", "$a, $b, $a"])
    func namesHaveNoSigil(_ parameters: String) throws {
        try DatabaseKind.memory.run { db in
            let row = try Row.fetchOne(db, sql: "SELECT \(parameters)", arguments: ["a": 1, "b": nil])
            #expect(row.map { Array($0.databaseValues) } == [1.databaseValue, .null, 1.databaseValue])
        }
    }

    @Test func numberedParametersMayComeInAnyOrder() throws {
        try DatabaseKind.memory.run { db in
            let row = try Row.fetchOne(db, sql: "SELECT ?2, ?1, ?2", arguments: ["a", "b"])
            #expect(row.map { Array($0.databaseValues) } == ["b", "a", "b"].map(\.databaseValue))
        }
    }

    @Test func namedAndPositionalArguments() throws {
        try DatabaseKind.memory.run { db in
            let arguments: StatementArguments = ["name": "Anna"] + [41, 42]
            let row = try Row.fetchOne(db, sql: "SELECT ?, :name, ?", arguments: arguments)
            #expect(row.map { Array($0.databaseValues) } == [41.databaseValue, "Anna".databaseValue, 42.databaseValue])
        }
    }

    @Test(
        arguments: [
            ("SELECT ?", [], "wrong number of statement arguments: 0"),
            ("SELECT ?, ?", [1], "wrong number of statement arguments: 1"),
            ("SELECT ?", [1, 2], "wrong number of statement arguments: 2"),
            ("SELECT '?'", [1], "wrong number of statement arguments: 1"),
            ("SELECT :name", ["age": 1], "missing statement argument: name"),
        ] as [(String, StatementArguments, String)])
    func argumentsThatDoNotFit(_ sql: String, _ arguments: StatementArguments, _ message: String) throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(sql: sql)
            expectError(.SQLITE_MISUSE, message, sql: sql) { try statement.validateArguments(arguments) }
            expectError(.SQLITE_MISUSE, message, sql: sql) { try statement.setArguments(arguments) }
            expectError(.SQLITE_MISUSE, message, sql: sql) { try statement.execute(arguments: arguments) }
            expectError(.SQLITE_MISUSE, message, sql: sql) { _ = try Row.fetchAll(statement, arguments: arguments) }
            expectError(.SQLITE_MISUSE, message, sql: sql) { _ = try Int.fetchCursor(statement, arguments: arguments) }
            #expect(statement.arguments.isEmpty)
        }
    }

    @Test func refusedArgumentsLeaveThePreviousOnes() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(sql: "SELECT ?")
            try statement.setArguments([1])
            #expect(throws: DatabaseError.self) { try statement.setArguments([2, 3]) }
            #expect(statement.arguments == [1])
            #expect(try Int.fetchOne(statement) == 1)
        }
    }

    @Test func uncheckedArguments() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(sql: "SELECT ?, :b")
            statement.setUncheckedArguments([1])
            #expect(try Row.fetchOne(statement).map { Array($0.databaseValues) } == [1.databaseValue, .null])
            statement.setUncheckedArguments([1, 2, 3])
            #expect(try Row.fetchOne(statement).map { Array($0.databaseValues) } == [1.databaseValue, 2.databaseValue])
            statement.setUncheckedArguments(["b": 4])
            #expect(try Row.fetchOne(statement).map { Array($0.databaseValues) } == [.null, 4.databaseValue])
        }
    }

    @Test func wrongArgumentsOfTheSetterTrap() async {
        expectText(
            "SQLite error 21: wrong number of statement arguments: 2 - while executing `SELECT ?`",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try DatabaseQueue().inDatabase { db in
                    try db.makeStatement(sql: "SELECT ?").arguments = [1, 2]
                }
            })
    }

    // MARK: Lifetime of bound arguments

    static let textsAndBlobs = [
        "text".databaseValue, "".databaseValue, Data([1, 2]).databaseValue, Data().databaseValue,
    ]

    /// Runs the statement with its arguments in SQLite.
    private func stepRaw(_ statement: Statement) {
        #expect(sqlite3_step(statement.sqliteStatement) == SQLITE_DONE)
        sqlite3_reset(statement.sqliteStatement)
    }

    /// Strings and blobs of one execution are released. Numbers need no memory, and may stay bound.
    @Test(arguments: textsAndBlobs)
    func textsAndBlobsOfOneExecutionAreForgotten(_ value: DatabaseValue) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
            try statement.execute(arguments: [value])
            stepRaw(statement)
            #expect(statement.arguments == [value])
            try statement.execute()
            stepRaw(statement)
            #expect(try DatabaseValue.fetchAll(db, sql: "SELECT a FROM t") == [value, .null, value, value])
        }
    }

    @Test(arguments: textsAndBlobs + [1.databaseValue, 1.5.databaseValue])
    func argumentsThatAreSetStay(_ value: DatabaseValue) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
            try statement.setArguments([value])
            try statement.execute()
            stepRaw(statement)
            #expect(try DatabaseValue.fetchAll(db, sql: "SELECT a FROM t") == [value, value])
        }
    }

    @Test(arguments: [(20, true), (21, false)])
    func manyArgumentsStay(_ count: Int, _ areForgotten: Bool) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            let sql = "INSERT INTO t VALUES (coalesce(\(databaseQuestionMarks(count: count))))"
            let statement = try db.makeStatement(sql: sql)
            let nulls: [String?] = Array(repeating: nil, count: count - 1)
            try statement.execute(arguments: ["text"] + StatementArguments(nulls))
            stepRaw(statement)
            #expect(try String?.fetchAll(db, sql: "SELECT a FROM t") == ["text", areForgotten ? nil : "text"])
        }
    }

    @Test func questionMarks() {
        #expect(databaseQuestionMarks(count: 0) == "")
        #expect(databaseQuestionMarks(count: 1) == "?")
        #expect(databaseQuestionMarks(count: 3) == "?,?,?")
    }

    @Test func theLimitOfArguments() throws {
        try DatabaseKind.memory.run { (db) throws in
            let limit = db.maximumStatementArgumentCount
            #expect(limit >= 999)
            let sql = "SELECT 1 IN (\(databaseQuestionMarks(count: limit)))"
            #expect(try Bool.fetchOne(db, sql: sql, arguments: StatementArguments(1...limit)) == true)
            #expect(throws: DatabaseError.self) { try db.makeStatement(sql: "SELECT ?\(limit + 1)") }
        }
    }

    // MARK: Failures and misuse

    @Test(arguments: DatabaseKind.allCases)
    func aStatementThatFailedIsUsableAgain(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            for insert in [
                try db.makeStatement(sql: "INSERT INTO team VALUES (?, ?)"),
                try db.cachedStatement(sql: "INSERT INTO team VALUES (?, ?)"),
            ] {
                expectError(.SQLITE_CONSTRAINT, "UNIQUE constraint failed: team.id", sql: insert.sql) {
                    try insert.execute(arguments: [1, "Greens"])
                }
                try insert.execute(arguments: [3, "Greens"])
                try db.execute(sql: "DELETE FROM team WHERE id = 3")
            }
            let query = try db.cachedStatement(sql: "SELECT abs(?)")
            expectError(.SQLITE_ERROR, "integer overflow", sql: "SELECT abs(?)") {
                _ = try Int.fetchOne(query, arguments: [Int64.min])
            }
            #expect(try Int.fetchOne(query, arguments: [-1]) == 1)
            let sameQuery = try db.cachedStatement(sql: "SELECT abs(?)")
            #expect(sameQuery === query)
        }
    }

    @Test func aStatementOfAClosedConnection() throws {
        let db = try Database(path: ":memory:", description: "closed", configuration: Configuration())
        let statement = try db.makeStatement(sql: "SELECT ?")
        db.close()
        expectError(.SQLITE_MISUSE, "Connection is closed") { try statement.execute(arguments: [1]) }
        expectError(.SQLITE_MISUSE, "Connection is closed") { try statement.setArguments([1]) }
        expectError(.SQLITE_MISUSE, "Connection is closed") { _ = try Int.fetchOne(statement, arguments: [1]) }
        expectError(.SQLITE_MISUSE, "Connection is closed") { _ = try Row.fetchCursor(statement, arguments: [1]) }
        expectError(.SQLITE_MISUSE, "Connection is closed") { _ = try db.makeStatement(sql: "SELECT 1") }
        expectError(.SQLITE_MISUSE, "Connection is closed") { _ = try db.cachedStatement(sql: "SELECT 1") }
        expectError(.SQLITE_MISUSE, "Connection is closed") { try db.execute(sql: "SELECT 1") }
        expectError(.SQLITE_MISUSE, "Connection is closed") { _ = try db.allStatements(sql: "SELECT 1") }
    }

    @Test func aConnectionOutsideOfItsAccess() throws {
        let message = "Database was not used on the correct thread. Use it inside the closure that receives it, only."
        let dbQueue = try DatabaseQueue()
        nonisolated(unsafe) var leaked: (Database, Statement)?
        try dbQueue.inDatabase { db in leaked = (db, try db.makeStatement(sql: "SELECT 1")) }
        let (db, statement) = try #require(leaked)
        expectError(.SQLITE_MISUSE, message, sql: "SELECT 2") { try db.execute(sql: "SELECT 2") }
        expectError(.SQLITE_MISUSE, message, sql: "SELECT 2") { _ = try db.makeStatement(sql: "SELECT 2") }
        expectError(.SQLITE_MISUSE, message, sql: "SELECT 2") { _ = try db.cachedStatement(sql: "SELECT 2") }
        expectError(.SQLITE_MISUSE, message, sql: "SELECT 2") { _ = try db.allStatements(sql: "SELECT 2") }
        expectError(.SQLITE_MISUSE, message, sql: "SELECT 2") { _ = try Int.fetchOne(db, sql: "SELECT 2") }
        expectError(.SQLITE_MISUSE, message, sql: "SELECT 1") { try statement.execute() }
        expectError(.SQLITE_MISUSE, message, sql: "SELECT 1") { _ = try Int.fetchOne(statement) }
        #expect(try dbQueue.inDatabase { _ in try Int.fetchOne(statement) } == 1)
    }

    @Test func releasingAStatementInAnotherAccess() throws {
        let dbQueue = try DatabaseQueue()
        nonisolated(unsafe) var statement: Statement?
        try dbQueue.inDatabase { statement = try $0.makeStatement(sql: "SELECT ?") }
        try dbQueue.inDatabase { (_) throws in
            #expect(try Int.fetchOne(statement!, arguments: [1]) == 1)
            statement = nil
        }
        try dbQueue.close()
    }

    // MARK: Changes of the schema

    @Test func preparedStatementsFollowTheSchema() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2)")
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            #expect(statement.columnNames == ["a", "b"])
            #expect(try Row.fetchAll(statement) == [["a": 1, "b": 2]])
            try db.execute(sql: "ALTER TABLE t ADD COLUMN c DEFAULT 3")
            #expect(try Row.fetchAll(statement) == [["a": 1, "b": 2, "c": 3]])
            #expect(statement.columnNames == ["a", "b", "c"])
            try db.execute(sql: "ALTER TABLE t RENAME COLUMN a TO z")
            #expect(try Row.fetchOne(statement) == ["z": 1, "b": 2, "c": 3])
            try db.execute(sql: "ALTER TABLE t DROP COLUMN b; ALTER TABLE t DROP COLUMN c")
            let rows = try Row.fetchCursor(statement)
            #expect(try rows.next() == ["z": 1])
            #expect(try rows.next() == nil)
            #expect(statement.columnNames == ["z"])
        }
    }

    @Test func theColumnsOfAStatementThatChangesUnderAnotherConnection() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("t.sqlite").path
            let first = try DatabaseQueue(path: path)
            let second = try DatabaseQueue(path: path)
            try first.inDatabase { db in
                try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
                let statement = try db.makeStatement(sql: "SELECT * FROM t")
                #expect(try Row.fetchOne(statement) == ["a": 1])
                try second.inDatabase { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b DEFAULT 2") }
                #expect(try Row.fetchOne(statement) == ["a": 1, "b": 2])
            }
        }
    }

    @Test func aDroppedTableIsAnErrorAtTheFirstRow() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            let statement = try db.cachedStatement(sql: "SELECT * FROM t")
            #expect(try Row.fetchAll(statement) == [])
            try db.execute(sql: "DROP TABLE t")
            expectError(.SQLITE_ERROR, "no such table: t", sql: "SELECT * FROM t") {
                _ = try Row.fetchAll(statement)
            }
            try db.execute(sql: "CREATE TABLE t (b)")
            #expect(try Row.fetchAll(statement) == [])
            #expect(statement.columnNames == ["b"])
        }
    }
}
