import Amalgam
import AmalgamTesting
import Testing

struct SQLRecorderTests {
    private let recorder = SQLRecorder()

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "teams"
        configuration.recordSQL(in: recorder)
        return configuration
    }

    @Test func statementsInTheirOrderWithArguments() throws {
        let dbQueue = try DatabaseQueue(configuration: configuration)
        try dbQueue.write { db in try db.createTeams() }
        recorder.removeAll()
        try dbQueue.write { db in
            try db.execute(sql: "UPDATE player SET score = ? WHERE name = ?", arguments: [1, "O'Hara"])
            _ = try Player.fetchOne(db, key: 3)
        }
        let statements = recorder.statements.filter { !$0.controlsTransaction }
        #expect(
            statements.map(\.expandedSQL) == [
                "UPDATE player SET score = 1 WHERE name = 'O''Hara'", #"SELECT * FROM "player" WHERE "id" = 3"#,
            ])
        #expect(statements.map(\.description) == statements.map(\.expandedSQL))
        #expect(
            statements.map(\.sql) == [
                "UPDATE player SET score = ? WHERE name = ?", #"SELECT * FROM "player" WHERE "id" = ?"#,
            ])
        #expect(recorder.statements.first?.controlsTransaction == true)
        #expect(recorder.statements.last?.controlsTransaction == true)
    }

    @Test func statementsByConnection() throws {
        let folder = try Folder()
        let dbPool = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
        try dbPool.write { db in try db.createTeams() }
        recorder.removeAll()
        let count = try dbPool.read { db in try Player.fetchCount(db) }
        try dbPool.write { db in try db.execute(sql: "DELETE FROM player") }
        #expect(count == 3)
        #expect(recorder.connections == ["teams.reader.1", "teams.writer"])
        let writes = recorder.statements(of: "teams.writer").filter { !$0.controlsTransaction }
        #expect(writes.map(\.sql) == ["DELETE FROM player"])
        try dbPool.close()
    }

    @Test func theStatementsOfAClosure() async throws {
        let dbQueue = try DatabaseQueue(configuration: configuration)
        let created = try recorder.statements { try dbQueue.write { db in try db.createTeams() } }
        #expect(created.filter { !$0.controlsTransaction }.count == 5)
        let read = try await recorder.statements {
            _ = try await dbQueue.read { db in try String.fetchAll(db, sql: "SELECT name FROM team") }
        }
        #expect(read.filter { !$0.controlsTransaction }.map(\.sql) == ["SELECT name FROM team"])
    }

    @Test func statementsOfTriggersAndVirtualTablesAreNotRecorded() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE log (name); CREATE TABLE item (name);
                    CREATE VIRTUAL TABLE words USING fts5(name);
                    CREATE TRIGGER logged AFTER INSERT ON item BEGIN
                      INSERT INTO log VALUES (new.name); INSERT INTO words VALUES (new.name);
                    END
                    """)
            let statements = try db.recordingSQL {
                try db.execute(sql: "-- a comment\nINSERT INTO item VALUES (?)", arguments: ["a"])
            }
            #expect(statements.map(\.expandedSQL) == ["-- a comment\nINSERT INTO item VALUES ('a')"])
        }
    }

    @Test func recordingEndsWithTheClosure() throws {
        try DatabaseQueue().read { db in
            var traced: [String] = []
            db.trace(options: .profile) { _ in traced.append("profile") }
            let outer = try db.recordingSQL {
                let inner = try db.recordingSQL { _ = try Int.fetchOne(db, sql: "SELECT 1") }
                #expect(inner.map(\.sql) == ["SELECT 1"])
                _ = try Int.fetchOne(db, sql: "SELECT 2")
            }
            #expect(outer.map(\.sql) == ["SELECT 1", "SELECT 2"])
            // The closure of `trace` receives the events that it has asked for, and no others.
            #expect(traced == ["profile", "profile"])
        }
    }
}
