import Amalgam
import Foundation
import TestSupport
import Testing

/// Observations see all changes, whichever connection has changed the schema after statements were compiled.
@Suite struct SchemaChangeTests {
    private static let count = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM member") ?? -1
    }

    /// The readers of the pool have compiled their statements before the writer recreates a view.
    @Test func aViewThatIsMadeAnew() throws {
        try withPool { pool, _ in
            try pool.write { try $0.execute(sql: "CREATE VIEW member AS SELECT id FROM player") }
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(Self.count, in: pool)
            try recorder.wait(last: 0)
            for count in 1...8 {
                try pool.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Anna')") }
                try recorder.wait(last: count)
            }
            try pool.write { db in
                try db.execute(
                    sql: """
                        DROP VIEW member;
                        CREATE VIEW member AS SELECT id FROM team;
                        DELETE FROM player;
                        """)
            }
            try recorder.wait(last: 0)
            for count in 1...8 {
                try pool.write { try $0.execute(sql: "INSERT INTO team (name) VALUES ('Reds')") }
                try recorder.wait(last: count)
            }
            cancellable.cancel()
        }
    }

    /// A cached statement fires a trigger that another connection has created.
    @Test func aTriggerOfAnotherConnection() throws {
        try withPool { pool, folder in
            let other = try DatabaseQueue(path: folder.path("db.sqlite"))
            let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM team")! }
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(observation, in: pool)
            try recorder.wait(last: 0)
            func insert() throws {
                try pool.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Anna')") }
            }
            for _ in 1...3 { try insert() }
            try other.write { db in
                try db.execute(
                    sql: """
                        CREATE TRIGGER teams AFTER INSERT ON player BEGIN
                          INSERT INTO team (name) VALUES (new.name);
                        END
                        """)
            }
            for count in 1...8 {
                try insert()
                try recorder.wait(last: count)
            }
            cancellable.cancel()
            try other.close()
        }
    }

    // MARK: Redefined tables and views

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let fetch: @Sendable (Database) throws -> String
        /// The SQL that changes the schema.
        let definition: String
        /// The SQL that writes afterwards, so that the value differs.
        let write: String
        /// Whether the definition is temporary, and so visible to one connection: then the case applies to queues only.
        var isOfConnection = false

        var testDescription: String { name }
    }

    private static let cases = [
        Case(
            name: "a new column", fetch: { try text($0, "SELECT * FROM player") },
            definition: "ALTER TABLE player ADD COLUMN bonus", write: "UPDATE player SET bonus = 1"),
        Case(
            name: "a new column, of a request",
            fetch: { try "\(Row.fetchAll($0, Table("player").filter(key: 1)))" },
            definition: "ALTER TABLE player ADD COLUMN bonus", write: "UPDATE player SET bonus = 1"),
        Case(
            name: "a column with another name", fetch: { try text($0, "SELECT * FROM player") },
            definition: "ALTER TABLE player RENAME COLUMN score TO points", write: "UPDATE player SET points = 1"),
        Case(
            name: "another view", fetch: { try text($0, "SELECT * FROM best") },
            definition: "DROP VIEW best; CREATE VIEW best AS SELECT name FROM team",
            write: "UPDATE team SET name = 'Greens'"),
        Case(
            name: "a view of another view", fetch: { try text($0, "SELECT * FROM top") },
            definition: "DROP VIEW best; CREATE VIEW best AS SELECT name FROM team",
            write: "UPDATE team SET name = 'Greens'"),
        Case(
            name: "a view that is counted", fetch: { try text($0, "SELECT COUNT(*) FROM top") },
            definition: "DROP VIEW best; CREATE VIEW best AS SELECT name FROM team",
            write: "INSERT INTO team (name) VALUES ('Greens'), ('Whites')"),
        Case(
            name: "a view in a condition",
            fetch: { try text($0, "SELECT 1 FROM item WHERE EXISTS (SELECT 1 FROM top)") },
            definition: "DROP VIEW best; CREATE VIEW best AS SELECT name FROM team",
            write: "DELETE FROM team"),
        Case(
            name: "a table in front of another one", fetch: { try text($0, "SELECT name FROM team") },
            definition: "CREATE TEMP TABLE team (name)",
            write: "INSERT INTO temp.team VALUES ('Greens')", isOfConnection: true),
        Case(
            name: "a table behind another one", fetch: { try text($0, "SELECT name FROM item") },
            definition: "CREATE TEMP TABLE item (name); DROP TABLE temp.item",
            write: "INSERT INTO item VALUES ('Greens')", isOfConnection: true),
        Case(
            name: "another collation",
            fetch: { try "\(Table("player").filter(Column("name") == "anna").fetchCount($0))" },
            definition: """
                DROP TABLE player;
                CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, score);
                """,
            write: "INSERT INTO player (name) VALUES ('ANNA')"),
        Case(
            name: "another primary key",
            fetch: { try "\(Row.fetchAll($0, Table("player").filter(key: 2)))" },
            definition: """
                DROP VIEW top;
                DROP VIEW best;
                CREATE TABLE newPlayer (name TEXT, id INT PRIMARY KEY);
                INSERT INTO newPlayer VALUES ('Anna', 2), ('Bo', 1);
                DROP TABLE player;
                ALTER TABLE newPlayer RENAME TO player;
                """,
            write: "UPDATE player SET name = 'Zoe' WHERE id = 2"),
        Case(
            name: "a generated column", fetch: { try text($0, "SELECT name FROM player") },
            definition: """
                DROP VIEW top;
                DROP VIEW best;
                CREATE TABLE newPlayer (id INTEGER PRIMARY KEY, score, name TEXT AS ('no. ' || score));
                INSERT INTO newPlayer (id, score) SELECT id, score FROM player;
                DROP TABLE player;
                ALTER TABLE newPlayer RENAME TO player;
                """,
            write: "UPDATE player SET score = 99"),
        Case(
            name: "a view in the place of a table", fetch: { try text($0, "SELECT name FROM player") },
            definition: "ALTER TABLE player RENAME TO human; CREATE VIEW player AS SELECT name FROM human",
            write: "UPDATE human SET name = 'Zoe'"),
        Case(
            name: "an attached database", fetch: { try text($0, "SELECT name FROM team") },
            definition: "DROP TABLE team; ATTACH ':memory:' AS other; CREATE TABLE other.team (name)",
            write: "INSERT INTO team VALUES ('Greens')", isOfConnection: true),
    ]

    private static func text(_ db: Database, _ sql: String) throws -> String { try "\(Row.fetchAll(db, sql: sql))" }

    private static func fill(_ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO team (name) VALUES ('Reds');
                INSERT INTO player (id, name, score) VALUES (1, 'Anna', 10), (2, 'Bo', 20);
                CREATE VIEW best AS SELECT name FROM player WHERE score > 10;
                CREATE VIEW top AS SELECT name FROM best;
                CREATE TABLE item (name);
                INSERT INTO item VALUES ('x');
                """)
    }

    @Test(arguments: cases, [true, false])
    func definitions(test: Case, inOneTransaction: Bool) throws {
        let steps =
            inOneTransaction && !test.definition.contains("ATTACH")
            ? ["BEGIN; \(test.definition); \(test.write); COMMIT"] : [test.definition, test.write]
        for store in test.isOfConnection ? Store.queues : Store.allCases {
            try store.withWriter { writer in
                try writer.write(Self.fill)
                let recorder = Recorder<String>()
                let observation = ValueObservation.tracking { try test.fetch($0) }
                let cancellable = recorder.start(observation, in: writer)
                try recorder.wait(count: 1)
                for step in steps { try writer.writeWithoutTransaction { try $0.execute(sql: step) } }
                let value = try writer.unsafeRead { try test.fetch($0) }
                #expect(throws: Never.self, "\(store)") { try recorder.wait(last: value) }
                cancellable.cancel()
            }
        }
    }

    /// Another connection adds a column, and this one writes it.
    @Test func aDefinitionOfAnotherConnection() throws {
        for store in [Store.fileQueue, .pool] {
            try store.withWriter { writer in
                try writer.write(Self.fill)
                let path = try #require(try writer.read { $0.filePath() })
                let other = try DatabaseQueue(path: path)
                let recorder = Recorder<String>()
                let cancellable = recorder.start(
                    ValueObservation.tracking { try Self.text($0, "SELECT * FROM player") }, in: writer)
                try recorder.wait(count: 1)
                try other.writeWithoutTransaction { try $0.execute(sql: "ALTER TABLE player ADD COLUMN bonus") }
                try writer.write { try $0.execute(sql: "UPDATE player SET bonus = 1") }
                try recorder.wait(last: try writer.read { try Self.text($0, "SELECT * FROM player") })
                cancellable.cancel()
                try other.close()
            }
        }
    }

    /// A region that is given, or determined once, always refers to the current schema.
    @Test(arguments: Store.allCases)
    func constantRegions(store: Store) throws {
        try store.withWriter { writer in
            try writer.write(Self.fill)
            let fetch: @Sendable (Database) throws -> String = { try Self.text($0, "SELECT * FROM best") }
            let best = SQLRequest<Row>(sql: "SELECT * FROM best")
            let constant = Recorder<String>()
            let given = Recorder<String>()
            let cancellables = [
                constant.start(ValueObservation.trackingConstantRegion(fetch), in: writer),
                given.start(ValueObservation.tracking(region: best, fetch: fetch), in: writer),
            ]
            for recorder in [constant, given] { try recorder.wait(count: 1) }
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "DROP VIEW best; CREATE VIEW best AS SELECT name FROM team")
            }
            for name in ["Greens", "Whites", "Blacks"] {
                try writer.write { try $0.execute(sql: "UPDATE team SET name = ?", arguments: [name]) }
                let value = try writer.read(fetch)
                for recorder in [constant, given] { try recorder.wait(last: value) }
            }
            for cancellable in cancellables { cancellable.cancel() }
        }
    }

    /// Definitions alone don't cause a fetch.
    @Test func definitionsAreNoChanges() throws {
        try Store.memoryQueue.withWriter { writer in
            try writer.write(Self.fill)
            let fetches = Log<String>()
            let recorder = Recorder<Int>()
            let observation = ValueObservation.tracking { db in
                fetches.append("players")
                return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
            }
            let cancellable = recorder.startImmediately(observation, in: writer)
            func fetchCount(after sql: String) throws -> Int {
                _ = fetches.take()
                try writer.writeWithoutTransaction { try $0.execute(sql: sql) }
                return fetches.elements.count
            }
            // Of other tables
            try #expect(fetchCount(after: "CREATE TABLE staging (a); INSERT INTO staging VALUES (1)") == 0)
            try #expect(fetchCount(after: "CREATE TEMP TABLE temporary (a); INSERT INTO temporary VALUES (1)") == 0)
            try #expect(fetchCount(after: "DROP TABLE staging; DROP TABLE temporary; UPDATE team SET name = ''") == 0)
            try #expect(fetchCount(after: "CREATE VIEW v AS SELECT * FROM team; UPDATE team SET name = 'x'") == 0)
            try #expect(fetchCount(after: "CREATE INDEX i ON player(name); UPDATE team SET name = 'y'") == 0)
            try #expect(fetchCount(after: "PRAGMA foreign_keys = OFF; UPDATE team SET name = 'z'") == 0)
            try #expect(fetchCount(after: "BEGIN; DELETE FROM team; ROLLBACK; UPDATE team SET name = 'v'") == 0)
            // Of observed tables: the next change of any table causes a fetch, and later changes are distinguished
            // again.
            try #expect(fetchCount(after: "ALTER TABLE player ADD COLUMN bonus") == 0)
            try #expect(fetchCount(after: "UPDATE team SET name = 'a'") == 1)
            try #expect(fetchCount(after: "UPDATE team SET name = 'b'") == 0)
            try #expect(fetchCount(after: "INSERT INTO player (name) VALUES ('Cleo')") == 1)
            // A definition that is rolled back
            try #expect(fetchCount(after: "BEGIN; ALTER TABLE player ADD COLUMN more; ROLLBACK") == 0)
            _ = try fetchCount(after: "UPDATE team SET name = 'c'")
            _ = try fetchCount(after: "UPDATE team SET name = 'd'")
            try #expect(fetchCount(after: "UPDATE team SET name = 'e'") == 0)
            try #expect(fetchCount(after: "DELETE FROM player") == 1)
            cancellable.cancel()
        }
    }

    /// If a table is dropped and created again, no observation ends.
    @Test(arguments: Store.allCases)
    func aTableThatIsAwayForAWhile(store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.execute(sql: "CREATE TABLE item (id); CREATE TABLE staging (a)") }
            try writer.write { try $0.execute(sql: "INSERT INTO item VALUES (1)") }
            let recorder = Recorder<Int>()
            let regions = Log<String>()
            let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item")! }
            let cancellables = [
                recorder.start(observation, in: writer),
                DatabaseRegionObservation(tracking: Table("item")).start(in: writer) {
                    Issue.record($0)
                } onChange: { _ in
                    regions.append("item")
                },
            ]
            try recorder.wait(last: 1)
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "DROP TABLE item; INSERT INTO staging VALUES (1)")
            }
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "CREATE TABLE item (code TEXT PRIMARY KEY) WITHOUT ROWID")
                try db.execute(sql: "INSERT INTO item VALUES ('a'), ('b')")
            }
            try recorder.wait(last: 2)
            try writer.write { try $0.execute(sql: "INSERT INTO item VALUES ('c')") }
            try recorder.wait(last: 3)
            #expect(recorder.error == nil)
            #expect(regions.elements == ["item", "item"])
            for cancellable in cancellables { cancellable.cancel() }
        }
    }

    /// The columns of a recreated table are tracked as well, in the same transaction and later.
    @Test(arguments: Store.allCases)
    func regionObservations(store: Store) throws {
        try store.withWriter { writer in
            try writer.write(Self.fill)
            let log = Log<String>()
            let cancellable = DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "SELECT * FROM player")).start(
                in: writer, onError: { Issue.record($0) }, onChange: { _ in log.append("player") })
            try writer.write { db in
                try db.execute(sql: "ALTER TABLE player ADD COLUMN bonus; UPDATE player SET bonus = 1")
            }
            #expect(log.take() == ["player"])
            try writer.write { try $0.execute(sql: "UPDATE player SET bonus = 2") }
            #expect(log.take() == ["player"])
            try writer.write { try $0.execute(sql: "ALTER TABLE player ADD COLUMN more") }
            try writer.write { try $0.execute(sql: "UPDATE team SET name = 'Greens'") }
            #expect(log.take() == [])
            try writer.write { try $0.execute(sql: "UPDATE player SET more = 2") }
            #expect(log.take() == ["player"])
            cancellable.cancel()
        }
    }

    /// A running fetch has seen the old tables: its region doesn't count.
    @Test func aDefinitionDuringAFetch() throws {
        try withPool { pool, _ in
            try pool.write(Self.fill)
            let isHeld = Box(false)
            let hasRead = Signal("a fetch has read")
            let mayEnd = Signal("a fetch may end")
            let recorder = Recorder<String>()
            let observation = ValueObservation.tracking { db in
                let text = try Self.text(db, "SELECT * FROM player")
                if isHeld.value {
                    hasRead.fire()
                    try mayEnd.wait()
                }
                return text
            }
            let cancellable = recorder.start(observation, in: pool)
            try recorder.wait(count: 1)
            isHeld.value = true
            try pool.write { try $0.execute(sql: "UPDATE player SET score = 30") }
            try hasRead.wait()
            try pool.writeWithoutTransaction { try $0.execute(sql: "ALTER TABLE player ADD COLUMN bonus") }
            mayEnd.fire()
            try recorder.wait(count: 2)
            try pool.write { try $0.execute(sql: "UPDATE player SET bonus = 1") }
            try recorder.wait(last: try pool.read { try Self.text($0, "SELECT * FROM player") })
            cancellable.cancel()
        }
    }
}
