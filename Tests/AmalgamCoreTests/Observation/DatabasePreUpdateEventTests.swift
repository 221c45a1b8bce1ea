import Amalgam
import Foundation
import TestSupport
import Testing

/// The values of rows before and after a change.
struct DatabasePreUpdateEventTests {
    /// The change events that an observer receives, without the ends of transactions.
    private func changes(in schema: String, _ sql: String) throws -> [String] {
        try makeQueue(schema).inDatabase { db in
            try db.events(logsValues: true) { try db.execute(sql: sql) }
        }
        .filter { !$0.hasSuffix("Commit") }
    }

    private func events(in schema: String, _ sql: String) throws -> [DatabasePreUpdateEvent] {
        let log = EventLog()
        try makeQueue(schema).inDatabase { db in
            db.add(transactionObserver: log)
            try db.execute(sql: sql)
        }
        return log.preUpdateEvents
    }

    @Test func theyComeBeforeTheChange() throws {
        let lines = try changes(
            in: playerSchema,
            """
            INSERT INTO player VALUES (1, 'Anna'), (2, NULL);
            UPDATE player SET name = 'Bo' WHERE id = 1;
            DELETE FROM player WHERE id = 2;
            """)
        #expect(
            lines == [
                #"will insert player(1): [1, "Anna"]"#, "insert player(1)",
                "will insert player(2): [2, NULL]", "insert player(2)",
                #"will update player(1): [1, "Anna"] -> [1, "Bo"]"#, "update player(1)",
                "will delete player(2): [2, NULL]", "delete player(2)",
            ])
    }

    @Test func rowIDs() throws {
        let events = try events(
            in: playerSchema,
            "INSERT INTO player VALUES (1, 'Anna'); UPDATE player SET id = 2; DELETE FROM player")
        #expect(events.map(\.initialRowID) == [nil, 1, 2])
        #expect(events.map(\.finalRowID) == [1, 2, nil])
        #expect(events.map(\.kind) == [.insert, .update, .delete])
        #expect(events.map(\.kind.rawValue) == [18, 23, 9])
        #expect(events.allSatisfy { $0.tableName == "player" && $0.databaseName == "main" && $0.count == 2 })
    }

    @Test func valuesThatAreNotThere() throws {
        let events = try events(
            in: playerSchema, "INSERT INTO player VALUES (1, 'Anna'); UPDATE player SET name = ''; DELETE FROM player")
        let (insertion, update, deletion) = (events[0], events[1], events[2])
        #expect(insertion.initialDatabaseValues == nil)
        #expect(insertion.initialDatabaseValue(atIndex: 0) == nil)
        #expect(insertion.finalDatabaseValues == [1.databaseValue, "Anna".databaseValue])
        #expect(deletion.finalDatabaseValues == nil)
        #expect(deletion.finalDatabaseValue(atIndex: 0) == nil)
        #expect(deletion.initialDatabaseValues == [1.databaseValue, "".databaseValue])
        for index in [-1, 2, .max, .min] {
            #expect(update.initialDatabaseValue(atIndex: index) == nil)
            #expect(update.finalDatabaseValue(atIndex: index) == nil)
        }
    }

    @Test func liveEventsAndCopiesAgree() throws {
        let log = EventLog()
        let lines = Lines()
        log.onWillChange = { event in
            let copy = event.copy()
            #expect(copy.line == event.line)
            #expect(copy.copy().line == event.line)
            #expect(copy.count == event.count)
            #expect(copy.depth == event.depth)
            for index in -1...event.count {
                #expect(copy.initialDatabaseValue(atIndex: index) == event.initialDatabaseValue(atIndex: index))
                #expect(copy.finalDatabaseValue(atIndex: index) == event.finalDatabaseValue(atIndex: index))
            }
            lines.append(event.line)
        }
        try makeQueue(playerSchema).inDatabase { db in
            db.add(transactionObserver: log)
            try db.execute(
                sql: "INSERT INTO player VALUES (1, 'Anna'); UPDATE player SET name = 'Bo'; DELETE FROM player")
        }
        #expect(lines.take().count == 3)
        #expect(
            log.preUpdateEvents.map(\.line) == [
                #"insert player(1): [1, "Anna"]"#,
                #"update player(1): [1, "Anna"] -> [1, "Bo"]"#,
                #"delete player(1): [1, "Bo"]"#,
            ])
    }

    @Test func allKindsOfValues() throws {
        let event = try events(
            in: "CREATE TABLE t (i INTEGER, r REAL, s TEXT, b BLOB, n, big)",
            "INSERT INTO t VALUES (-1, 1.5, 'é\u{1F600}', x'00ff', NULL, 9223372036854775807)")[0]
        #expect(
            event.finalDatabaseValues == [
                (-1).databaseValue, 1.5.databaseValue, "é\u{1F600}".databaseValue, Data([0, 255]).databaseValue, .null,
                Int64.max.databaseValue,
            ])
    }

    @Test func valuesHaveTheAffinityOfTheirColumn() throws {
        // SQLite stores the real 1.0 as an integer, and returns it as a real.
        let events = try events(
            in: "CREATE TABLE t (id INTEGER PRIMARY KEY, r REAL, s TEXT)",
            "INSERT INTO t VALUES (1, 1, 2); UPDATE t SET r = 3; DELETE FROM t")
        let one: [DatabaseValue] = [1.databaseValue, 1.0.databaseValue, "2".databaseValue]
        let three: [DatabaseValue] = [1.databaseValue, 3.0.databaseValue, "2".databaseValue]
        #expect(events[0].finalDatabaseValues == one)
        #expect(events[1].initialDatabaseValues == one)
        #expect(events[1].finalDatabaseValues == three)
        #expect(events[2].initialDatabaseValues == three)
    }

    @Test func addedColumnsHaveTheirDefault() throws {
        let lines = try changes(
            in: "CREATE TABLE t (a); INSERT INTO t VALUES (1); ALTER TABLE t ADD COLUMN b DEFAULT 'x'",
            "UPDATE t SET a = 2; DELETE FROM t")
        #expect(
            lines == [
                #"will update t(1): [1, "x"] -> [2, "x"]"#, "update t(1)", #"will delete t(1): [2, "x"]"#,
                "delete t(1)",
            ])
    }

    @Test func storedGeneratedColumns() throws {
        let lines = try changes(
            in: "CREATE TABLE t (a, double AS (a * 2) STORED, b)",
            "INSERT INTO t (a, b) VALUES (1, 'x'); UPDATE t SET a = 2")
        #expect(
            lines == [
                #"will insert t(1): [1, 2, "x"]"#, "insert t(1)",
                #"will update t(1): [1, 2, "x"] -> [2, 4, "x"]"#, "update t(1)",
            ])
    }

    @Test func columnsAroundVirtualGeneratedOnes() throws {
        let events = try events(
            in: "CREATE TABLE t (a, double AS (a * 2) VIRTUAL, b)",
            "INSERT INTO t (a, b) VALUES (1, 'x'); UPDATE t SET b = 'y'; DELETE FROM t")
        #expect(events.map(\.count) == [3, 3, 3])
        #expect(events.map { $0.initialDatabaseValue(atIndex: 0) } == [nil, 1.databaseValue, 1.databaseValue])
        #expect(events.map { $0.finalDatabaseValue(atIndex: 0) } == [1.databaseValue, 1.databaseValue, nil])
        #expect(events.map { $0.initialDatabaseValue(atIndex: 2) } == [nil, "x".databaseValue, "y".databaseValue])
        #expect(events.map { $0.finalDatabaseValue(atIndex: 2) } == ["x".databaseValue, "y".databaseValue, nil])
    }

    @Test func keysOfTablesWithoutRowID() throws {
        let lines = try changes(
            in: "CREATE TABLE t (v, k TEXT PRIMARY KEY) WITHOUT ROWID",
            "INSERT INTO t VALUES (1, 'a'); UPDATE t SET v = 2; DELETE FROM t WHERE k = 'a'")
        #expect(
            lines == [
                #"will insert t: [1, "a"]"#, "insert t",
                #"will update t: [1, "a"] -> [2, "a"]"#, "update t",
                #"will delete t: [2, "a"]"#, "delete t",
            ])
    }

    @Test func depth() throws {
        let events = try events(
            in: """
                CREATE TABLE a (id INTEGER PRIMARY KEY);
                CREATE TABLE b (id INTEGER PRIMARY KEY);
                CREATE TABLE c (id INTEGER PRIMARY KEY);
                CREATE TRIGGER ab AFTER INSERT ON a BEGIN INSERT INTO b VALUES (new.id + 1); END;
                CREATE TRIGGER bc AFTER INSERT ON b BEGIN INSERT INTO c VALUES (new.id + 1); END;
                """,
            "INSERT INTO a VALUES (1)")
        #expect(events.map(\.tableName) == ["a", "b", "c"])
        #expect(events.map(\.depth) == [0, 1, 2])
        #expect(events.map(\.finalRowID) == [1, 2, 3])
    }

    @Test func columnNames() throws {
        let events = try events(
            in: #"CREATE TABLE t (id INTEGER PRIMARY KEY, "full Name" TEXT, double AS (id * 2))"#,
            #"INSERT INTO t VALUES (1, 'Anna'); UPDATE t SET "FULL NAME" = 'Bo'"#)
        #expect(events.map(\.columnNames) == Array(repeating: ["id", "full Name", "double"], count: 2))
        #expect(events[1].initialDatabaseValue(named: "full name") == "Anna".databaseValue)
        #expect(events[1].finalDatabaseValue(named: "full Name") == "Bo".databaseValue)
        #expect(events[1].finalDatabaseValue(named: "nothing") == nil)
        #expect(events[0].initialDatabaseValue(named: "id") == nil)
    }

    @Test func columnChanges() throws {
        let events = try events(
            in: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score)",
            """
            INSERT INTO player VALUES (1, 'Anna', 10);
            UPDATE player SET name = name, score = score + 1;
            UPDATE player SET score = 11;
            UPDATE player SET score = 11.0;
            DELETE FROM player;
            """)
        func lines(_ event: DatabasePreUpdateEvent) -> [String] {
            event.columnChanges.map { "\($0.index) \($0.columnName): \($0.initialValue) -> \($0.finalValue)" }
        }
        #expect(
            events.map(lines) == [
                ["0 id: NULL -> 1", #"1 name: NULL -> "Anna""#, "2 score: NULL -> 10"],
                ["2 score: 10 -> 11"],
                [],
                ["2 score: 11 -> 11.0"],
                ["0 id: 1 -> NULL", #"1 name: "Anna" -> NULL"#, "2 score: 11.0 -> NULL"],
            ])
    }

    /// An old value, and one with other bytes.
    static let bytes = [
        ("CAST(x'ff' AS TEXT)", "CAST(x'fe' AS TEXT)"), ("CAST(x'61ff' AS TEXT)", "CAST(x'61fffe' AS TEXT)"),
        ("0.0", "-0.0"), ("char(233)", "'e' || char(769)"), ("x'61'", "'a'"), ("x''", "''"), ("1", "1.0"),
        ("x'00'", "x'01'"), ("NULL", "x''"),
    ]

    @Test("columns whose bytes change are reported, in live and copied events", arguments: bytes)
    func changedBytes(initial: String, final: String) throws {
        try makeQueue("CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, \(initial))").inDatabase {
            db in
            let observer = ChangeCounter()
            db.add(transactionObserver: observer)
            try db.execute(sql: "UPDATE t SET a = a")
            #expect(observer.counts == [0, 0])
            try db.execute(sql: "UPDATE t SET a = \(final)")
            #expect(observer.counts == [0, 0, 1, 1])
        }
    }

    /// Counts the changed columns of each event, and of its copy.
    private final class ChangeCounter: TransactionObserver {
        var counts: [Int] = []

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }

        func databaseWillChange(with event: DatabasePreUpdateEvent) {
            // The copy of an event has the decoded string only, of which it is unknown whether it has changed.
            let count = event.columnChanges.count
            let isDecoded = event.initialDatabaseValues?.contains { "\($0)".contains("\u{FFFD}") } == true
            counts += [count, isDecoded ? count : event.copy().columnChanges.count]
        }

        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    @Test func namesFollowTheSchema() throws {
        let log = EventLog()
        try makeQueue("CREATE TABLE t (a)").inDatabase { db in
            db.add(transactionObserver: log)
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try db.execute(sql: "ALTER TABLE t RENAME COLUMN a TO b")
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                try db.execute(sql: "DROP TABLE t; CREATE TABLE u (c, d)")
                try db.execute(sql: "INSERT INTO u VALUES (3, 4)")
                return .commit
            }
        }
        #expect(
            log.preUpdateEvents.map { "\($0.tableName) \($0.columnNames)" } == [
                #"t ["a"]"#, #"t ["b"]"#, #"u ["c", "d"]"#,
            ])
    }

    @Test func eventsThatAreKeptWithoutACopyHaveNoValues() throws {
        final class Keeper: TransactionObserver {
            var events: [DatabasePreUpdateEvent] = []
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseWillChange(with event: DatabasePreUpdateEvent) {
                // Earlier events can't be read any more.
                #expect(events.allSatisfy { $0.count == 0 && $0.finalDatabaseValue(atIndex: 0) == nil })
                events.append(event)
            }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let keeper = Keeper()
        do {
            let dbQueue = try makeQueue(playerSchema)
            dbQueue.add(transactionObserver: keeper)
            try dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna'), (2, 'Bo')") }
            try dbQueue.close()
        }
        let event = try #require(keeper.events.first)
        #expect(event.tableName == "player" && event.finalRowID == 1)
        #expect(event.count == 0 && event.depth == 0 && event.columnNames == [] && event.columnChanges == [])
        #expect(event.finalDatabaseValues == [] && event.copy().count == 0)
    }

    @Test func observersOfChangesOnly() throws {
        // Methods that an observer doesn't implement have no effect.
        final class Minimal: TransactionObserver {
            var count = 0
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) { count += 1 }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let observer = Minimal()
        try makeQueue(playerSchema).inDatabase { db in
            db.add(transactionObserver: observer)
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            observer.databaseDidChange()
        }
        #expect(observer.count == 1)
    }
}
