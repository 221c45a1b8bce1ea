import Amalgam
@testable import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// Expects that SQL is denied, and returns the reason.
@discardableResult
func expectDenied(
    _ db: Database, _ sandbox: Sandbox, _ sql: String, sourceLocation: SourceLocation = #_sourceLocation
) throws -> AuthorizerAction? {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) {
        try db.sandboxed(sandbox) { _ = try Row.fetchAll(db, sql: sql) }
    }
    #expect(error?.resultCode == .SQLITE_AUTH, sourceLocation: sourceLocation)
    #expect(error?.deniedAction != nil, sourceLocation: sourceLocation)
    return error?.deniedAction
}

struct SandboxTests {
    private func run(_ kind: DatabaseKind = .memory, _ test: (Database) throws -> Void) throws {
        try kind.run { db in
            try db.createTeams()
            try test(db)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func aSandboxLetsReadSomeTables(_ kind: DatabaseKind) throws {
        try run(kind) { db in
            let names = try db.sandboxed(.readOnly(tables: ["Player"])) {
                try String.fetchAll(db, sql: "SELECT name FROM PLAYER ORDER BY id")
            }
            #expect(names == ["Anna", "Bo", "Cleo"])
            let sql = "SELECT player.name, team.name FROM player JOIN team ON team.id = teamId"
            let error = #expect(throws: DatabaseError.self) {
                try db.sandboxed(.readOnly(tables: ["player"])) { _ = try Row.fetchAll(db, sql: sql) }
            }
            #expect(error?.resultCode == .SQLITE_AUTH)
            #expect(error?.message == "access to team.name is prohibited")
            #expect(error?.sql == sql)
            #expect(error?.deniedAction?.kind == .read)
            #expect(error?.deniedAction?.tableName == "team")
            #expect(error?.deniedAction?.columnName == "name")
            #expect(error?.deniedAction?.schemaName == "main")
            #expect(error?.deniedAction?.description == "READ team.name")
            // The connection is unchanged.
            #expect(try Row.fetchAll(db, sql: sql).count == 3)
            try db.execute(sql: "DELETE FROM player")
        }
    }

    @Test func allTablesOfTheSchema() throws {
        try run { db in
            try db.execute(sql: "CREATE VIEW winner AS SELECT name FROM player WHERE score > 10")
            try db.sandboxed(.readOnly) {
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player, team"), 6)
                try expectEqual(String.fetchAll(db, sql: "SELECT name FROM winner"), ["Bo"])
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_schema"), 3)
            }
        }
    }

    @Test(arguments: [
        "INSERT INTO team VALUES (3, 'x')", "UPDATE team SET name = ''", "DELETE FROM team", "CREATE TABLE t (a)",
        "DROP TABLE team", "ALTER TABLE team ADD COLUMN x", "CREATE INDEX i ON team(name)", "CREATE TEMP TABLE t (a)",
        "CREATE VIEW v AS SELECT 1", "CREATE TRIGGER tr AFTER DELETE ON team BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE d USING fts5(x)", "PRAGMA user_version = 3", "PRAGMA journal_mode", "ANALYZE",
        "BEGIN", "COMMIT", "SAVEPOINT x", "ATTACH ':memory:' AS other", "VACUUM INTO '/tmp/copy.sqlite'",
        "SELECT load_extension('x')", "SELECT * FROM pragma_table_info('team')", "SELECT * FROM sqlite_dbpage",
        "SELECT * FROM dbstat", "SELECT COUNT(*) FROM sqlite_stmt", "SELECT * FROM bytecode('SELECT 1')",
        "SELECT COUNT(*) FROM pragma_database_list",
        "WITH t AS (SELECT 1) INSERT INTO team SELECT 3, 'x' FROM t", "REPLACE INTO team VALUES (1, 'x')",
        "SELECT * FROM json_each('[1]'), bytecode('SELECT 1')",
    ])
    func neverAllowed(_ sql: String) throws {
        try run { db in
            try expectDenied(db, .readOnly, sql)
            #expect(try String.fetchAll(db, sql: "SELECT name FROM team ORDER BY id") == ["Reds", "Blues"])
            #expect(!db.isInsideTransaction)
        }
    }

    @Test("EXPLAIN, which shows addresses in memory, is denied, and EXPLAIN QUERY PLAN isn't")
    func explanations() throws {
        try run { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(body)")
            for sql in ["EXPLAIN SELECT * FROM document", "explain SELECT 1"] {
                let action = try expectDenied(db, .readOnly, sql)
                #expect(action?.description == "SELECT EXPLAIN")
            }
            try db.sandboxed(.readOnly) {
                let plan = try String.fetchOne(
                    db, sql: "EXPLAIN QUERY PLAN SELECT * FROM document", adapter: SuffixRowAdapter(fromIndex: 3))
                #expect(plan?.hasPrefix("SCAN document") == true)
            }
        }
    }

    @Test func deniedActionsHaveNames() throws {
        try run { db in
            try expectEqual(expectDenied(db, .readOnly, "PRAGMA user_version = 3")?.pragmaName, "user_version")
            try expectEqual(expectDenied(db, .readOnly, "PRAGMA user_version = 3")?.pragmaArgument, "3")
            try expectEqual(expectDenied(db, .readOnly, "SELECT load_extension('x')")?.functionName, "load_extension")
            try expectEqual(expectDenied(db, .readOnly, "ATTACH 'x' AS y")?.fileName, "x")
            try expectEqual(expectDenied(db, .readOnly, "DELETE FROM team")?.description, "DELETE team")
            try expectEqual(expectDenied(db, .readOnly, "BEGIN")?.kind, .transaction)
            try expectEqual(expectDenied(db, .readOnly, "DROP TABLE team") != nil, true)
            try db.execute(sql: "CREATE INDEX team_on_name ON team(name)")
            #expect(try expectDenied(db, .readOnly, "REINDEX")?.kind == .reindex)
            expectError(
                .SQLITE_AUTH, "not authorized to use function: load_extension", sql: "SELECT load_extension('x')"
            ) {
                try db.sandboxed(.readOnly) { try db.execute(sql: "SELECT load_extension('x')") }
            }
            expectError(.SQLITE_AUTH, "not authorized: PRAGMA user_version.3", sql: "PRAGMA user_version = 3") {
                try db.sandboxed(.readOnly) { try db.execute(sql: "PRAGMA user_version = 3") }
            }
        }
    }

    // MARK: Columns

    @Test func hiddenColumnsReadAsNull() throws {
        try run { db in
            var sandbox = Sandbox.readOnly(tables: ["player"])
            sandbox.hideColumns(["Score"], of: "Player")
            try db.sandboxed(sandbox) {
                try expectEqual(Int?.fetchAll(db, sql: "SELECT score FROM player"), [nil, nil, nil])
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player WHERE score > 0"), 0)
                try expectEqual(Row.fetchOne(db, sql: "SELECT * FROM player")?["name"], "Anna")
            }
            #expect(try Int?.fetchAll(db, sql: "SELECT score FROM player ORDER BY id") == [10, 20, nil])
        }
    }

    @Test func deniedColumns() throws {
        try run { db in
            var sandbox = Sandbox.readOnly
            sandbox.denyColumns(["score"], of: "player")
            let denied = try expectDenied(db, sandbox, "SELECT * FROM player")
            #expect(denied?.columnName == "score")
            try db.sandboxed(sandbox) { try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player"), 3) }
        }
    }

    @Test func hiddenColumnsStayHiddenBehindViews() throws {
        try run { db in
            try db.execute(sql: "CREATE VIEW scores AS SELECT score FROM player")
            var sandbox = Sandbox.readOnly
            sandbox.hideColumns(["score"], of: "player")
            try db.sandboxed(sandbox) {
                try expectEqual(Int?.fetchAll(db, sql: "SELECT score FROM scores"), [nil, nil, nil])
            }
        }
    }

    // MARK: Views and triggers

    @Test func aViewShowsWhatItShows() throws {
        try run { db in
            try db.execute(
                sql: """
                    CREATE VIEW card AS SELECT name, upper(name) AS loud FROM player;
                    CREATE VIEW deck AS SELECT * FROM card;
                    """)
            let sandbox = Sandbox.readOnly(tables: ["card"])
            try db.sandboxed(sandbox) {
                try expectEqual(String.fetchAll(db, sql: "SELECT loud FROM card ORDER BY 1"), ["ANNA", "BO", "CLEO"])
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(name) FROM card"), 3)
                try expectEqual(
                    Int.fetchOne(db, sql: "SELECT COUNT(a.name || b.name) FROM card AS a, (SELECT * FROM card) AS b"), 9
                )
            }
            // SQLite doesn't report the view here.
            try expectDenied(db, sandbox, "SELECT COUNT(*) FROM card")
            try expectDenied(db, sandbox, "SELECT name FROM player")
            try expectDenied(db, sandbox, "SELECT player.name FROM card, player")
            try expectDenied(db, sandbox, "SELECT (SELECT score FROM player) FROM card")
            try expectDenied(db, sandbox, "SELECT * FROM (SELECT name FROM player) AS card")
            try expectDenied(db, sandbox, "SELECT name FROM deck")
        }
    }

    /// SQLite reports the name of a common table expression in the same argument as that of a view.
    @Test(arguments: [
        "WITH card AS (SELECT score FROM player) SELECT * FROM card",
        "WITH card AS MATERIALIZED (SELECT score FROM player) SELECT * FROM card",
        "WITH card(x) AS (SELECT score FROM player UNION ALL SELECT 1) SELECT x FROM card",
        "SELECT * FROM (WITH card AS (SELECT score FROM player) SELECT * FROM card)",
        "WITH card AS (SELECT COUNT(*) AS n FROM player) SELECT n FROM card",
        "WITH card AS (SELECT load_extension('x') AS n) SELECT n FROM card",
        "WITH /**/ recursive card(n) AS (SELECT score FROM player) SELECT n FROM card",
        "WITH score_changed AS (SELECT score FROM player) SELECT * FROM score_changed",
    ])
    func aCommonTableExpressionIsNoView(_ sql: String) throws {
        try run { db in
            try db.execute(
                sql: """
                    CREATE VIEW card AS SELECT name FROM player;
                    CREATE TRIGGER score_changed AFTER UPDATE ON player BEGIN SELECT 1; END;
                    """)
            try expectDenied(db, .readOnly(tables: ["card"]), sql)
        }
    }

    @Test func commonTableExpressionsWork() throws {
        try run { db in
            let sandbox = Sandbox.readOnly(tables: ["player"])
            try db.sandboxed(sandbox) {
                let sql = "WITH x AS (SELECT name FROM player) SELECT COUNT(*) FROM x"
                try expectEqual(Int.fetchOne(db, sql: sql), 3)
                let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3) SELECT i FROM n"
                try expectEqual(Int.fetchAll(db, sql: numbers), [1, 2, 3])
            }
            var strict = sandbox
            strict.allowsRecursiveQueries = false
            let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
            #expect(try expectDenied(db, strict, numbers)?.kind == .recursive)
        }
    }

    @Test func writingSomeTables() throws {
        try run { db in
            try db.execute(
                sql: """
                    CREATE TABLE log (name, score);
                    CREATE TRIGGER logged AFTER UPDATE ON player BEGIN
                        INSERT INTO log VALUES (NEW.name, NEW.score);
                    END;
                    """)
            var sandbox = Sandbox.readWrite(tables: ["player"])
            // The foreign key of a player is checked.
            sandbox.readableTables = ["team"]
            sandbox.hideColumns(["score"], of: "player")
            try db.sandboxed(sandbox) {
                try db.execute(sql: "UPDATE player SET name = 'Ada' WHERE id = 1")
                try db.execute(sql: "INSERT INTO player (name) VALUES ('Dan')")
                try db.execute(sql: "DELETE FROM player WHERE name = 'Bo'")
                #expect(try Int.fetchOne(db, sql: "SELECT score FROM player WHERE id = 1") == nil)
            }
            // Only the trigger has read the hidden value.
            #expect(try Row.fetchOne(db, sql: "SELECT * FROM log") == ["name": "Ada", "score": 10])
            #expect(try db.playerNames == ["Ada", "Cleo", "Dan"])
            try expectDenied(db, sandbox, "SELECT * FROM log")
            try expectDenied(db, sandbox, "INSERT INTO log VALUES (1, 2)")
            try expectDenied(db, sandbox, "UPDATE player SET score = 1")
            try expectDenied(db, .readWrite(tables: ["player"]), "INSERT INTO player (name) VALUES ('Eve')")
            // A trigger must never store NULL instead of a hidden value.
            try expectDenied(db, sandbox, "WITH x AS (SELECT 1) UPDATE player SET name = 'Eve' WHERE id = 1")
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM log") == 1)
        }
    }

    // MARK: Functions and pragmas

    @Test func functionsOfTheApp() throws {
        try run { db in
            sqlite3_create_function_v2(
                db.sqliteConnection, "launch", 0, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_int(context, 1) },
                nil,
                nil, nil)
            sqlite3_create_function_v2(
                db.sqliteConnection, "harmless", 0, SQLITE_UTF8 | SQLITE_INNOCUOUS, nil,
                { context, _, _ in sqlite3_result_int(context, 2) }, nil, nil, nil)
            sqlite3_create_function_v2(
                db.sqliteConnection, "upper", 2, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_int(context, 3) },
                nil, nil, nil)
            #expect(try expectDenied(db, .readOnly, "SELECT launch()")?.functionName == "launch")
            try expectDenied(db, .readOnly, "SELECT upper('a', 'b')")
            var sandbox = Sandbox.readOnly
            sandbox.functions = ["Launch"]
            try db.sandboxed(sandbox) {
                try expectEqual(Int.fetchOne(db, sql: "SELECT launch() + harmless() + abs(-1)"), 4)
                try expectEqual(String.fetchOne(db, sql: "SELECT lower('A') || json('[1]') || round(1.5)"), "a[1]2.0")
            }
        }
    }

    @Test func fullTextSearch() throws {
        try run { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE doc USING fts5(body);
                    INSERT INTO doc VALUES ('red team'), ('blue team');
                    CREATE VIRTUAL TABLE old USING fts4(body);
                    INSERT INTO old VALUES ('red team');
                    """)
            try db.sandboxed(.readOnly(tables: ["doc", "old"])) {
                let sql = "SELECT highlight(doc, 0, '<', '>') FROM doc WHERE doc MATCH 'red' ORDER BY rank, bm25(doc)"
                try expectEqual(String.fetchAll(db, sql: sql), ["<red> team"])
                try expectEqual(
                    String.fetchAll(db, sql: "SELECT snippet(old) FROM old WHERE old MATCH 'red'"), ["<b>red</b> team"])
            }
            try expectDenied(db, .readOnly(tables: ["doc", "old"]), "SELECT optimize(old) FROM old")
            try expectDenied(db, .readOnly(tables: ["doc", "old"]), "SELECT * FROM doc_content")
        }
    }

    @Test func tableFunctionsThatShowTheirArguments() throws {
        try run { db in
            try db.sandboxed(.readOnly(tables: [])) {
                try expectEqual(Int.fetchAll(db, sql: "SELECT value FROM json_each('[1,2]')"), [1, 2])
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM json_each('[1,2]')"), 2)
                try expectEqual(Int.fetchAll(db, sql: "SELECT value FROM carray(?)", arguments: [SQLArray([7])]), [7])
            }
            var sandbox = Sandbox.readOnly(tables: ["pragma_table_info"])
            try db.sandboxed(sandbox) {
                try expectEqual(String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('team')"), ["id", "name"])
            }
            sandbox.pragmas = ["User_Version"]
            try db.sandboxed(sandbox) { try expectEqual(Int.fetchOne(db, sql: "PRAGMA user_version"), 0) }
        }
    }

    @Test func otherSchemas() throws {
        try run { db in
            try db.execute(sql: "CREATE TEMP TABLE draft (a); ATTACH ':memory:' AS other; CREATE TABLE other.t (a)")
            try db.sandboxed(.readOnly(tables: ["temp.draft", "other.t"])) {
                try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM draft UNION SELECT a FROM other.t"), [])
            }
            try expectDenied(db, .readOnly(tables: ["draft"]), "SELECT a FROM draft")
            try expectDenied(db, .readOnly(tables: ["t"]), "SELECT a FROM other.t")
        }
    }

    // MARK: Limits

    private static let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n"

    private func limited(_ change: (inout Sandbox) -> Void) -> Sandbox {
        var sandbox = Sandbox.readOnly
        change(&sandbox)
        return sandbox
    }

    @Test func limitsHold() throws {
        let impatient = limited { $0.limits = .instructions(100_000) }
        let small = limited { $0.connectionLimits[.length] = 1000 }
        try run { db in
            let error = expectCode(.SQLITE_INTERRUPT) {
                try db.sandboxed(impatient) { try Row.fetchAll(db, sql: Self.endless) }
            }
            #expect(error?.exceededLimit == .instructions)
            expectError(.SQLITE_TOOBIG, "string or blob too big", sql: "SELECT zeroblob(2000)") {
                _ = try db.sandboxed(small) { try Row.fetchAll(db, sql: "SELECT zeroblob(2000)") }
            }
            try expectEqual(db.limit(.length), 1_000_000_000)
            try expectEqual(Data.fetchOne(db, sql: "SELECT zeroblob(2000)")?.count, 2000)
        }
    }

    @Test func rowsAreCounted() throws {
        let sandbox = limited { $0.maximumRowCount = 5 }
        try run { db in
            let error = expectError(
                .SQLITE_INTERRUPT, "interrupted: the limit of 5 rows is exceeded",
                sql: "SELECT name FROM player ORDER BY id"
            ) {
                try db.sandboxed(sandbox) {
                    try expectEqual(db.playerNames.count, 3)
                    _ = try db.playerNames
                }
            }
            #expect(error?.exceededLimit == .rows)
            let first = try db.sandboxed(sandbox) {
                try String.fetchOne(db, sql: "SELECT a.name FROM player a, player b")
            }
            #expect(first == "Anna")
        }
    }

    // MARK: Names

    @Test func equivalentNamesAreDifferentNames() throws {
        // The letter é as one scalar, and as two. For Swift, both strings are equal.
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        try run { db in
            for name in [composed, decomposed] {
                try db.execute(sql: "CREATE TABLE \"\(name)\" (\"\(composed)\", \"\(decomposed)\")")
                try db.execute(sql: "INSERT INTO \"\(name)\" VALUES (1, 2)")
            }
            var sandbox = Sandbox.readOnly(tables: [composed])
            try expectDenied(db, sandbox, "SELECT * FROM \"\(decomposed)\"")
            try expectDenied(db, .readWrite(tables: [composed]), "DELETE FROM \"\(decomposed)\"")
            func numbers() throws -> [Int?] {
                try db.sandboxed(sandbox) {
                    let row = try Row.fetchOne(db, sql: "SELECT * FROM \"\(composed)\"")!
                    return [row[0], row[1]]
                }
            }
            #expect(try numbers() == [1, 2])
            sandbox.hideColumns([decomposed], of: composed)
            #expect(try numbers() == [1, nil])
            sandbox.hideColumns([composed], of: composed)
            #expect(try numbers() == [nil, nil])
        }
    }

    @Test("two equivalent names in an array protect two columns", arguments: [false, true])
    func equivalentNamesInArrays(isDenied: Bool) throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        try run { db in
            try db.execute(
                sql: "CREATE TABLE word (\"\(composed)\", \"\(decomposed)\", a); INSERT INTO word VALUES (1, 2, 3)")
            var sandbox = Sandbox.readOnly
            if isDenied {
                sandbox.denyColumns([composed, decomposed], of: "word")
                for name in [composed, decomposed] { try expectDenied(db, sandbox, "SELECT \"\(name)\" FROM word") }
            } else {
                sandbox.hideColumns([composed, decomposed], of: "word")
                let row = try db.sandboxed(sandbox) { try Row.fetchOne(db, sql: "SELECT * FROM word") }
                expectEqual(row.map { Array($0.databaseValues) }, [.null, .null, 3.databaseValue])
            }
        }
    }

    @Test("a name with a period permits no table of the main database")
    func namesWithPeriods() throws {
        try run { db in
            try db.execute(
                sql: """
                    CREATE TEMP TABLE draft (a); INSERT INTO draft VALUES (1);
                    CREATE TABLE main."temp.draft" (a); INSERT INTO main."temp.draft" VALUES (2);
                    CREATE VIEW main."temp.card" AS SELECT a FROM "temp.draft";
                    """)
            let sandbox = Sandbox.readOnly(tables: ["temp.draft", "temp.card"])
            expectEqual(try db.sandboxed(sandbox) { try Int.fetchAll(db, sql: "SELECT a FROM draft") }, [1])
            try expectDenied(db, sandbox, "SELECT a FROM main.\"temp.draft\"")
            try expectDenied(db, sandbox, "SELECT a FROM main.\"temp.card\"")
            try expectDenied(db, .readWrite(tables: ["temp.draft"]), "DELETE FROM main.\"temp.draft\"")
            for name in ["temp.draft", "temp.card"] {
                try db.sandboxed(.readOnly(tables: ["main.\(name)"])) {
                    try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM main.\"\(name)\""), [2])
                }
            }
            var protected = Sandbox.readOnly
            protected.denyColumns(["a"], of: "temp.draft")
            for table in ["draft", "main.\"temp.draft\""] { try expectDenied(db, protected, "SELECT a FROM \(table)") }
        }
    }
}
