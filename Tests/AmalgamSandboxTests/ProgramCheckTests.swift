import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// What SQLite doesn't report to the authorizer, and the check of the compiled program denies.
struct ProgramCheckTests {
    static let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name, email UNIQUE, teamId, shown AS (email || '!'));
        INSERT INTO player VALUES (1, 'Anna', 'anna@x', 1), (2, 'Bo', 'bo@x', 2);
        CREATE TABLE team (teamId INTEGER PRIMARY KEY, city);
        INSERT INTO team VALUES (1, 'Rome'), (2, 'Oslo');
        CREATE TABLE secret (a, b);
        INSERT INTO secret VALUES ('s1', 's2');
        CREATE TABLE note (id INTEGER PRIMARY KEY, body);
        CREATE TABLE strict (id INTEGER PRIMARY KEY, body UNIQUE ON CONFLICT ROLLBACK);
        CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, body);
        CREATE TABLE guarded (id INTEGER PRIMARY KEY, body);
        CREATE TRIGGER guard BEFORE INSERT ON guarded WHEN NEW.body = 'x' BEGIN SELECT RAISE(ROLLBACK, 'no'); END;
        CREATE VIEW card AS SELECT name, city FROM player JOIN team USING (teamId);
        CREATE VIRTUAL TABLE ft USING fts5(name, email);
        INSERT INTO ft VALUES ('Anna', 'secret words');
        CREATE VIRTUAL TABLE f4 USING fts4(name, email);
        INSERT INTO f4 VALUES ('Anna', 'secret words');
        CREATE VIRTUAL TABLE words USING fts5vocab(ft, row);
        CREATE VIRTUAL TABLE oldWords USING fts4aux(f4);
        CREATE VIRTUAL TABLE byName USING fts5(name, email, content=player, content_rowid=id);
        """

    private func run(_ test: (Database) throws -> Void) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: Self.schema)
            try test(db)
        }
    }

    /// A sandbox that reads some tables, without the column `email` of any of them.
    private func withoutEmail(denied: Bool, writing tables: Set<String> = []) -> Sandbox {
        var sandbox = Sandbox.readOnly(tables: ["player", "team", "ft", "f4", "words", "oldWords", "byName"])
        sandbox.writableTables = tables
        for table in ["player", "ft", "f4"] {
            if denied { sandbox.denyColumns(["email"], of: table) } else { sandbox.hideColumns(["email"], of: table) }
        }
        return sandbox
    }

    // MARK: Tables that aren't listed

    @Test(arguments: [
        "SELECT a, b FROM secret NATURAL FULL JOIN (SELECT 1 AS a, 2 AS b)",
        "SELECT a FROM secret RIGHT JOIN (SELECT 's1' AS a) USING (a)",
        "SELECT count(*) FROM secret JOIN (SELECT 's1' AS a) USING (a)",
        "SELECT name FROM player WHERE name IN (SELECT a FROM secret NATURAL FULL JOIN (SELECT 1 AS a))",
        "WITH x AS (SELECT a FROM secret NATURAL FULL JOIN (SELECT 1 AS a)) SELECT * FROM x",
        "SELECT sql FROM sqlite_schema NATURAL FULL JOIN (SELECT 1 AS sql)",
        "SELECT name FROM pragma_table_list NATURAL FULL JOIN (SELECT 1 AS name)",
        "SELECT data FROM sqlite_dbpage NATURAL FULL JOIN (SELECT 1 AS data)",
        "SELECT sql FROM sqlite_stmt NATURAL FULL JOIN (SELECT 1 AS sql)",
        "SELECT opcode FROM bytecode('SELECT 1') NATURAL FULL JOIN (SELECT 1 AS opcode)",
        "SELECT x.name FROM card, (SELECT name FROM player NATURAL FULL JOIN (SELECT 1 AS name)) x",
    ])
    func columnsOfNaturalAndUsing(sql: String) throws {
        try run { db in
            try expectDenied(db, .readOnly(tables: []), sql)
            try expectDenied(db, .readOnly(tables: ["team", "card"]), sql)
        }
    }

    @Test func joinsOfListedTables() throws {
        try run { db in
            try db.sandboxed(.readOnly(tables: ["player", "team"])) {
                let sql = "SELECT name, city FROM player JOIN team USING (teamId) ORDER BY id"
                #expect(
                    try Row.fetchAll(db, sql: sql).map(\.description) == [
                        #"[name:"Anna" city:"Rome"]"#, #"[name:"Bo" city:"Oslo"]"#,
                    ])
                try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM player NATURAL JOIN team"), 2)
                try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM team a JOIN team b USING (city)"), 2)
            }
        }
    }

    /// A view may use USING itself: its columns aren't reported, and belong to the view.
    @Test func aViewThatJoins() throws {
        try run { db in
            try db.sandboxed(.readOnly(tables: ["card"])) {
                try expectEqual(String.fetchAll(db, sql: "SELECT city FROM card ORDER BY name"), ["Rome", "Oslo"])
            }
            // In this statement, USING may stand for a direct read of the same table.
            let sql = "SELECT city FROM card JOIN (SELECT 'Anna' AS name) USING (name)"
            try expectDenied(db, .readOnly(tables: ["card"]), sql)
            try db.sandboxed(.readOnly(tables: ["card", "player", "team"])) {
                try expectEqual(String.fetchAll(db, sql: sql), ["Rome"])
            }
        }
    }

    @Test func copiesOfWholeTables() throws {
        try run { db in
            try db.execute(sql: "CREATE TABLE copy (a, b)")
            let action = try expectDenied(db, .readWrite(tables: ["copy"]), "INSERT INTO copy SELECT * FROM secret")
            #expect(action?.tableName == "secret")
            var sandbox = Sandbox.readWrite(tables: ["copy"])
            sandbox.readableTables = ["secret"]
            try db.sandboxed(sandbox) { try db.execute(sql: "INSERT INTO copy SELECT * FROM secret") }
            #expect(try Row.fetchAll(db, sql: "SELECT * FROM copy") == [["a": "s1", "b": "s2"]])
            sandbox.hideColumns(["b"], of: "secret")
            let hidden = try expectDenied(db, sandbox, "INSERT INTO copy SELECT * FROM secret")
            #expect(hidden?.columnName == "b")
        }
    }

    // MARK: Columns

    @Test(arguments: [
        "SELECT email FROM player NATURAL FULL JOIN (SELECT 1 AS email)",
        "SELECT name FROM player JOIN (SELECT 'bo@x' AS email) USING (email)",
        "SELECT name FROM player NATURAL JOIN (SELECT 'bo@x' AS email)",
        "SELECT a.name FROM player a JOIN player b USING (email)",
        "UPDATE player SET name = name RETURNING email",
        "DELETE FROM player RETURNING *",
        "INSERT INTO player (id, name) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = 'y' RETURNING email",
        "INSERT INTO player (id, email) VALUES (9, 'bo@x')",
        "INSERT OR IGNORE INTO player (\"id\", [EMAIL]) VALUES (9, 'bo@x')",
        "REPLACE INTO player VALUES (9, 'x', 'bo@x', 1)",
        "INSERT INTO player SELECT 9, 'x', 'bo@x', 1",
        "INSERT INTO player AS p (email) VALUES ('bo@x') ON CONFLICT DO NOTHING",
        "INSERT INTO player (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET email = 'x'",
        "SELECT name FROM ft JOIN (SELECT 'words' AS email) USING (email)",
        "SELECT highlight(ft, 1, '', '') FROM ft",
        "SELECT snippet(ft, 1, '', '', '', 64) FROM ft",
        "SELECT highlight(name, 1, '', '') FROM ft",
        "SELECT snippet(name, 1, '', '', '', 64) FROM ft WHERE name MATCH 'anna'",
        "SELECT bm25(rowid) FROM ft WHERE name MATCH 'anna'",
        "SELECT (SELECT highlight(name, 1, '', '')) FROM ft",
        "SELECT highlight(byName.name, 1, '', '') FROM byName, ft",
        "SELECT bm25(ft) FROM ft WHERE name MATCH 'anna'",
        "SELECT name FROM ft WHERE name MATCH 'anna' ORDER BY rank",
        "SELECT name FROM ft WHERE ft MATCH 'email: words'",
        "SELECT name FROM ft WHERE ft MATCH 'words'",
        "SELECT name FROM ft WHERE ft = 'words'",
        "SELECT name FROM ft('words')",
        "SELECT name FROM ft JOIN (SELECT 'words' AS ft) USING (ft)",
        "SELECT snippet(f4) FROM f4 WHERE name MATCH 'anna'",
        "SELECT matchinfo(f4) FROM f4 WHERE f4 MATCH 'words'",
        "SELECT name FROM f4 WHERE f4 MATCH 'words'",
        "SELECT name FROM f4 WHERE name MATCH 'email:words'",
        "SELECT term FROM words",
        "SELECT term FROM oldWords",
        "SELECT highlight(byName, 1, '', '') FROM byName",
        "SELECT name FROM byName('x')",
        "INSERT INTO ft (name, email) VALUES ('a', 'b')",
        "UPDATE ft SET email = 'b'",
    ])
    func hiddenAndDeniedColumns(sql: String) throws {
        try run { db in
            try db.execute(sql: "INSERT INTO byName(byName) VALUES ('rebuild')")
            for denied in [false, true] {
                try expectDenied(db, withoutEmail(denied: denied, writing: ["player", "ft"]), sql)
            }
            #expect(try String.fetchAll(db, sql: "SELECT email FROM player ORDER BY id") == ["anna@x", "bo@x"])
        }
    }

    @Test func generatedColumnsAreHiddenWithTheirSources() throws {
        try run { db in
            try db.execute(
                sql: """
                    CREATE TABLE person (a, b AS (a || '!'), c AS (upper(b)) STORED, d AS (1));
                    INSERT INTO person (a) VALUES ('x');
                    """)
            var sandbox = Sandbox.readOnly
            sandbox.hideColumns(["a"], of: "person")
            try db.sandboxed(sandbox) {
                let row = try Row.fetchOne(db, sql: "SELECT * FROM person")
                #expect(row == ["a": nil, "b": nil, "c": nil, "d": 1])
            }
            var strict = Sandbox.readOnly
            strict.denyColumns(["a"], of: "person")
            for column in ["a", "b", "c"] { try expectDenied(db, strict, "SELECT \(column) FROM person") }
            try db.sandboxed(strict) { try expectEqual(Int.fetchOne(db, sql: "SELECT d FROM person"), 1) }
            try db.sandboxed(withoutEmail(denied: false)) {
                try expectEqual(String?.fetchAll(db, sql: "SELECT shown FROM player"), [nil, nil])
            }
        }
    }

    @Test func searchesOfVisibleColumns() throws {
        try run { db in
            try db.execute(sql: "INSERT INTO byName(byName) VALUES ('rebuild')")
            try db.sandboxed(withoutEmail(denied: false)) {
                try expectEqual(String.fetchAll(db, sql: "SELECT name FROM ft WHERE name MATCH 'anna'"), ["Anna"])
                try expectEqual(String.fetchAll(db, sql: "SELECT name FROM ft WHERE name MATCH 'email: words'"), [])
                try expectEqual(String?.fetchAll(db, sql: "SELECT email FROM ft"), [nil])
                try expectEqual(String?.fetchAll(db, sql: "SELECT email FROM byName"), [nil, nil])
            }
        }
    }

    /// The first argument of an auxiliary function is the number of a cursor. The caller outside of the sandbox has cursors,
    /// too.
    @Test func auxiliaryFunctionsOfOtherCursors() throws {
        try run { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE numbers USING fts5(number);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200)
                    INSERT INTO numbers SELECT i FROM n;
                    """)
            let outer = try Row.fetchCursor(db, sql: "SELECT name FROM ft WHERE ft MATCH 'words'")
            #expect(try outer.next() != nil)
            // The outer cursor has one of these numbers.
            let sql = "SELECT highlight(number, 1, '', '') FROM numbers WHERE rowid = "
            var allowed = Sandbox.readOnly(tables: ["numbers"])
            allowed.limits = .none
            var shown: [String] = []
            for number in 1...200 {
                try db.sandboxed(allowed) {
                    do {
                        if let text = try String.fetchOne(db, sql: sql + "\(number)") { shown.append(text) }
                    } catch let error as DatabaseError {
                        #expect(
                            [.SQLITE_AUTH, .SQLITE_ERROR].contains(error.resultCode), "\(error.message ?? "")")
                    }
                }
            }
            #expect(!shown.contains("secret words"))
            #expect(try outer.next() == nil)
            // Outside of a sandbox, and with the table itself, the functions are SQLite's.
            try db.sandboxed(allowed) {
                let sql = "SELECT highlight(numbers, 0, '<', '>') FROM numbers WHERE numbers MATCH '7'"
                try expectEqual(String.fetchAll(db, sql: sql), ["<7>"])
            }
        }
    }

    @Test func shadowTablesOfHiddenColumns() throws {
        try run { db in
            var sandbox = Sandbox.readOnly
            sandbox.hideColumns(["email"], of: "ft")
            for table in ["ft_content", "ft_data", "ft_idx", "ft_docsize"] {
                try expectDenied(db, sandbox, "SELECT * FROM \(table)")
            }
            try db.sandboxed(sandbox) {
                try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM f4_content"), 1)
            }
        }
    }

    @Test func writesWithoutTheColumn() throws {
        try run { db in
            let sandbox = withoutEmail(denied: false, writing: ["player", "counted"])
            try db.sandboxed(sandbox) {
                try db.execute(sql: "INSERT INTO player (name) VALUES ('Cleo')")
                try db.execute(sql: "INSERT INTO player DEFAULT VALUES")
                try db.execute(sql: "UPDATE player SET name = 'Ada' WHERE id = 1")
                try expectEqual(Int.fetchAll(db, sql: "DELETE FROM player WHERE id = 4 RETURNING id"), [4])
                try db.execute(sql: "INSERT INTO counted (body) VALUES (1)")
                try db.execute(sql: "WITH x AS (SELECT 5 AS n) INSERT INTO counted (body) SELECT n FROM x")
                try db.execute(
                    sql:
                        "INSERT INTO player (id, name) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = excluded.name"
                )
            }
            #expect(try String?.fetchAll(db, sql: "SELECT email FROM player ORDER BY id") == ["anna@x", "bo@x", nil])
        }
    }

    /// An INTEGER PRIMARY KEY has further names.
    @Test(arguments: [
        "INSERT INTO player (rowid, name) VALUES (9, 'x')",
        "INSERT OR IGNORE INTO player (_rowid_, name) VALUES (1, 'x')",
        "INSERT INTO player (oid, name) VALUES (1, 'x') ON CONFLICT DO NOTHING",
        "UPDATE player SET rowid = 9",
        "UPDATE player SET \"OID\" = rowid + 1",
        "INSERT INTO player (name) VALUES ('x') ON CONFLICT DO UPDATE SET _rowid_ = 9",
    ])
    func aHiddenPrimaryKeyIsNotWrittenByItsOtherNames(sql: String) throws {
        try run { db in
            for denied in [false, true] {
                var sandbox = Sandbox.readWrite(tables: ["player", "note"])
                if denied {
                    sandbox.denyColumns(["id"], of: "player")
                } else {
                    sandbox.hideColumns(["id"], of: "player")
                }
                try expectDenied(db, sandbox, sql)
                // Tables without a hidden key.
                try db.sandboxed(sandbox) {
                    try db.execute(sql: "INSERT INTO note (rowid, body) VALUES (7, 'x')")
                    try db.execute(sql: "UPDATE note SET rowid = 8; DELETE FROM note")
                }
            }
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM player ORDER BY id") == [1, 2])
        }
    }

    // MARK: Rollbacks

    @Test(arguments: [
        "INSERT OR ROLLBACK INTO note VALUES (1, 1), (1, 1)",
        "UPDATE OR ROLLBACK note SET id = 1",
        "INSERT INTO strict VALUES (1, 1), (2, 1)",
        "UPDATE strict SET body = 1",
        "INSERT OR ROLLBACK INTO ft (rowid, name) VALUES (1, 'x')",
        "INSERT INTO guarded VALUES (1, 'x')",
    ])
    func noStatementRollsTheHostsTransactionBack(sql: String) throws {
        try run { db in
            let sandbox = Sandbox.readWrite(tables: ["note", "strict", "ft", "guarded"])
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO team VALUES (3, 'Paris')")
                let action = try expectDenied(db, sandbox, sql)
                #expect(action?.kind == .transaction)
                #expect(action?.description == "TRANSACTION ROLLBACK")
                try db.sandboxed(sandbox) { try db.execute(sql: "INSERT OR ABORT INTO strict VALUES (1, 1)") }
                #expect(db.isInsideTransaction)
                return .commit
            }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM team") == 3)
        }
    }

    @Test func functionsWithEffects() throws {
        try run { db in
            try expectDenied(db, .readOnly, "SELECT sqlite_log(5, 'text')")
            try expectDenied(db, .readOnly, "SELECT optimize(f4) FROM f4")
            try expectDenied(db, .readOnly, "SELECT rtreecheck('main', 'secret')")
        }
    }

    // MARK: Statements that are compiled again

    @Test func aProgramThatIsCompiledAgainIsCheckedAgain() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("teams.sqlite").path
            let queue = try DatabaseQueue(path: path)
            let other = try DatabaseQueue(path: path)
            try queue.write { db in try db.execute(sql: Self.schema) }
            try queue.inDatabase { db in
                try db.sandboxed(.readOnly(tables: ["team"])) {
                    let sql = "SELECT count(*) FROM team NATURAL JOIN (SELECT 1 AS a, 1 AS teamId)"
                    let statement = try db.makeStatement(sql: sql)
                    #expect(try Int.fetchOne(statement) == 1)
                    amalgam_expire_statements(db.sqliteConnection)
                    #expect(try Int.fetchOne(statement) == 1)
                    try other.write { db in
                        try db.execute(
                            sql:
                                "ALTER TABLE team RENAME TO club; CREATE VIEW team AS SELECT a, 1 AS teamId FROM secret"
                        )
                    }
                    let error = expectFailure(.SQLITE_AUTH) { _ = try Int.fetchOne(statement) }
                    #expect(error?.deniedAction?.tableName == "secret")
                }
            }
        }
    }

    // MARK: Other authorizers

    @Test func everyAuthorizerIsAskedAboutTheProgram() throws {
        try run { db in
            var asked: [String] = []
            try db.withAuthorizer { action in
                if action.kind == .read || action.kind == .insert { asked.append(action.description) }
                return .allow
            } perform: {
                try db.execute(sql: "SELECT count(*) FROM secret NATURAL JOIN (SELECT 's1' AS a)")
                try db.execute(sql: "INSERT INTO note (body) VALUES (1)")
            }
            #expect(asked == ["READ secret.a", "INSERT note", "INSERT note.body"])
            // What can't be ignored any more is denied.
            try db.withAuthorizer {
                $0.columnName == "a" ? .ignore : .allow
            } perform: {
                let error = expectFailure(.SQLITE_AUTH, "access to secret.a is prohibited") {
                    _ = try Row.fetchAll(db, sql: "SELECT b FROM secret NATURAL JOIN (SELECT 1 AS a)")
                }
                #expect(error?.deniedAction?.columnName == "a")
                expectCode(.SQLITE_AUTH) { try db.execute(sql: "UPDATE secret SET b = 1 RETURNING a") }
            }
            struct Refusal: Error {}
            #expect(throws: Refusal.self) {
                try db.withAuthorizer { action in
                    if action.tableName == "secret" { throw Refusal() }
                    return .allow
                } perform: {
                    try db.execute(sql: "SELECT count(*) FROM secret NATURAL JOIN (SELECT 1 AS a)")
                }
            }
        }
    }
}

/// The order of the rows of a query doesn't show hidden values.
struct ProtectedIndexTests {
    private static let sql = "SELECT name FROM player INDEXED BY playerOnSalary"

    @Test func indexesWithHiddenColumnsAreNotUsed() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (name, salary);
                    CREATE INDEX playerOnSalary ON player(salary, name);
                    INSERT INTO player VALUES ('Anna', 3), ('Bo', 1), ('Cleo', 2);
                    """)
            var sandbox = Sandbox.readOnly
            sandbox.hideColumns(["Salary"], of: "Player")
            #expect(try String.fetchAll(db, sql: Self.sql) == ["Bo", "Cleo", "Anna"])
            try db.sandboxed(sandbox) {
                try expectEqual(String.fetchAll(db, sql: "SELECT name FROM player"), ["Anna", "Bo", "Cleo"])
                try expectEqual(String.fetchOne(db, sql: "SELECT name FROM player LIMIT 1"), "Anna")
                expectCode(.SQLITE_ERROR) { _ = try String.fetchAll(db, sql: Self.sql) }
                // A nested sandbox ends before the outer one.
                try db.sandboxed(sandbox) {}
                expectCode(.SQLITE_ERROR) { _ = try String.fetchAll(db, sql: Self.sql) }
            }
            #expect(try String.fetchAll(db, sql: Self.sql) == ["Bo", "Cleo", "Anna"])
        }
    }

    /// Queues of one name share their schema. The index stays unused until both sandboxes have ended.
    @Test func aSandboxOfAnotherQueueDoesNotEndTheProtection() throws {
        let name = "protected-\(UUID().uuidString)"
        let (first, second) = (try DatabaseQueue(named: name), try DatabaseQueue(named: name))
        try first.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (name, salary);
                    CREATE INDEX playerOnSalary ON player(salary, name);
                    INSERT INTO player VALUES ('Anna', 3), ('Bo', 1), ('Cleo', 2);
                    """)
        }
        var sandbox = Sandbox.readOnly
        sandbox.hideColumns(["salary"], of: "player")
        let sql = "SELECT name FROM player"
        try first.inDatabase { db in
            try db.sandboxed(sandbox) {
                try second.inDatabase { other in try other.sandboxed(sandbox) {} }
                try expectEqual(String.fetchAll(db, sql: sql), ["Anna", "Bo", "Cleo"])
            }
            #expect(try String.fetchAll(db, sql: Self.sql) == ["Bo", "Cleo", "Anna"])
        }
        try first.close()
        try second.close()
    }

    /// The checks read schemas that other connections change at the same time.
    @Test func checksOfASchemaThatAnotherQueueChanges() async throws {
        let name = "shared-\(UUID().uuidString)"
        let (first, second) = (try DatabaseQueue(named: name), try DatabaseQueue(named: name))
        try await first.write { db in
            try db.execute(sql: "CREATE TABLE player (name, salary, shown AS (salary || '!'), again AS (shown || '!'))")
        }
        let changes = Task {
            for number in 0..<200 {
                do {
                    try await second.writeWithoutTransaction { db in
                        try db.execute(
                            sql: "CREATE TABLE t\(number) (a); SELECT again FROM player; DROP TABLE t\(number)")
                    }
                } catch let error as DatabaseError {
                    #expect([.SQLITE_LOCKED, .SQLITE_BUSY, .SQLITE_SCHEMA].contains(error.resultCode), "\(error)")
                }
            }
        }
        for number in 0..<200 {
            do {
                try await first.writeWithoutTransaction { db in
                    let sql = "SELECT again, \(number) FROM player NATURAL JOIN (SELECT 1 AS again)"
                    try db.withAuthorizer { _ in
                        .allow
                    } perform: {
                        _ = try Row.fetchAll(db, sql: sql)
                    }
                }
            } catch let error as DatabaseError {
                #expect([.SQLITE_LOCKED, .SQLITE_BUSY, .SQLITE_SCHEMA].contains(error.resultCode), "\(error)")
            }
        }
        try await changes.value
        try first.close()
        try second.close()
    }
}
