import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Observations of queries whose changes SQLite doesn't report for the columns that the query names.
struct ProgramObservationTests {
    private static let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name, teamId);
        CREATE TABLE team (teamId, city);
        INSERT INTO player VALUES (1, 'Anna', 1), (2, 'Bo', 2);
        INSERT INTO team VALUES (3, 'Nice');
        CREATE TABLE doc (id INTEGER PRIMARY KEY, title);
        INSERT INTO doc VALUES (1, 'old');
        CREATE VIRTUAL TABLE page USING fts5(title, body);
        INSERT INTO page VALUES ('x', 'y');
        CREATE VIRTUAL TABLE words USING fts5vocab(page, row);
        CREATE VIRTUAL TABLE docIndex USING fts5(title, content=doc, content_rowid=id);
        CREATE TABLE game (id INTEGER PRIMARY KEY);
        CREATE TABLE half (id INTEGER PRIMARY KEY);
        CREATE TABLE goal (
          id INTEGER PRIMARY KEY, game REFERENCES game ON DELETE CASCADE, half REFERENCES half ON DELETE SET NULL);
        CREATE TABLE report (goal);
        CREATE TRIGGER goalDeletion AFTER DELETE ON goal BEGIN INSERT INTO report VALUES (OLD.id); END;
        INSERT INTO game VALUES (1);
        INSERT INTO half VALUES (1);
        INSERT INTO goal VALUES (1, 1, 1);
        """

    static let changes = [
        ("SELECT count(*) FROM player JOIN team USING (teamId)", "INSERT INTO team VALUES (1, 'Rome')"),
        ("SELECT player.name FROM player NATURAL JOIN team", "INSERT INTO team VALUES (1, 'Rome')"),
        (
            "SELECT name, city FROM player LEFT JOIN team USING (teamId)",
            "UPDATE team SET teamId = 2"
        ),
        (
            "SELECT name FROM player LEFT JOIN team USING (teamId) WHERE city IS NULL",
            "UPDATE player SET teamId = 3 WHERE id = 2"
        ),
        ("SELECT teamId FROM player FULL JOIN team USING (teamId)", "UPDATE player SET teamId = 3 WHERE id = 1"),
        ("SELECT title FROM page WHERE page MATCH 'a'", "UPDATE page SET body = 'a' WHERE rowid = 1"),
        ("SELECT rowid FROM page('a')", "UPDATE page SET body = 'a' WHERE rowid = 1"),
        ("SELECT highlight(page, 1, '', '') FROM page", "UPDATE page SET body = 'z'"),
        ("SELECT term FROM words", "INSERT INTO page VALUES ('new', 'word')"),
        ("SELECT title FROM docIndex", "UPDATE doc SET title = 'new'"),
        ("SELECT id FROM goal", "DROP TABLE game"),
        ("SELECT id, half FROM goal WHERE id = 1", "DROP TABLE half"),
        ("SELECT * FROM report", "DROP TABLE game"),
    ]

    @Test(arguments: changes, [DatabaseKind.memory, .pool])
    func aQueryIsFetchedAgain(change: (query: String, write: String), kind: DatabaseKind) throws {
        try kind.open { writer in
            try writer.write { try $0.execute(sql: Self.schema) }
            try expectFetch(of: change.query, in: writer) { try $0.execute(sql: change.write) }
        }
    }

    /// SQLite compiles the statements of a changeset, and of the triggers that it fires, without the library.
    @Test(
        arguments: [
            "DELETE FROM page", "INSERT INTO page VALUES ('new', NEW.name)",
            "UPDATE page SET body = NEW.name WHERE rowid = 1",
        ], [DatabaseKind.memory, .pool])
    func aChangesetFiresATriggerThatWritesAVirtualTable(action: String, kind: DatabaseKind) throws {
        try kind.open { writer in
            try writer.write { db in
                try db.execute(
                    sql: Self.schema + "CREATE TRIGGER t AFTER UPDATE ON player BEGIN \(action); END;")
            }
            var changeset: Changeset?
            try writer.writeWithoutTransaction { db in
                try db.inTransaction {
                    let session = try Session(db)
                    try session.attach(table: "player")
                    try db.execute(sql: "UPDATE player SET name = 'Ada' WHERE id = 1")
                    changeset = try session.changeset()
                    try session.close()
                    return .rollback
                }
            }
            let changes = try #require(changeset)
            try expectFetch(of: "SELECT * FROM page", in: writer) { db in try db.apply(changes) { _ in .omit } }
        }
    }

    private func expectFetch(
        of query: String, in writer: any DatabaseWriter, after write: @escaping (Database) throws -> Void
    ) throws {
        let recorder = Recorder<[String]>()
        func rows(_ db: Database) throws -> [String] { try Row.fetchAll(db, sql: query).map(\.description) }
        let cancellable = recorder.start(
            ValueObservation.tracking { db in
                try Row.fetchAll(db, sql: query).map(\.description)
            }, in: writer)
        let first = try recorder.wait(count: 1)[0]
        try writer.write(write)
        let expected = try writer.read(rows)
        #expect(first != expected)
        try recorder.wait(for: "the rows after the write") { $0.last == expected }
        cancellable.cancel()
    }
}
