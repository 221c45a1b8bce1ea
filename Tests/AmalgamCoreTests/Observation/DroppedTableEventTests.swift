import Amalgam
import AmalgamCore
import CAmalgam
import TestSupport
import Testing

/// `DROP TABLE` runs the foreign key actions of a deletion of all rows: <https://sqlite.org/foreignkeys.html#fk_schemacommands>.
struct DroppedTableEventTests {
    private func events(_ schema: String, _ sql: String) throws -> [String] {
        try makeQueue(schema).inDatabase { db in try db.events { try db.execute(sql: sql) } }
            .filter { !$0.hasSuffix("Commit") }
    }

    private static let parent = "CREATE TABLE team (id INTEGER PRIMARY KEY); INSERT INTO team VALUES (1), (2);"

    private static func player(_ action: String) -> String {
        """
        CREATE TABLE player (id INTEGER PRIMARY KEY, team DEFAULT NULL REFERENCES team ON DELETE \(action));
        INSERT INTO player VALUES (10, 1), (11, 2), (12, NULL);
        """
    }

    @Test(arguments: [
        ("CASCADE", ["delete player(10)", "delete player(11)"]),
        ("SET NULL", ["update player(10)", "update player(11)"]),
        ("SET DEFAULT", ["update player(10)", "update player(11)"]),
    ])
    func rowsOfOtherTablesAreReported(action: String, expected: [String]) throws {
        #expect(try events(Self.parent + Self.player(action), "DROP TABLE team") == expected)
        #expect(try events(Self.parent + Self.player(action), "BEGIN; DROP TABLE team; COMMIT") == expected)
    }

    @Test func observersAreAskedForTheTablesOfTheActionsOnly() throws {
        let log = EventLog()
        try makeQueue(Self.parent + Self.player("CASCADE")).inDatabase { db in
            db.add(transactionObserver: log)
            try db.execute(sql: "DROP TABLE team")
            #expect(log.takeAsked() == [.delete(tableName: "sqlite_master"), .delete(tableName: "player")])
        }
    }

    @Test func theTriggersOfOtherTablesAreReported() throws {
        let schema = """
            \(Self.parent)\(Self.player("CASCADE"))
            CREATE TABLE log (id INTEGER PRIMARY KEY);
            CREATE TABLE latest (name PRIMARY KEY, id);
            INSERT INTO log VALUES (7);
            CREATE TRIGGER own AFTER DELETE ON team BEGIN INSERT INTO log VALUES (99); END;
            CREATE TRIGGER deletion AFTER DELETE ON player BEGIN
              DELETE FROM log;
              INSERT INTO log VALUES (old.id);
              REPLACE INTO latest VALUES ('player', old.id);
            END;
            """
        #expect(
            try events(schema, "DROP TABLE team") == [
                "delete player(10)", "delete log(7)", "insert log(10)", "insert latest(1)",
                "delete player(11)", "delete log(10)", "insert log(11)", "delete latest(1)", "insert latest(2)",
            ])
    }

    /// The rows of the dropped table are never reported, even if they refer to each other.
    @Test func aTableThatRefersToItself() throws {
        let schema = """
            CREATE TABLE node (id INTEGER PRIMARY KEY, parent REFERENCES node ON DELETE CASCADE);
            CREATE TABLE leaf (id INTEGER PRIMARY KEY, node REFERENCES node ON DELETE CASCADE);
            INSERT INTO node VALUES (1, NULL), (2, 1), (3, 2);
            INSERT INTO leaf VALUES (5, 3);
            """
        #expect(try events(schema, "DROP TABLE node") == ["delete leaf(5)"])
        let observer = ObserverOfAllRows()
        try makeQueue(schema).inDatabase { db in
            db.add(transactionObserver: observer)
            try db.execute(sql: "DROP TABLE node")
        }
        #expect(observer.lines == ["delete leaf(5)"])
    }

    private final class ObserverOfAllRows: TransactionObserver {
        var lines: [String] = []

        var databaseEventObservationStrategy: DatabaseEventObservationStrategy {
            var strategy = DatabaseEventObservationStrategy.default
            strategy.requiresDatabaseEventKind = false
            return strategy
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) { lines.append(event.line) }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    /// A table of another schema may have the name of the dropped table.
    @Test func aTemporaryTableOfTheSameName() throws {
        let schema = """
            \(Self.parent)\(Self.player("CASCADE"))
            CREATE TEMP TABLE team (id INTEGER PRIMARY KEY, name UNIQUE);
            CREATE TEMP TRIGGER deletion AFTER DELETE ON main.player BEGIN
              REPLACE INTO team VALUES (old.id, 'latest');
            END;
            """
        #expect(
            try events(schema, "DROP TABLE main.team").filter { $0.contains("team") } == [
                "insert team(10)", "delete team(10)", "insert team(11)",
            ])
        #expect(try events(schema, "DROP TABLE temp.team") == [])
    }

    @Test func changesThatASavepointUndoesAreNotReported() throws {
        let sql = "SAVEPOINT s; DROP TABLE team; ROLLBACK TO s; RELEASE s"
        #expect(try events(Self.parent + Self.player("CASCADE"), sql) == [])
    }

    @Test func withoutForeignKeysNothingIsReported() throws {
        let schema = "PRAGMA foreign_keys = 0;" + Self.parent + Self.player("CASCADE")
        #expect(try events(schema, "DROP TABLE team") == [])
    }

    @Test func aTriggerThatWritesAVirtualTableIsAnnounced() throws {
        let schema = """
            \(Self.parent)\(Self.player("CASCADE"))
            CREATE VIRTUAL TABLE document USING fts5(body);
            CREATE TRIGGER deletion AFTER DELETE ON player BEGIN INSERT INTO document VALUES (old.id); END;
            """
        final class Announcements: TransactionObserver {
            var count = 0
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "document" }
            func databaseDidChange() { count += 1 }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let announcements = Announcements()
        try makeQueue(schema).inDatabase { db in
            db.add(transactionObserver: announcements)
            try db.execute(sql: "DROP TABLE team")
        }
        #expect(announcements.count == 1)
    }
}
