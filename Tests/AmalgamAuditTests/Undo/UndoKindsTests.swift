import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Actions on each kind of table, key and constraint are undone and redone byte for byte.
@Suite struct UndoKindsTests {
    struct Action: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let tables: String
        let changes: String

        init(_ name: String, _ tables: String, _ changes: String) {
            testDescription = name
            self.tables = tables
            self.changes = changes
        }
    }

    static let keys = [
        Action(
            "the case of a NOCASE key changes",
            "CREATE TABLE t (k TEXT COLLATE NOCASE PRIMARY KEY, v); INSERT INTO t VALUES ('a', 1)",
            "UPDATE t SET k = 'A'"),
        Action(
            "REPLACE by another case of the key",
            "CREATE TABLE t (k TEXT COLLATE NOCASE PRIMARY KEY, v); INSERT INTO t VALUES ('a', 1)",
            "REPLACE INTO t VALUES ('A', 2)"),
        Action(
            "the case of a key changes in a WITHOUT ROWID table",
            "CREATE TABLE t (k TEXT COLLATE NOCASE PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO t VALUES ('a', 1)",
            "UPDATE t SET k = 'A'"),
        Action(
            "the collation belongs to the key, and not to the column",
            "CREATE TABLE t (k, v, PRIMARY KEY (k COLLATE NOCASE)) WITHOUT ROWID; INSERT INTO t VALUES ('a', 1)",
            "UPDATE t SET k = 'A'; UPDATE t SET v = 2; DELETE FROM t; INSERT INTO t VALUES ('a', 3)"),
        Action(
            "spaces at the end of an RTRIM key",
            "CREATE TABLE t (k TEXT COLLATE RTRIM PRIMARY KEY, v); INSERT INTO t VALUES ('a', 1)",
            "UPDATE t SET k = 'a '"),
        Action(
            "a key without affinity changes from 1 to 1.0",
            "CREATE TABLE t (k PRIMARY KEY, v); INSERT INTO t VALUES (1, 1)",
            "DELETE FROM t; INSERT INTO t VALUES (1.0, 1)"),
        Action(
            "the same in a WITHOUT ROWID table",
            "CREATE TABLE t (k PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO t VALUES (1, 1)", "UPDATE t SET k = 1.0"),
        Action(
            "keys with NULL", "CREATE TABLE t (k TEXT PRIMARY KEY, v); INSERT INTO t VALUES (NULL, 1), ('a', 2)",
            "UPDATE t SET v = v + 10; INSERT INTO t VALUES (NULL, 5)"),
        Action(
            "keys of two columns with NULL",
            "CREATE TABLE t (a, b, v, PRIMARY KEY (a, b)); INSERT INTO t VALUES (1, NULL, 3)", "DELETE FROM t"),
        Action(
            "a column named _rowid_", "CREATE TABLE t (_rowid_ TEXT, v); INSERT INTO t VALUES ('x', 1)",
            "UPDATE t SET v = 2"),
        Action(
            "columns named rowid and oid", "CREATE TABLE t (rowid TEXT, oid); INSERT INTO t VALUES ('x', 1)",
            "UPDATE t SET oid = 2; INSERT INTO t VALUES ('x', 3)"),
        Action(
            "real keys", "CREATE TABLE t (k REAL PRIMARY KEY, v); INSERT INTO t VALUES (1, 1)",
            "UPDATE t SET v = 2; UPDATE t SET k = 3; INSERT INTO t VALUES (4, 4); UPDATE t SET v = 5"),
        Action(
            "keys that move", "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)",
            "UPDATE t SET id = -id; UPDATE t SET id = -id + 1"),
        Action(
            "a table without columns of its own type", "CREATE TABLE t (a, b); INSERT INTO t VALUES (0.0, x'00')",
            "UPDATE t SET a = -0.0, b = zeroblob(2)"),
    ]

    static let constraints = [
        Action(
            "two rows exchange a unique value",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE); INSERT INTO t VALUES (1, 'a'), (2, 'b')",
            "UPDATE t SET u = 'z' WHERE id = 1; UPDATE t SET u = 'a' WHERE id = 2; UPDATE t SET u = 'b' WHERE id = 1"),
        Action(
            "ON CONFLICT REPLACE",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE ON CONFLICT REPLACE); INSERT INTO t VALUES (1, 'a'), (2, 'b')",
            "UPDATE t SET u = 'z' WHERE id = 1; UPDATE t SET u = 'a' WHERE id = 2; UPDATE t SET u = 'b' WHERE id = 1"),
        Action(
            "a row that REPLACE deletes",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE ON CONFLICT REPLACE); INSERT INTO t VALUES (1, 'a'), (2, 'b')",
            "UPDATE t SET u = 'b' WHERE id = 1"),
        Action(
            "ON CONFLICT IGNORE",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE ON CONFLICT IGNORE); INSERT INTO t VALUES (1, 'a'), (2, 'b')",
            "UPDATE t SET u = 'z' WHERE id = 1; UPDATE t SET u = 'a' WHERE id = 2; UPDATE t SET u = 'b' WHERE id = 1"),
        Action(
            "ON CONFLICT ROLLBACK",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE ON CONFLICT ROLLBACK); INSERT INTO t VALUES (1, 'a'), (2, 'b')",
            "UPDATE t SET u = 'z' WHERE id = 1; UPDATE t SET u = 'a' WHERE id = 2; UPDATE t SET u = 'b' WHERE id = 1"),
        Action(
            "a chain of unique values",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE); INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)",
            "UPDATE t SET u = -u; UPDATE t SET u = -u + 1"),
        Action(
            "a unique generated column",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, g AS (u || '!') UNIQUE, u); INSERT INTO t VALUES (1, 'a'), (2, 'b')",
            "UPDATE t SET u = 'z' WHERE id = 1; UPDATE t SET u = 'a' WHERE id = 2; UPDATE t SET u = 'b' WHERE id = 1"),
        Action(
            "NOT NULL ON CONFLICT REPLACE",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, u NOT NULL ON CONFLICT REPLACE DEFAULT 5); INSERT INTO t VALUES (1, 1)",
            "UPDATE t SET u = NULL"),
        Action(
            "CHECK of two columns",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, CHECK (a < b)); INSERT INTO t VALUES (1, 1, 2)",
            "UPDATE t SET a = 10, b = 20"),
        Action(
            "RESTRICT and a parent with a unique key",
            """
            CREATE TABLE p (id INTEGER PRIMARY KEY, u UNIQUE);
            CREATE TABLE t (id INTEGER PRIMARY KEY, p REFERENCES p(u) ON DELETE RESTRICT ON UPDATE RESTRICT)
            """, "INSERT INTO p VALUES (1, 5); INSERT INTO t VALUES (1, 5)"),
        Action(
            "columns added in the action",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1)",
            "UPDATE t SET a = 2; ALTER TABLE t ADD COLUMN z DEFAULT 5; UPDATE t SET z = 7; INSERT INTO t VALUES (2, 2, 2)"
        ),
        Action(
            "a table that the action creates and drops",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a)",
            "CREATE TABLE s (a); INSERT INTO s VALUES (1); INSERT INTO t SELECT a, a FROM s; DROP TABLE s"),
    ]

    @Test(arguments: keys + constraints) func actionsOfAllKinds(action: Action) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: action.tables)
            let history = UndoHistory()
            let before = try content(db)
            try history.perform(db) { try db.execute(sql: action.changes) }
            let after = try content(db)
            for _ in 1...2 {
                #expect(try history.undo(db))
                try expectEqual(content(db).filter { !$0.hasPrefix("added") }, before)
                #expect(try history.redo(db))
                try expectEqual(content(db), after)
            }
        }
    }

    /// The rows of all tables, with rowids and the exact values. Columns that the action adds aren't shown before it.
    private func content(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql:
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT GLOB 'sqlite_*'"
        ).sorted().flatMap { table in
            let columns = try db.columns(in: table).map(\.name).filter { $0 != "z" }
            let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
            return try Row.fetchAll(db, sql: "SELECT \(names) FROM \"\(table)\" ORDER BY \(names)").map { row in
                let values = row.map { _, value -> String in
                    if case .double(let real) = value.storage { return "\(real) \(real.bitPattern)" }
                    return "\(value.storage)"
                }
                return "\(table) \(values)"
            }
        }
    }

    /// More rows than the first size of a hash table, in a table without a key.
    @Test(arguments: [100, 128, 129, 1000]) func manyRowsWithoutAKey(count: Int) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (x, y);
                    WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < \(count)) INSERT INTO t SELECT i, 0 FROM c
                    """)
            let history = UndoHistory()
            try history.perform(db) {
                try db.execute(
                    sql:
                        "UPDATE t SET y = 1; UPDATE t SET y = 2; DELETE FROM t WHERE x % 2; INSERT INTO t VALUES (-1, -1)"
                )
            }
            try history.undo(db)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE y = 0 AND x = rowid"), count)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM t"), count)
            try history.redo(db)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE y = 2"), count / 2)
        }
    }

    /// The earlier unique value belongs to a row of other code, which ON CONFLICT REPLACE would delete.
    @Test func otherRowsAreNotReplaced() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE ON CONFLICT REPLACE);
                    INSERT INTO t VALUES (1, 'a')
                    """)
            let history = UndoHistory()
            try history.perform(db) { try db.execute(sql: "UPDATE t SET u = 'z'") }
            try db.execute(sql: "INSERT INTO t VALUES (3, 'a')")
            let error = #expect(throws: UndoConflict.self) { try history.undo(db) }
            #expect(error?.conflicts.map(\.kind) == [.constraint])
            #expect(error?.conflicts.map { "\($0.change!)" } == [#"UPDATE t(1*, "z" -> "a")"#])
            try expectEqual(String.fetchAll(db, sql: "SELECT u FROM t ORDER BY id"), ["z", "a"])
        }
    }

    /// A change of another column of an updated row remains. A deletion would take it away.
    @Test func changesOfOtherColumns() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b); INSERT INTO t VALUES (1, 1, 1)")
            let history = UndoHistory()
            try history.perform(db) { try db.execute(sql: "UPDATE t SET a = 2; INSERT INTO t VALUES (2, 2, 2)") }
            try db.execute(sql: "UPDATE t SET b = 9 WHERE id = 1")
            try history.undo(db)
            try expectEqual(Row.fetchAll(db, sql: "SELECT * FROM t").map { "\($0)" }, ["[id:1 a:1 b:9]"])
            try history.redo(db)
            try db.execute(sql: "ALTER TABLE t ADD COLUMN c DEFAULT 0; UPDATE t SET c = 1 WHERE id = 2")
            let error = #expect(throws: UndoConflict.self) { try history.undo(db) }
            #expect(error?.conflicts.map(\.kind) == [.data])
            #expect(error?.conflicts.map { $0.change?.primaryKey } == [[2.databaseValue]])
            try db.execute(sql: "UPDATE t SET c = 0")
            try history.undo(db)
            try expectEqual(Row.fetchAll(db, sql: "SELECT * FROM t").map { "\($0)" }, ["[id:1 a:1 b:9 c:0]"])
        }
    }

    /// Rows that are older than a column have its default, which SQLite reads as a real number in a REAL column.
    @Test(arguments: [
        "REAL DEFAULT 0", "REAL NOT NULL DEFAULT 2.0", "REAL DEFAULT '7'", "REAL DEFAULT -3", "TEXT DEFAULT 5",
        "DEFAULT 1.5", "INTEGER DEFAULT 2.0",
    ])
    func additionalColumns(definition: String) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1)")
            let history = UndoHistory()
            try history.perform(db) { try db.execute(sql: "INSERT INTO t VALUES (2, 2)") }
            try history.perform(db) {
                try db.execute(sql: "UPDATE t SET a = 3; ALTER TABLE t ADD COLUMN c \(definition)")
            }
            // The action hasn't changed the column.
            try db.execute(sql: "UPDATE t SET c = 99 WHERE id = 1")
            try history.undo(db)
            try history.undo(db)
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT id, a, CAST(c AS INTEGER) AS c FROM t").map { "\($0)" },
                ["[id:1 a:1 c:99]"])
        }
    }

    /// Only a table without INTEGER PRIMARY KEY and without an index has other rowids after VACUUM.
    @Test func rowsThatVacuumRenumbers() throws {
        let queue = try DatabaseQueue()
        let history = UndoHistory()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('x'), ('b'), ('b'), ('c'), ('d')")
            try history.perform(db) { try db.execute(sql: "UPDATE t SET a = 'b' WHERE rowid = 5") }
            try db.execute(sql: "DELETE FROM t WHERE rowid = 1")
        }
        try queue.vacuum()
        try queue.write { db in
            try expectEqual(Row.fetchAll(db, sql: "SELECT rowid, a FROM t").map { "\($0)" }.count, 4)
            let error = #expect(throws: UndoConflict.self) { try history.undo(db) }
            #expect(error?.tableNames == ["t"])
            try expectEqual(String.fetchAll(db, sql: "SELECT a FROM t"), ["b", "b", "c", "b"])
        }
    }

    /// After VACUUM, the rowid belongs to another row with the same value. It isn't changed.
    @Test func anotherRowWithTheSameValue() throws {
        let queue = try DatabaseQueue()
        let history = UndoHistory()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('x'), ('a'), ('b')")
            try history.perform(db) { try db.execute(sql: "UPDATE t SET a = 'b' WHERE rowid = 2") }
            try db.execute(sql: "DELETE FROM t WHERE rowid = 1")
        }
        try queue.vacuum()
        try queue.write { db in
            try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM t WHERE a = 'b'"), [1, 2])
            #expect(throws: UndoConflict.self) { try history.undo(db) }
            try expectEqual(String.fetchAll(db, sql: "SELECT a FROM t"), ["b", "b"])
        }
    }

    /// A change of the schema doesn't renumber rows: rows with their own values are found.
    @Test func schemaChangesBetweenActionAndUndo() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('a'), ('b')")
            let history = UndoHistory()
            try history.perform(db) {
                try db.execute(sql: "UPDATE t SET a = 'z' WHERE a = 'b'; INSERT INTO t VALUES ('y')")
            }
            try db.execute(sql: "CREATE INDEX i ON t (a)")
            try history.undo(db)
            try expectEqual(String.fetchAll(db, sql: "SELECT a FROM t ORDER BY rowid"), ["a", "b"])
            try history.redo(db)
            try expectEqual(String.fetchAll(db, sql: "SELECT a FROM t ORDER BY rowid"), ["a", "z", "y"])
        }
    }

    @Test(arguments: [
        "ALTER TABLE t RENAME TO u", "ALTER TABLE t RENAME COLUMN a TO b", "ALTER TABLE t DROP COLUMN a",
        "DROP TABLE t",
    ])
    func schemaChangesThatCannotBeUndone(change: String) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1)")
            let history = UndoHistory()
            // Inside of the action, after a change of the table.
            let error = expectCode(.SQLITE_SCHEMA) {
                try history.perform(db) { try db.execute(sql: "UPDATE t SET a = 2; \(change)") }
            }
            #expect(error?.message?.hasPrefix("The action has ") == true, "\(String(describing: error))")
            try expectEqual(Int.fetchOne(db, sql: "SELECT a FROM t"), 1)
            #expect(!history.canUndo)
            // After the action.
            try history.perform(db) { try db.execute(sql: "UPDATE t SET a = 2") }
            try db.execute(sql: change)
            expectCode(.SQLITE_SCHEMA) { try history.undo(db) }
            #expect(history.canUndo)
        }
    }

    @Test func tableWhoseRowIDHasNoName() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (rowid, _rowid_, oid); CREATE TABLE u (a)")
            let history = UndoHistory()
            expectCode(.SQLITE_MISUSE) {
                try history.perform(db) { try db.execute(sql: "INSERT INTO t VALUES (1, 2, 3)") }
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM t"), 0)
            try history.perform(db) { try db.execute(sql: "INSERT INTO u VALUES (1)") }
            #expect(history.canUndo)
        }
    }

    /// A trigger that fires during the undo writes a table whose rows SQL can't find.
    @Test func triggersThatWriteATableWhoseRowIDHasNoName() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a);
                    CREATE TABLE odd (rowid, _rowid_, oid);
                    CREATE TRIGGER d AFTER DELETE ON t BEGIN INSERT INTO odd VALUES (1, 2, 3); END;
                    """)
            let history = UndoHistory(firesTriggers: true)
            try history.perform(db) { try db.execute(sql: "INSERT INTO t VALUES (1)") }
            expectCode(.SQLITE_MISUSE) { try history.undo(db) }
            try expectEqual(Int.fetchAll(db, sql: "SELECT count(*) FROM t UNION ALL SELECT count(*) FROM odd"), [1, 0])
            #expect(history.canUndo)
        }
    }

    /// The rows that would violate a foreign key are named.
    @Test func rowsThatViolateAForeignKey() throws {
        try DatabaseQueue().write { db in
            try db.createTeams()
            let history = UndoHistory()
            try history.perform(db) { try db.execute(sql: "INSERT INTO team VALUES (3, 'Greens')") }
            try db.execute(sql: "UPDATE player SET teamId = 3 WHERE id = 1")
            let error = #expect(throws: UndoConflict.self) { try history.undo(db) }
            #expect(
                error?.violatingRows.map { "\($0.tableName) \($0.rowID!) \($0.referencedTableName)" } == [
                    "player 1 team"
                ])
            #expect(error?.tableNames == ["player"])
            // The connection enforces foreign keys and their actions as before.
            try db.execute(sql: "DELETE FROM team WHERE id = 3")
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM player WHERE id = 1"), 0)
            expectCode(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO player VALUES (9, 'x', 0, 99)") }
        }
    }

    /// Triggers fire for the full-text table. What they write to recorded tables is taken back.
    @Test func firingTriggersWriteRecordedTables() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, a);
                    CREATE TABLE log (what);
                    CREATE VIRTUAL TABLE words USING fts5(a);
                    CREATE TRIGGER i AFTER INSERT ON t BEGIN
                      INSERT INTO log VALUES ('insert'); INSERT INTO words(rowid, a) VALUES (new.id, new.a);
                    END;
                    CREATE TRIGGER d AFTER DELETE ON t BEGIN
                      INSERT INTO log VALUES ('delete'); DELETE FROM words WHERE rowid = old.id;
                    END;
                    """)
            let history = UndoHistory(firesTriggers: true)
            try history.perform(db) { try db.execute(sql: "INSERT INTO t VALUES (1, 'one')") }
            try history.undo(db)
            try expectEqual(String.fetchAll(db, sql: "SELECT what FROM log"), [])
            try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM words('one')"), [])
            try history.redo(db)
            try expectEqual(String.fetchAll(db, sql: "SELECT what FROM log"), ["insert"])
            try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM words('one')"), [1])
        }
    }

    @Test func utf16Database() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA encoding = 'UTF-16be';
                    CREATE TABLE t (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
                    INSERT INTO t VALUES ('ä', 'b'), ('c', CAST(x'D800' AS TEXT))
                    """)
            let history = UndoHistory()
            let before = try String.fetchAll(
                db, sql: "SELECT hex(CAST(k AS BLOB)) || hex(CAST(v AS BLOB)) FROM t ORDER BY k")
            try history.perform(db) { try db.execute(sql: "UPDATE t SET k = k || '€', v = 1") }
            try history.undo(db)
            try expectEqual(
                String.fetchAll(db, sql: "SELECT hex(CAST(k AS BLOB)) || hex(CAST(v AS BLOB)) FROM t ORDER BY k"),
                before)
            try history.redo(db)
            try db.execute(sql: "UPDATE t SET v = 2")
            let error = #expect(throws: UndoConflict.self) { try history.undo(db) }
            #expect(error?.conflicts.first?.change?.primaryKey == ["c€".databaseValue])
        }
    }

    enum Reader: CaseIterable, Sendable { case audit, session, both }

    /// An audit and a session convert the values of a UTF-16 database to UTF-8, and the history restores the stored bytes.
    @Test(arguments: Reader.allCases, ["UTF-16le", "UTF-16be", "UTF-8"])
    func bytesThatOtherReadersConvert(reader: Reader, encoding: String) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA encoding = '\(encoding)';
                    CREATE TABLE t (k TEXT PRIMARY KEY, v, r REAL) WITHOUT ROWID;
                    INSERT INTO t VALUES ('ä', 'b', 1), ('c', CAST(x'D800' AS TEXT), 2), ('d', CAST(x'00D8' AS TEXT), 3)
                    """)
            var sessions: [Session] = []
            if reader != .session { try db.audit(.everyTable) }
            if reader != .audit { try sessions.append(db.makeSession()) }
            func rows() throws -> [String] {
                try String.fetchAll(
                    db, sql: "SELECT hex(CAST(k AS BLOB)) || ' ' || hex(CAST(v AS BLOB)) || ' ' || r FROM t ORDER BY k")
            }
            let history = UndoHistory()
            let before = try rows()
            try history.perform(db) {
                // The recorder begins again for each statement, after the history has begun.
                try db.execute(sql: "UPDATE t SET v = v || '€', r = r + 1; DELETE FROM t WHERE k = 'd'")
                try db.execute(sql: "UPDATE t SET k = 'x' WHERE k = 'c'; INSERT INTO t VALUES ('ö', 'ü', 4)")
            }
            let after = try rows()
            try history.undo(db)
            try expectEqual(rows(), before)
            try history.redo(db)
            try expectEqual(rows(), after)
            withExtendedLifetime(sessions) {}
        }
    }
}
