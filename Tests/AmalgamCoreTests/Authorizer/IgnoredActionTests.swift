import Amalgam
import Foundation
import TestSupport
import Testing

/// What the decision `.ignore` of an authorizer does. The schema has what a statement could depend on.
struct IgnoredActionTests {
    private func run(_ test: (Database) throws -> Void) throws {
        try DatabaseKind.file.run { db in
            try db.createTeams()
            try db.execute(
                sql: """
                    CREATE TABLE note (k TEXT);
                    INSERT INTO note VALUES ('a'), ('b');
                    CREATE INDEX playerOnName ON player(lower(name)) WHERE score > 0;
                    CREATE VIEW card AS SELECT id, name, score FROM player;
                    CREATE TRIGGER cardDelete INSTEAD OF DELETE ON card BEGIN DELETE FROM player WHERE id = old.id; END;
                    CREATE TRIGGER cardUpdate INSTEAD OF UPDATE ON card BEGIN
                      UPDATE player SET score = new.score WHERE id = old.id;
                    END;
                    CREATE VIRTUAL TABLE search USING fts5(body);
                    INSERT INTO search VALUES ('one two');
                    """)
            try test(db)
            try expectEqual(String.fetchAll(db, sql: "PRAGMA integrity_check"), ["ok"])
        }
    }

    private func ignoring(_ kind: AuthorizerAction.Kind, _ db: Database, _ sql: String) throws {
        try db.withAuthorizer {
            $0.kind == kind ? .ignore : .allow
        } perform: {
            try db.execute(sql: sql)
        }
    }

    // MARK: What can be ignored

    @Test("an ignored deletion deletes the rows, and observers receive them")
    func deletions() throws {
        try run { db in
            let log = EventLog()
            db.add(transactionObserver: log)
            try ignoring(.delete, db, "DELETE FROM note WHERE k = 'a'")
            #expect(log.take() == ["delete note(1)", "willCommit", "didCommit"])
            // SQLite's truncate optimization would report no rows.
            try ignoring(.delete, db, "DELETE FROM note")
            #expect(log.take() == ["delete note(2)", "willCommit", "didCommit"])
            try ignoring(.delete, db, "DELETE FROM card WHERE id = 1")
            #expect(log.take() == ["delete player(1)", "willCommit", "didCommit"])
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM note"), 0)
        }
    }

    @Test("a column that isn't updated keeps its value, and observers receive the row")
    func updates() throws {
        try run { db in
            let log = EventLog()
            db.add(transactionObserver: log)
            try db.withAuthorizer {
                $0.kind == .update && $0.columnName == "name" ? .ignore : .allow
            } perform: {
                try db.execute(sql: "UPDATE player SET (name, score) = (SELECT 'X', 5) WHERE id = 1")
            }
            #expect(log.take() == ["update player(1)", "willCommit", "didCommit"])
            try expectEqual(Row.fetchOne(db, sql: "SELECT name, score FROM player"), ["name": "Anna", "score": 5])
            try ignoring(.update, db, "UPDATE card SET score = 7 WHERE id = 1")
            #expect(log.take() == ["update player(1)", "willCommit", "didCommit"])
            try expectEqual(Int.fetchOne(db, sql: "SELECT score FROM player"), 5)
        }
    }

    @Test("columns and functions are NULL, and other statements have no effect")
    func effects() throws {
        try run { db in
            let values = try db.withAuthorizer {
                $0.columnName == "score" || $0.functionName == "upper" ? .ignore : .allow
            } perform: {
                try Row.fetchOne(db, sql: "SELECT name, score, upper(name) AS upper FROM card")
            }
            #expect(values == ["name": "Anna", "score": nil, "upper": nil])
            try ignoring(.insert, db, "INSERT INTO note VALUES ('c')")
            try ignoring(.pragma, db, "PRAGMA user_version = 5")
            try ignoring(.attach, db, "ATTACH ':memory:' AS other")
            try ignoring(.transaction, db, "BEGIN")
            try ignoring(.savepoint, db, "SAVEPOINT s")
            try ignoring(.reindex, db, "REINDEX")
            #expect(!db.isInsideTransaction)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM note"), 2)
            try expectEqual(Int.fetchOne(db, sql: "PRAGMA user_version"), 0)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM pragma_database_list"), 1)
        }
    }

    @Test("the SELECT of CREATE TABLE AS reads NULL")
    func createdTable() throws {
        try run { db in
            try db.withAuthorizer {
                $0.columnName == "score" ? .ignore : .allow
            } perform: {
                try db.execute(sql: "CREATE TABLE copy AS SELECT name, score FROM player WHERE id = 1")
            }
            try expectEqual(Row.fetchOne(db, sql: "SELECT * FROM copy"), ["name": "Anna", "score": nil])
        }
    }

    // MARK: What is denied

    @Test(
        "what the rest of a statement needs is denied",
        arguments: [
            (.select, "SELECT 1", "SELECT"),
            (.select, "DELETE FROM card WHERE id = 3", "SELECT"),
            (.select, "UPDATE card SET score = 1", "SELECT"),
            (.select, "INSERT INTO note SELECT name FROM player", "SELECT"),
            (.recursive, "WITH c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 3) SELECT i FROM c", "RECURSIVE"),
            (.read, "UPDATE player SET score = 1 RETURNING name", "READ player.name"),
            (.insert, "INSERT INTO note VALUES ('c') RETURNING k", "INSERT note"),
            (.update, "UPDATE note SET rowid = rowid + 10", "UPDATE note.ROWID"),
            (.update, "UPDATE note SET _rowid_ = 10 WHERE k = 'a'", "UPDATE note.ROWID"),
            (.update, "UPDATE player SET id = id + 10", "UPDATE player.id"),
            (.read, "CREATE INDEX i ON note(k)", "READ note.k"),
            (.function, "CREATE INDEX i ON note(abs(k))", "FUNCTION abs"),
            (.function, "/* c */; -- d\n CREATE INDEX i ON note(k) WHERE abs(k) > 1", "FUNCTION abs"),
            (.reindex, "CREATE INDEX i ON note(k)", "REINDEX i"),
            (.createIndex, "CREATE INDEX i ON note(k)", "CREATE INDEX i.note"),
            (.createIndex, "CREATE TABLE t (a UNIQUE)", "CREATE INDEX sqlite_autoindex_t_1.t"),
            (.read, "CREATE TABLE t (a PRIMARY KEY) WITHOUT ROWID", "READ t.a"),
            (.createTable, "CREATE TABLE t (a)", "CREATE TABLE t"),
            (.insert, "CREATE TABLE t (a)", "INSERT sqlite_master"),
            (.createView, "CREATE VIEW v AS SELECT 1", "CREATE VIEW v"),
            (.createVirtualTable, "CREATE VIRTUAL TABLE v USING fts5(a)", "CREATE VTABLE v.fts5"),
            (.delete, "DROP TABLE note", "DELETE sqlite_master"),
            (.dropTable, "DROP TABLE note", "DROP TABLE note"),
            (.dropTrigger, "DROP VIEW card", "DROP TRIGGER cardUpdate.card"),
            (.alterTable, "ALTER TABLE note ADD COLUMN c", "ALTER TABLE main.note"),
            (.alterTable, "ALTER TABLE note RENAME COLUMN k TO c", "ALTER TABLE main.note"),
            (.analyze, "ANALYZE note", "ANALYZE note"),
        ] as [(AuthorizerAction.Kind, String, String)])
    func denials(kind: AuthorizerAction.Kind, sql: String, action: String) throws {
        try run { db in
            let state = "SELECT group_concat(name || coalesce(sql, ''), ';') FROM sqlite_schema"
            let before = try String.fetchOne(db, sql: state)
            let error = expectFailure(.SQLITE_AUTH) { try ignoring(kind, db, sql) }
            let denied = error?.deniedAction.map { "\($0)" }
            // SQLite drops triggers in an order of its own.
            #expect(denied == action || (kind == .dropTrigger && denied?.hasPrefix("DROP TRIGGER card") == true))
            try expectEqual(String.fetchOne(db, sql: state), before)
        }
    }

    @Test("VACUUM copies all rows, or throws", arguments: [AuthorizerAction.Kind.read, .insert, .attach, .createTable])
    func vacuum(kind: AuthorizerAction.Kind) throws {
        try run { db in
            expectCode(.SQLITE_AUTH) { try ignoring(kind, db, "VACUUM") }
            try expectEqual(String.fetchAll(db, sql: "SELECT k FROM note"), ["a", "b"])
        }
    }

    // MARK: SQL of SQLite and of virtual tables

    @Test(
        "SQLite reads and writes its schema table for a definition that is allowed",
        arguments: [AuthorizerAction.Kind.read, .update, .delete, .function, .select],
        ["CREATE TABLE t (a)", "CREATE VIEW v AS SELECT 1", "ALTER TABLE note RENAME TO memo", "DROP TABLE note"])
    func definitions(kind: AuthorizerAction.Kind, sql: String) throws {
        guard kind != .delete || !sql.hasPrefix("DROP") else { return }
        try withTemporaryDirectory { directory in
            let path = directory.appending(path: "definitions.sqlite").path
            let queue = try DatabaseQueue(path: path)
            try queue.write { db in
                try db.execute(sql: "CREATE TABLE note (k TEXT UNIQUE); INSERT INTO note VALUES ('a')")
            }
            try queue.write { db in try ignoring(kind, db, sql) }
            let names = try queue.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_schema WHERE sql > ''") }
            #expect(names != ["note"])
            try queue.close()
            try DatabaseQueue(path: path).read { db in
                try expectEqual(String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE sql > ''"), names)
                try expectEqual(String.fetchAll(db, sql: "PRAGMA integrity_check"), ["ok"])
            }
        }
    }

    @Test("the shadow tables of a full-text table receive each word")
    func shadowTables() throws {
        try run { db in
            for kind in [AuthorizerAction.Kind.update, .delete, .function] {
                try ignoring(kind, db, "INSERT INTO search VALUES ('three four')")
                try ignoring(kind, db, "DELETE FROM search WHERE rowid = 1")
            }
            try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM search('three')"), [2, 3, 4])
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM search('two')"), 0)
            try db.execute(sql: "INSERT INTO search(search) VALUES ('integrity-check')")
        }
    }

    @Test("an ignored column of a content table isn't shown by its full-text table")
    func externalContent() throws {
        try run { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE names USING fts5(name, content = 'player', content_rowid = 'id')")
            let error = expectFailure(.SQLITE_AUTH) {
                try db.withAuthorizer {
                    $0.tableName == "player" && $0.columnName == "name" ? .ignore : .allow
                } perform: {
                    _ = try String.fetchAll(db, sql: "SELECT name FROM names")
                }
            }
            #expect(error?.deniedAction?.tableName == "player")
        }
    }
}
