import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Changes by triggers and foreign key actions are reported with their actual tables and columns.
struct IndirectChangeTests {
    static let schema = """
        CREATE TABLE table3 (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE table4 (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE table1 (
          id INTEGER PRIMARY KEY, a, b,
          id3 INTEGER REFERENCES table3(id) ON DELETE CASCADE ON UPDATE CASCADE,
          id4 INTEGER REFERENCES table4(id) ON DELETE SET NULL ON UPDATE CASCADE);
        CREATE TABLE table2 (id INTEGER PRIMARY KEY, a, b);
        CREATE TABLE table5 (id INTEGER PRIMARY KEY);
        CREATE TRIGGER insertion AFTER INSERT ON table5 BEGIN
          INSERT INTO table1 (id3, id4, a, b) VALUES (NULL, NULL, 0, 0);
        END;
        INSERT INTO table3 (id) VALUES (1), (2), (3);
        INSERT INTO table4 (id) VALUES (1), (2), (3);
        INSERT INTO table1 VALUES (1, 'a', 'b', 1, 1), (2, 'a', 'b', 2, 2);
        INSERT INTO table2 VALUES (1, 'a', 'b');
        """

    /// The queries whose regions are observed.
    static let queries = [
        "SELECT * FROM table1",
        "SELECT id, id3, a FROM table1",
        "SELECT table1.id, table1.a, table2.a FROM table1, table2 WHERE table1.id = table2.id",
        "SELECT COUNT(*) FROM table1",
    ]

    /// An observer of a region, as applications write it.
    final class RegionObserver: TransactionObserver {
        let region: DatabaseRegion
        var isTriggered = false

        init(_ region: DatabaseRegion) { self.region = region }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            region.isModified(byEventsOfKind: eventKind)
        }
        func databaseDidChange(with event: DatabaseEvent) {
            if region.isModified(by: event) { isTriggered = true }
        }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    @Test func regions() throws {
        try makeQueue(Self.schema).read { db in
            let regions = try Self.queries.map { try db.makeStatement(sql: $0).databaseRegion.description }
            #expect(
                regions == [
                    "table1(a,b,id,id3,id4)", "table1(a,id,id3)", "table1(a,id),table2(a,id)", "table1(*)",
                ])
        }
    }

    @Test(arguments: [
        ("INSERT INTO table1 (id, id3, id4, a, b) VALUES (4, 1, 1, 0, 0)", "1 1 1 1"),
        ("INSERT INTO table2 (id, a, b) VALUES (4, 0, 0)", "0 0 1 0"),
        ("UPDATE table1 SET a = 1", "1 1 1 1"),
        ("UPDATE table1 SET b = 1", "1 0 0 1"),
        ("UPDATE table2 SET a = 1", "0 0 1 0"),
        ("UPDATE table2 SET b = 1", "0 0 0 0"),
        // cascading to table1.id3, and to table1.id4
        ("UPDATE table3 SET id = 10 WHERE id = 1", "1 1 0 1"),
        ("UPDATE table4 SET id = 10 WHERE id = 1", "1 0 0 1"),
        // SET NULL on table1.id4
        ("DELETE FROM table4 WHERE id = 1", "1 0 0 1"),
        ("DELETE FROM table4 WHERE id = 3", "0 0 0 0"),
        // cascading to rows of table1
        ("DELETE FROM table3 WHERE id = 1", "1 1 1 1"),
        ("DELETE FROM table3 WHERE id = 3", "0 0 0 0"),
        // the trigger
        ("INSERT INTO table5 DEFAULT VALUES", "1 1 1 1"),
        // columns that no foreign key refers to
        ("UPDATE table3 SET name = 'x'", "0 0 0 0"),
    ])
    func regionsAreTriggered(sql: String, triggered: String) throws {
        try makeQueue(Self.schema).inDatabase { db in
            let observers = try Self.queries.map { try RegionObserver(db.makeStatement(sql: $0).databaseRegion) }
            for observer in observers { db.add(transactionObserver: observer) }
            try db.execute(sql: sql)
            #expect(observers.map { $0.isTriggered ? "1" : "0" }.joined(separator: " ") == triggered)
        }
    }

    @Test(arguments: [
        ("UPDATE table3 SET id = 10 WHERE id = 1", ["update table1(1)", "update table3(10)"]),
        ("DELETE FROM table4 WHERE id = 1", ["delete table4(1)", "update table1(1)"]),
        ("DELETE FROM table3 WHERE id = 2", ["delete table1(2)", "delete table3(2)"]),
        (
            "DELETE FROM table3",
            ["delete table1(1)", "delete table1(2)", "delete table3(1)", "delete table3(2)", "delete table3(3)"]
        ),
        ("INSERT INTO table5 VALUES (12)", ["insert table1(3)", "insert table5(12)"]),
    ])
    func events(sql: String, expected: [String]) throws {
        try makeQueue(Self.schema).inDatabase { db in
            let lines = try db.events { try db.execute(sql: sql) }
            #expect(lines.filter { !$0.hasSuffix("Commit") }.sorted() == expected)
        }
    }

    @Test func viewsWithTriggers() throws {
        let schema = """
            CREATE TABLE t (id INTEGER PRIMARY KEY, a);
            CREATE VIEW v AS SELECT a FROM t;
            CREATE TRIGGER tv INSTEAD OF INSERT ON v BEGIN INSERT INTO t (a) VALUES (new.a); END;
            """
        try makeQueue(schema).inDatabase { db in
            let lines = try db.events(logsValues: true) { try db.execute(sql: "INSERT INTO v VALUES ('x')") }
            #expect(lines == [#"will insert t(1): [1, "x"]"#, "insert t(1)", "willCommit", "didCommit"])
        }
    }

    static let journal = """
        CREATE TABLE t (id INTEGER PRIMARY KEY);
        CREATE TABLE journal (id INTEGER PRIMARY KEY);
        """
    static let trigger = "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO journal VALUES (new.id + 100); END"

    @Test func triggersThatComeAndGoAfterTheStatementWasPrepared() throws {
        try makeQueue(Self.journal).inDatabase { db in
            let insertion = try db.makeStatement(sql: "INSERT INTO t DEFAULT VALUES")
            try insertion.execute()
            let log = EventLog()
            db.add(transactionObserver: log)
            func told() throws -> [String] {
                _ = log.take()
                try insertion.execute()
                return log.take().filter { !$0.hasSuffix("Commit") }
            }
            try #expect(told() == ["insert t(2)"])
            try db.execute(sql: Self.trigger)
            try #expect(told() == ["insert t(3)", "insert journal(103)"])
            try db.execute(sql: "DROP TRIGGER tr")
            try #expect(told() == ["insert t(4)"])
            // A schema change that is rolled back
            try db.inTransaction {
                try db.execute(sql: Self.trigger)
                return .rollback
            }
            try #expect(told() == ["insert t(5)"])
            try db.inTransaction {
                try db.execute(sql: "SAVEPOINT s")
                try db.execute(sql: Self.trigger)
                try #expect(told() == [])  // pending
                try db.execute(sql: "ROLLBACK TO s; RELEASE s")
                try #expect(told() == ["insert t(6)"])
                return .commit
            }
        }
    }

    @Test(arguments: [true, false])
    func triggersOfAnotherConnection(observesInsertions: Bool) throws {
        let folder = Folder()
        let first = try DatabaseQueue(path: folder.path("db.sqlite"))
        let second = try DatabaseQueue(path: folder.path("db.sqlite"))
        let log = EventLog { observesInsertions || $0.tableName == "journal" }
        try first.inDatabase { db in
            try db.execute(sql: Self.journal)
            db.add(transactionObserver: log)
            let insertion = try db.makeStatement(sql: "INSERT INTO t DEFAULT VALUES")
            try insertion.execute()
            try second.inDatabase { try $0.execute(sql: Self.trigger) }
            _ = log.take()
            try insertion.execute()
            let expected = ["insert t(2)", "insert journal(102)", "willCommit", "didCommit"]
            #expect(log.take() == (observesInsertions ? expected : Array(expected.dropFirst())))
            // Known from the first run
            try insertion.execute()
            let next = ["insert t(3)", "insert journal(103)", "willCommit", "didCommit"]
            #expect(log.take() == (observesInsertions ? next : Array(next.dropFirst())))
            try second.inDatabase { try $0.execute(sql: "DROP TRIGGER tr") }
            try insertion.execute()
            #expect(log.take() == (observesInsertions ? ["insert t(4)"] : []) + ["willCommit", "didCommit"])
        }
    }

    /// The statement is compiled again when it runs, in a transaction in which it was uninteresting before.
    @Test func triggersOfAnotherConnectionInATransaction() throws {
        let folder = Folder()
        let first = try DatabaseQueue(path: folder.path("db.sqlite"))
        let second = try DatabaseQueue(path: folder.path("db.sqlite"))
        let log = EventLog { $0.tableName == "journal" }
        try first.write { try $0.execute(sql: Self.journal) }
        first.add(transactionObserver: log)
        func told() throws -> [String] {
            _ = log.take()
            try first.write { db in
                let insertion = try db.cachedStatement(sql: "INSERT INTO t DEFAULT VALUES")
                try insertion.execute()
                try insertion.execute()
            }
            return log.take()
        }
        let end = ["willCommit", "didCommit"]
        try #expect(told() == end)
        try second.write { try $0.execute(sql: Self.trigger) }
        try #expect(told() == ["insert journal(103)", "insert journal(104)"] + end)
        try second.write { try $0.execute(sql: "DROP TRIGGER tr") }
        try #expect(told() == end)
    }

    /// Connection settings decide whether foreign keys are enforced, and whether triggers fire when REPLACE deletes.
    @Test(arguments: [true, false])
    func settingsThatChangeAfterTheStatementWasPrepared(inTransaction: Bool) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(configuration: configuration)
        let log = EventLog { $0.tableName == "child" }
        try queue.inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (id INTEGER PRIMARY KEY);
                    CREATE TABLE child (id INTEGER PRIMARY KEY, parentID REFERENCES parent ON DELETE CASCADE);
                    INSERT INTO parent VALUES (1), (2), (3);
                    INSERT INTO child VALUES (10, 1), (20, 2), (30, 3);
                    """)
            db.add(transactionObserver: log)
            let deletion = try db.makeStatement(sql: "DELETE FROM parent WHERE id = ?")
            func told(_ id: Int) throws -> [String] {
                _ = log.take()
                if inTransaction { try db.execute(sql: "BEGIN") }
                try deletion.execute(arguments: [id])
                if inTransaction { try db.execute(sql: "COMMIT") }
                return log.take().filter { !$0.hasSuffix("Commit") }
            }
            try #expect(told(1) == [])
            try db.execute(sql: "PRAGMA foreign_keys = ON")
            try #expect(told(2) == ["delete child(20)"])
            try #expect(told(3) == ["delete child(30)"])
        }
    }

    /// During a transaction, a setting changes so that rows deleted by REPLACE fire triggers.
    @Test func aSettingThatChangesInATransaction() throws {
        try makeQueue(Self.journal).inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER tr AFTER DELETE ON t BEGIN INSERT INTO journal VALUES (NULL); END;
                    INSERT INTO t VALUES (1);
                    """)
            let log = EventLog { $0.tableName == "journal" }
            db.add(transactionObserver: log)
            let replacement = try db.makeStatement(sql: "REPLACE INTO t VALUES (1)")
            try db.inTransaction {
                try replacement.execute()
                try replacement.execute()
                #expect(log.take() == [])
                try db.execute(sql: "PRAGMA recursive_triggers = ON")
                try replacement.execute()
                try replacement.execute()
                #expect(log.take() == ["insert journal(1)", "insert journal(2)"])
                return .commit
            }
        }
    }

    /// REPLACE deletes rows after a unique index was created.
    @Test(arguments: [true, false], [true, false])
    func indexesThatComeAfterTheStatementWasPrepared(inTransaction: Bool, ofAnotherConnection: Bool) throws {
        let folder = Folder()
        let first = try DatabaseQueue(path: folder.path("db.sqlite"))
        let second = try DatabaseQueue(path: folder.path("db.sqlite"))
        let log = EventLog {
            if case .delete = $0 { true } else { false }
        }
        try first.inDatabase { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
            db.add(transactionObserver: log)
            let replacement = try db.makeStatement(sql: "REPLACE INTO t (a) VALUES ('x')")
            func told() throws -> [String] {
                _ = log.take()
                if inTransaction { try db.execute(sql: "BEGIN") }
                try replacement.execute()
                try replacement.execute()
                if inTransaction { try db.execute(sql: "COMMIT") }
                return log.take().filter { !$0.hasSuffix("Commit") }
            }
            try #expect(told() == [])
            try db.execute(sql: "DELETE FROM t")
            let index = "CREATE UNIQUE INDEX i ON t(a)"
            if ofAnotherConnection {
                try second.inDatabase { try $0.execute(sql: index) }
            } else {
                try db.execute(sql: index)
            }
            try #expect(told() == ["delete t(1)"])
            try #expect(told() == ["delete t(2)", "delete t(3)"])
        }
    }

    @Test func observingOnlyTheIndirectTable() throws {
        try makeQueue(Self.schema).inDatabase { db in
            let lines = try db.events(observing: { $0.tableName == "table1" }) {
                try db.execute(sql: "INSERT INTO table5 VALUES (1); DELETE FROM table3")
            }
            #expect(
                lines.filter { !$0.hasSuffix("Commit") } == [
                    "insert table1(3)", "delete table1(1)", "delete table1(2)",
                ])
        }
    }
}
