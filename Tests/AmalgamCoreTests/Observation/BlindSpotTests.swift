import Amalgam
import AmalgamCore
import CAmalgam
import TestSupport
import Testing

/// Changes that SQLite's update hook doesn't report, but observers receive. Each test runs the same SQL on a connection
/// with the plain hook only.
struct BlindSpotTests {
    /// The reports of SQLite's own update hook.
    private func updateHook(_ schema: String, _ sql: String) throws -> [String] {
        final class Log { var lines: [String] = [] }
        let log = Log()
        return try makeQueue(schema).inDatabase { db in
            sqlite3_update_hook(
                db.sqliteConnection,
                { log, operation, _, table, rowID in
                    let kind = DatabaseEvent.Kind(rawValue: operation)!
                    let line = "\(kind) \(String(cString: table!))(\(rowID))"
                    Unmanaged<Log>.fromOpaque(log!).takeUnretainedValue().lines.append(line)
                }, Unmanaged.passUnretained(log).toOpaque())
            try db.execute(sql: sql)
            return log.lines
        }
    }

    /// The events that an observer receives.
    private func events(_ schema: String, _ sql: String, logsValues: Bool = false) throws -> [String] {
        try makeQueue(schema).inDatabase { db in
            try db.events(logsValues: logsValues) { try db.execute(sql: sql) }
        }
        .filter { !$0.hasSuffix("Commit") }
    }

    // MARK: REPLACE

    static let unique = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a UNIQUE, b UNIQUE);
        INSERT INTO t VALUES (1, 'a1', 'b1'), (2, 'a2', 'b2'), (3, 'a3', 'b3');
        """

    @Test(arguments: [
        ("REPLACE INTO t VALUES (1, 'x', 'y')", ["delete t(1)", "insert t(1)"]),
        ("INSERT OR REPLACE INTO t VALUES (4, 'a2', 'y')", ["delete t(2)", "insert t(4)"]),
        (
            "REPLACE INTO t VALUES (1, 'a2', 'b3')",
            ["delete t(1)", "delete t(3)", "delete t(2)", "insert t(1)"]
        ),
        ("UPDATE OR REPLACE t SET a = 'a3' WHERE id = 2", ["delete t(3)", "update t(2)"]),
        ("REPLACE INTO t VALUES (4, 'x', 'y')", ["insert t(4)"]),
        (
            "REPLACE INTO t SELECT id + 1, a, b FROM t WHERE id = 3 UNION ALL SELECT 1, 'z', 'z'",
            ["delete t(3)", "insert t(4)", "delete t(1)", "insert t(1)"]
        ),
    ])
    func rowsRemovedByReplace(sql: String, expected: [String]) throws {
        #expect(try events(Self.unique, sql) == expected)
        #expect(try updateHook(Self.unique, sql) == expected.filter { !$0.hasPrefix("delete") })
    }

    @Test func rowsRemovedByTheConflictClauseOfATable() throws {
        let schema = """
            CREATE TABLE t (id INTEGER PRIMARY KEY, a UNIQUE ON CONFLICT REPLACE);
            INSERT INTO t VALUES (1, 'a');
            """
        let sql = "INSERT INTO t VALUES (2, 'a')"
        #expect(try events(schema, sql) == ["delete t(1)", "insert t(2)"])
        #expect(try updateHook(schema, sql) == ["insert t(2)"])
    }

    @Test func theValuesOfRowsRemovedByReplace() throws {
        let lines = try events(Self.unique, "REPLACE INTO t VALUES (1, 'x', 'y')", logsValues: true)
        #expect(
            lines == [
                #"will delete t(1): [1, "a1", "b1"]"#, "delete t(1)",
                #"will insert t(1): [1, "x", "y"]"#, "insert t(1)",
            ])
    }

    @Test func foreignKeysOfRowsRemovedByReplace() throws {
        let schema = """
            CREATE TABLE team (id INTEGER PRIMARY KEY, name UNIQUE);
            CREATE TABLE player (id INTEGER PRIMARY KEY, team REFERENCES team ON DELETE CASCADE);
            INSERT INTO team VALUES (1, 'red');
            INSERT INTO player VALUES (10, 1), (11, 1);
            """
        let lines = try events(schema, "REPLACE INTO team VALUES (2, 'red')")
        #expect(lines.sorted() == ["delete player(10)", "delete player(11)", "delete team(1)", "insert team(2)"])
    }

    @Test func replaceInsideATrigger() throws {
        let schema = """
            CREATE TABLE t (id INTEGER PRIMARY KEY);
            CREATE TABLE latest (name PRIMARY KEY, id);
            CREATE TRIGGER tr AFTER INSERT ON t BEGIN REPLACE INTO latest VALUES ('t', new.id); END;
            INSERT INTO t VALUES (1);
            """
        let sql = "INSERT INTO t VALUES (2)"
        #expect(try events(schema, sql) == ["insert t(2)", "delete latest(1)", "insert latest(2)"])
        #expect(try updateHook(schema, sql) == ["insert t(2)", "insert latest(2)"])
    }

    @Test func observersOfDeletionsOnlyAreToldOfReplace() throws {
        try makeQueue(Self.unique).inDatabase { db in
            let lines = try db.events(observing: { $0 == .delete(tableName: "t") }) {
                try db.execute(sql: "REPLACE INTO t VALUES (1, 'x', 'y')")
            }
            #expect(lines == ["delete t(1)", "willCommit", "didCommit"])
        }
    }

    @Test func plainInsertionsAskForNoDeletion() throws {
        let log = EventLog()
        try makeQueue(Self.unique).inDatabase { db in
            db.add(transactionObserver: log)
            try db.execute(sql: "INSERT INTO t VALUES (4, 'a4', 'b4')")
            #expect(log.takeAsked() == [.insert(tableName: "t")])
            try db.execute(sql: "REPLACE INTO t VALUES (4, 'a4', 'b4')")
            #expect(log.takeAsked() == [.insert(tableName: "t"), .delete(tableName: "t")])
        }
    }

    @Test func replaceInASavepointThatIsRolledBack() throws {
        let lines = try events(
            Self.unique, "SAVEPOINT s; REPLACE INTO t VALUES (1, 'x', 'y'); ROLLBACK TO s; RELEASE s")
        #expect(lines == [])
    }

    // MARK: Tables without rowid

    static let country = """
        CREATE TABLE country (code TEXT PRIMARY KEY, name UNIQUE) WITHOUT ROWID;
        INSERT INTO country VALUES ('FR', 'France'), ('IT', 'Italia');
        """

    @Test(arguments: [
        ("INSERT INTO country VALUES ('ES', 'España')", ["insert country"]),
        ("UPDATE country SET name = 'Italy' WHERE code = 'IT'", ["update country"]),
        ("DELETE FROM country WHERE code = 'IT'", ["delete country"]),
        ("DELETE FROM country", ["delete country", "delete country"]),
        ("REPLACE INTO country VALUES ('FR', 'Italia')", ["delete country", "delete country", "insert country"]),
        ("INSERT INTO country SELECT code || '2', name || '2' FROM country", ["insert country", "insert country"]),
    ])
    func tablesWithoutRowID(sql: String, expected: [String]) throws {
        #expect(try events(Self.country, sql) == expected)
        #expect(try updateHook(Self.country, sql) == [])
    }

    @Test func copiesOfWholeTablesWithoutRowID() throws {
        let schema = Self.country + "CREATE TABLE copy (code TEXT PRIMARY KEY, name UNIQUE) WITHOUT ROWID;"
        let lines = try events(schema, "INSERT INTO copy SELECT * FROM country", logsValues: true)
        #expect(
            lines == [
                #"will insert copy: ["FR", "France"]"#, "insert copy",
                #"will insert copy: ["IT", "Italia"]"#, "insert copy",
            ])
    }

    @Test func copiesOfWholeTables() throws {
        let schema = Self.unique + "CREATE TABLE copy (id INTEGER PRIMARY KEY, a UNIQUE, b UNIQUE);"
        let lines = try events(schema, "INSERT INTO copy SELECT * FROM t", logsValues: true)
        #expect(lines.first == #"will insert copy(1): [1, "a1", "b1"]"#)
        #expect(lines.count == 6)
    }

    // MARK: DELETE without WHERE

    @Test func allRowsOfATable() throws {
        let expected = ["delete t(1)", "delete t(2)", "delete t(3)"]
        #expect(try events(Self.unique, "DELETE FROM t") == expected)
        #expect(try updateHook(Self.unique, "DELETE FROM t") == [])
    }

    @Test func unrelatedTablesAreStillDeletedAtOnce() throws {
        try makeQueue(Self.unique + "CREATE TABLE other (a);").inDatabase { db in
            let log = EventLog { $0.tableName == "other" }
            db.add(transactionObserver: log)
            let program = try Row.fetchAll(db, sql: "EXPLAIN DELETE FROM t").map { $0["opcode"] as String }
            #expect(program.contains("Clear"))
            #expect(try !Row.fetchAll(db, sql: "EXPLAIN DELETE FROM other").contains { $0["opcode"] == "Clear" })
        }
    }

    // MARK: Statements of C code

    @Test func statementsThatSwiftDoesNotRun() throws {
        let log = EventLog(logsValues: true)
        try makeQueue(Self.unique).inDatabase { db in
            db.add(transactionObserver: log)
            let sql = "UPDATE t SET a = 'x' WHERE id = 1; REPLACE INTO t VALUES (2, 'y', 'b3')"
            #expect(sqlite3_exec(db.sqliteConnection, "BEGIN; \(sql); COMMIT", nil, nil, nil) == SQLITE_OK)
            #expect(
                log.take() == [
                    #"will update t(1): [1, "a1", "b1"] -> [1, "x", "b1"]"#, "update t(1)",
                    #"will delete t(2): [2, "a2", "b2"]"#, "delete t(2)",
                    #"will delete t(3): [3, "a3", "b3"]"#, "delete t(3)",
                    #"will insert t(2): [2, "y", "b3"]"#, "insert t(2)",
                    "willCommit",
                ])
            #expect(
                log.takeAsked().contains(.update(tableName: "t", columnNames: ["a"])))
            // The end of the transaction is reported as soon as no statement runs.
            try db.execute(sql: "INSERT INTO t VALUES (9, 'a9', 'b9')")
            #expect(log.take().last == "didCommit")
        }
    }

    @Test func theCommitOfCCodeIsToldAtTheEndOfTheAccess() throws {
        let log = EventLog()
        let dbQueue = try makeQueue(Self.unique)
        dbQueue.add(transactionObserver: log)
        dbQueue.inDatabase { db in
            sqlite3_exec(db.sqliteConnection, "DELETE FROM t WHERE id = 1", nil, nil, nil)
            #expect(log.take() == ["delete t(1)", "willCommit"])
        }
        #expect(log.take() == ["didCommit"])
    }

    @Test func updatesOfCCodeAreFilteredByTheColumnsThatChange() throws {
        let log = EventLog { kind in
            if case .update("t", let columns) = kind { columns.contains("b") } else { false }
        }
        try makeQueue(Self.unique).inDatabase { db in
            db.add(transactionObserver: log)
            sqlite3_exec(db.sqliteConnection, "UPDATE t SET a = 'x' WHERE id = 1", nil, nil, nil)
            sqlite3_exec(db.sqliteConnection, "UPDATE t SET b = 'x' WHERE id = 1", nil, nil, nil)
            #expect(log.take().filter { !$0.hasSuffix("Commit") } == ["update t(1)"])
        }
    }

    // MARK: Virtual tables

    @Test func virtualTablesTellThatTheyChange() throws {
        let log = AnnouncementLog()
        let dbQueue = try makeQueue("CREATE VIRTUAL TABLE document USING fts5(body)")
        dbQueue.add(transactionObserver: log)
        try dbQueue.inDatabase { db in
            try db.execute(sql: "INSERT INTO document VALUES ('hello')")
            #expect(log.take() == ["change", "willCommit", "didCommit"])
            try db.execute(sql: "DELETE FROM document WHERE document MATCH 'nobody'")
            #expect(log.take() == ["willCommit", "didCommit"])
            try db.inTransaction {
                try db.execute(sql: "UPDATE document SET body = 'bye'")
                #expect(log.take() == ["change"])
                return .commit
            }
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    @Test func virtualTablesInSavepoints() throws {
        let log = AnnouncementLog()
        try makeQueue("CREATE VIRTUAL TABLE box USING rtree(id, x0, x1)").inDatabase { db in
            db.add(transactionObserver: log)
            try db.execute(sql: "SAVEPOINT s; INSERT INTO box VALUES (1, 0, 1); ROLLBACK TO s; RELEASE s")
            #expect(log.take() == ["willCommit", "didCommit"])
            try db.execute(sql: "SAVEPOINT s; INSERT INTO box VALUES (1, 0, 1); RELEASE s")
            #expect(log.take() == ["change", "willCommit", "didCommit"])
        }
    }

    @Test func virtualTablesChangedByTriggers() throws {
        let schema = """
            CREATE TABLE t (id INTEGER PRIMARY KEY, body);
            CREATE VIRTUAL TABLE search USING fts5(body, content='t', content_rowid='id');
            CREATE TRIGGER tr AFTER INSERT ON t BEGIN
              INSERT INTO search(rowid, body) VALUES (new.id, new.body);
            END;
            """
        let log = AnnouncementLog { $0.tableName == "search" }
        try makeQueue(schema).inDatabase { db in
            db.add(transactionObserver: log)
            try db.execute(sql: "INSERT INTO t VALUES (1, 'hello')")
            #expect(log.take() == ["change", "willCommit", "didCommit"])
        }
    }

    @Test func observersOfOtherTablesHearNothingOfVirtualOnes() throws {
        let log = AnnouncementLog { $0.tableName == "other" }
        try makeQueue("CREATE VIRTUAL TABLE document USING fts5(body); CREATE TABLE other (a)").inDatabase { db in
            db.add(transactionObserver: log)
            try db.execute(sql: "INSERT INTO document VALUES ('hello')")
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    @Test func shadowTablesMakeNoNoise() throws {
        let schema = "CREATE VIRTUAL TABLE document USING fts5(body)"
        let sql = "INSERT INTO document VALUES ('hello')"
        #expect(try events(schema, sql) == [])
        #expect(try updateHook(schema, sql).contains { $0.hasPrefix("insert document_content") })
    }

    /// Records the changes without rows.
    private final class AnnouncementLog: TransactionObserver {
        private var lines: [String] = []
        private let observes: (DatabaseEventKind) -> Bool

        init(observes: @escaping (DatabaseEventKind) -> Bool = { _ in true }) { self.observes = observes }

        func take() -> [String] {
            defer { lines = [] }
            return lines
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { observes(eventKind) }
        func databaseDidChange() { lines.append("change") }
        func databaseDidChange(with event: DatabaseEvent) { lines.append(event.line) }
        func databaseWillCommit() { lines.append("willCommit") }
        func databaseDidCommit(_ db: Database) { lines.append("didCommit") }
        func databaseDidRollback(_ db: Database) { lines.append("didRollback") }
    }

    // MARK: No noise

    @Test(arguments: [
        "VACUUM", "ANALYZE", "REINDEX", "CREATE INDEX i ON t(a)", "ALTER TABLE t ADD COLUMN c DEFAULT 1",
        "ALTER TABLE t RENAME COLUMN a TO z", "ALTER TABLE t RENAME TO u", "CREATE TABLE copy AS SELECT * FROM t",
        "DROP TABLE t", "PRAGMA optimize(-1)", "PRAGMA user_version = 12", "ALTER TABLE d DROP COLUMN b",
    ])
    func nothingIsToldOf(sql: String) throws {
        let schema = Self.unique + "CREATE TABLE d (a, b); INSERT INTO d VALUES (1, 2);"
        #expect(try events(schema, sql) == [])
    }
}
