import Amalgam
import Foundation
import TestSupport
import Testing

struct DatabaseErrorTests {
    // MARK: Strings

    @Test func withoutSQL() {
        let error = DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "no more players")
        #expect(error.description == "SQLite error 19: no more players")
    }

    @Test func theNumberIsThePrimaryCode() {
        let error = DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: "no such team")
        #expect(error.description == "SQLite error 19: no such team")
        #expect(error.resultCode == .SQLITE_CONSTRAINT)
        #expect(error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    }

    @Test func theSQLIsTrimmed() {
        let error = DatabaseError(message: "no", sql: "\n  SELECT 1 ; ;\r\n")
        #expect(error.description == "SQLite error 1: no - while executing `SELECT 1`")
        #expect(error.sql == "\n  SELECT 1 ; ;\r\n")
    }

    @Test func longTextsAreShortenedInTheMiddle() {
        let sql = "SELECT " + String(repeating: "?,", count: 60_000) + "'end'"
        let arguments = StatementArguments(Array(repeating: "é", count: 60_000))
        let error = DatabaseError(message: "no", sql: sql, arguments: arguments)
        #expect(error.description.hasPrefix("SQLite error 1: no - while executing `SELECT ?,?,"))
        #expect(error.description.contains("?,? … 116212 characters … ,?,?"))
        #expect(error.description.hasSuffix("?,'end'`"))
        #expect(error.description.count < 5000)
        #expect(error.expandedDescription.count < 10_000)
        #expect(error.sql == sql)
        #expect(error.arguments == arguments)
    }

    @Test func argumentsArePrivateByDefault() {
        let error = DatabaseError(message: "no", sql: "SELECT ?", arguments: [1, "Bobby"])
        #expect(error.description == "SQLite error 1: no - while executing `SELECT ?`")
        #expect(
            error.expandedDescription == #"SQLite error 1: no - while executing `SELECT ?` with arguments [1, "Bobby"]"#
        )
    }

    @Test func argumentsAreShownOnDemand() {
        let error = DatabaseError(message: "no", sql: "SELECT ?", arguments: [1], publicStatementArguments: true)
        #expect(error.description == "SQLite error 1: no - while executing `SELECT ?` with arguments [1]")
    }

    @Test func codesHaveMessages() {
        #expect(DatabaseError(message: "no").resultCode == .SQLITE_ERROR)
        #expect(DatabaseError(resultCode: .SQLITE_BUSY).message == "database is locked")
        #expect(DatabaseError(resultCode: ResultCode(rawValue: 123)).message == "unknown error")
    }

    // MARK: Errors of a connection

    @Test(arguments: DatabaseKind.allCases)
    func aForeignKeyFailure(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            let sql = "INSERT INTO player (name, teamId) VALUES (?, ?)"
            let error = expectError(.SQLITE_CONSTRAINT, "FOREIGN KEY constraint failed", sql: sql) {
                try db.execute(sql: sql, arguments: ["Dan", 3])
            }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
            #expect(error?.arguments == ["Dan", 3])
            #expect(error?.description == "SQLite error 19: FOREIGN KEY constraint failed - while executing `\(sql)`")
        }
    }

    @Test func publicStatementArguments() throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = true
        try DatabaseKind.memory.run(configuration) { db in
            try db.createTeams()
            let error = #expect(throws: DatabaseError.self) {
                try db.execute(sql: "INSERT INTO team VALUES (?, ?)", arguments: [1, "Greens"])
            }
            #expect(
                error?.description == """
                    SQLite error 19: UNIQUE constraint failed: team.id - \
                    while executing `INSERT INTO team VALUES (?, ?)` with arguments [1, "Greens"]
                    """)
        }
    }

    @Test func syntaxErrorsShowTheSQLThatWasRefused() throws {
        try DatabaseKind.memory.run { db in
            expectError(.SQLITE_ERROR, #"near "SELEKT": syntax error"#, sql: "SELEKT 2") {
                try db.execute(sql: "SELECT 1; SELEKT 2;")
            }
        }
    }

    @Test func anErrorLeavesTheConnectionUsable() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            for sql in [
                "SELECT * FROM nowhere", "INSERT INTO team VALUES (1, 'Twice')", "SELECT abs(-9223372036854775808)",
            ] {
                #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
                #expect(try db.playerNames == ["Anna", "Bo", "Cleo"])
            }
        }
    }

    @Test(
        arguments: [
            (
                "INSERT INTO team VALUES (1, 'Greens')", ResultCode.SQLITE_CONSTRAINT_PRIMARYKEY,
                "UNIQUE constraint failed: team.id"
            ),
            ("INSERT INTO team VALUES (9, NULL)", .SQLITE_CONSTRAINT_NOTNULL, "NOT NULL constraint failed: team.name"),
            (
                "INSERT INTO player (name, teamId) VALUES ('Dan', 9)", .SQLITE_CONSTRAINT_FOREIGNKEY,
                "FOREIGN KEY constraint failed"
            ),
            ("INSERT INTO team (id, name) VALUES ('x', 'y')", .SQLITE_MISMATCH, "datatype mismatch"),
            ("SELECT abs(-9223372036854775808)", .SQLITE_ERROR, "integer overflow"),
            ("SELECT zeroblob(2000000000)", .SQLITE_TOOBIG, "string or blob too big"),
            ("RELEASE b", .SQLITE_ERROR, "no such savepoint: b"),
            (
                "ALTER TABLE team RENAME TO player", .SQLITE_ERROR,
                "there is already another table or index with this name: player"
            ),
            ("SELECT nickname FROM team", .SQLITE_ERROR, "no such column: nickname"),
            (
                #"SELECT "nickname" FROM team"#, .SQLITE_ERROR,
                #"no such column: "nickname" - should this be a string literal in single-quotes?"#
            ),
            ("SELECT f(1)", .SQLITE_ERROR, "no such function: f"),
            ("SELECT abs()", .SQLITE_ERROR, "wrong number of arguments to function abs()"),
            ("SELECT 'open", .SQLITE_ERROR, #"unrecognized token: "'open""#),
            ("SELECT (", .SQLITE_ERROR, "incomplete input"),
        ] as [(String, ResultCode, String)])
    func errorsLeaveTheConnectionUsable(_ sql: String, _ code: ResultCode, _ message: String) throws {
        try DatabaseKind.file.run { db in
            try db.createTeams()
            func fail() throws {
                let error = expectError(code.primaryResultCode, message, sql: sql) { try db.execute(sql: sql) }
                #expect(error?.extendedResultCode == code)
                #expect(try db.playerNames == ["Anna", "Bo", "Cleo"])
            }
            try fail()
            try fail()
            try db.inTransaction {
                try fail()
                try fail()
                return .commit
            }
            try db.execute(sql: "INSERT INTO team VALUES (10, 'Greens')")
            #expect(try db.makeStatement(sql: "SELECT COUNT(*) FROM team").isReadonly)
        }
    }

    // MARK: Patterns

    @Test func catchingByCode() throws {
        func cause(_ error: any Error) -> String {
            do {
                throw error
            } catch DatabaseError.SQLITE_CONSTRAINT_FOREIGNKEY {
                return "foreign key"
            } catch DatabaseError.SQLITE_CONSTRAINT {
                return "constraint"
            } catch DatabaseError.SQLITE_OK {
                return "ok"
            } catch {
                return "other"
            }
        }
        #expect(cause(DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY)) == "foreign key")
        #expect(cause(DatabaseError(resultCode: .SQLITE_CONSTRAINT_CHECK)) == "constraint")
        #expect(cause(DatabaseError(resultCode: .SQLITE_CONSTRAINT)) == "constraint")
        #expect(cause(DatabaseError(resultCode: .SQLITE_BUSY)) == "other")
    }

    @Test(arguments: [
        (ResultCode.SQLITE_ABORT, true), (.SQLITE_ABORT_ROLLBACK, true), (.SQLITE_INTERRUPT, true),
        (.SQLITE_BUSY, false), (.SQLITE_ERROR, false),
    ])
    func interruptions(_ code: ResultCode, _ isInterruption: Bool) {
        #expect(DatabaseError(resultCode: code).isInterruptionError == isInterruption)
    }

    // MARK: Suggestions

    @Test("the description says what to do about messages that are hard to understand")
    func describedSuggestions() throws {
        let errors = [
            "no such table: amalgam_audit":
                "the connection has no audit log: call audit(_:) of its Configuration before it is opened",
            "no such tokenizer: html":
                "register the tokenizer on each connection: call db.add(tokenizer:) in Configuration.prepareDatabase",
            "unable to use function MATCH in the requested context":
                "only full-text tables have MATCH: join the full-text table by its rowid",
            "malformed JSON":
                "db.validateJSON(_:) throws an error that tells the line and the column of the mistake in a string",
            "could not activate WAL Mode at path: :memory:":
                "a DatabasePool needs a file: use DatabaseQueue() for a database in memory",
        ]
        for (message, suggestion) in errors {
            let error = DatabaseError(message: message, sql: "SELECT 1")
            #expect(error.message == message)
            #expect(error.recoverySuggestion == suggestion)
            #expect(error.description == "SQLite error 1: \(message) - while executing `SELECT 1` - \(suggestion)")
            #expect(error.debugDescription == error.description)
            #expect((error as NSError).localizedRecoverySuggestion == suggestion)
        }
        #expect(DatabaseError(message: "no such table: player").recoverySuggestion == nil)
    }

    @Test("a locked database: the debug description says how to wait")
    func busySuggestion() throws {
        let error = DatabaseError(resultCode: .SQLITE_BUSY, message: "database is locked")
        #expect(error.description == "SQLite error 5: database is locked")
        let suggestion = """
            another connection writes to the database: let this one wait with Configuration.busyMode, such as .timeout(5)
            """
        #expect(error.recoverySuggestion == suggestion)
        #expect(error.debugDescription == "SQLite error 5: database is locked\n\(suggestion)")
    }

    @Test("a wrong number of arguments: the suggestion tells how many parameters there are")
    func argumentSuggestion() throws {
        try withDatabase { (db) throws in
            for (sql, arguments, count) in [
                ("SELECT ?, ?", [1], "2 parameters"), ("SELECT ?", [1, 2, 3], "1 parameter"),
            ] {
                let statement = try db.makeStatement(sql: sql)
                let error = #expect(throws: DatabaseError.self) {
                    try statement.setArguments(StatementArguments(arguments))
                }
                #expect(error?.message == "wrong number of statement arguments: \(arguments.count)")
                #expect(error?.recoverySuggestion == "the statement has \(count)")
                #expect(error?.debugDescription.hasSuffix("\nthe statement has \(count)") == true)
            }
            let error = #expect(throws: DatabaseError.self) {
                try db.execute(sql: "SELECT ?; SELECT ?", arguments: [1])
            }
            #expect(error?.recoverySuggestion == "the statement has 1 parameter")
            let surplus = #expect(throws: DatabaseError.self) {
                try db.execute(sql: "SELECT ?; SELECT ?", arguments: [1, 2, 3])
            }
            #expect(surplus?.recoverySuggestion == nil)
        }
    }

    // MARK: Bridge

    @Test func asAnNSError() {
        let error = DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: "no such team") as NSError
        #expect(error.domain == "GRDB.DatabaseError")
        #expect(error.code == 787)
        #expect(error.localizedDescription == "SQLite error 19: no such team")
        #expect(error.localizedFailureReason == "no such team")
    }
}
