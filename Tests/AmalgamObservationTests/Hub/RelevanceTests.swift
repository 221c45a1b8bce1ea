import Amalgam
import TestSupport
import Testing

/// The changes that make an observation fetch.
@Suite struct RelevanceTests {
    /// Executes SQL, and returns which observations fetch: those triggered by changes, and those triggered by writes.
    private static func fetches(
        _ writer: any DatabaseWriter, _ fetch: @escaping @Sendable (Database) throws -> Int, after sql: String
    ) throws -> (changes: Int, writes: Int) {
        try writer.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    DELETE FROM player; DELETE FROM team;
                    INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
                    INSERT INTO player VALUES (1, 'Anna', 10, 1), (2, 'Ben', 20, 2);
                    """)
        }
        let log = Log<String>()
        func observation(_ trigger: ValueObservationTrigger, _ name: String) -> ValueObservation<
            ValueReducers.Fetch<Int>
        > {
            ValueObservation.tracking { db in
                log.append(name)
                return try fetch(db)
            }.triggered(by: trigger).delivering(.everyCommit)
        }
        let recorder = Recorder<Int>()
        let cancellables = [
            recorder.startImmediately(observation(.changes, "changes"), in: writer),
            recorder.startImmediately(observation(.writes, "writes"), in: writer),
        ]
        _ = log.take()
        try writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN; \(sql); COMMIT") }
        // Fetches of the commit occupy a reader until they end.
        try writer.barrierWriteWithoutTransaction { _ in }
        for cancellable in cancellables { cancellable.cancel() }
        let names = log.elements
        return (names.filter { $0 == "changes" }.count, names.filter { $0 == "writes" }.count)
    }

    @Test("an update that changes bytes is noticed", arguments: [Store.memoryQueue, .pool], [true, false])
    func changedBytes(store: Store, isFiltered: Bool) throws {
        try store.withWriter { writer in
            try writer.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a)") }
            let values = ["CAST(x'ff' AS TEXT)", "CAST(x'fe' AS TEXT)", "'e' || char(769)", "char(233)", "0.0", "-0.0"]
            try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1, NULL)") }
            let sql = "SELECT hex(a) FROM t" + (isFiltered ? " WHERE id = 1" : "")
            let observation = ValueObservation.tracking { try String.fetchOne($0, sql: sql) ?? "" }
                .delivering(.latest).triggered(by: .changes)
            let recorder = Recorder<String>()
            let cancellable = recorder.startImmediately(observation, in: writer)
            for (index, value) in values.enumerated() {
                try writer.write { try $0.execute(sql: "UPDATE t SET a = \(value)") }
                try recorder.wait(count: index + 2)
            }
            cancellable.cancel()
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let sql: String
        let changes: Bool
        let writes: Bool

        init(_ sql: String, changes: Bool, writes: Bool) {
            (self.sql, self.changes, self.writes) = (sql, changes, writes)
        }

        var testDescription: String { sql }
    }

    private static func check(
        _ test: Case, _ fetch: @escaping @Sendable (Database) throws -> Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for store in [Store.memoryQueue, .pool] {
            try store.withWriter { writer in
                let (changes, writes) = try fetches(writer, fetch, after: test.sql)
                #expect(changes == (test.changes ? 1 : 0), "\(store), changes", sourceLocation: sourceLocation)
                #expect(writes == (test.writes ? 1 : 0), "\(store), writes", sourceLocation: sourceLocation)
            }
        }
    }

    @Test(arguments: [
        Case("UPDATE player SET score = 11 WHERE id = 1", changes: true, writes: true),
        Case("UPDATE player SET score = score", changes: false, writes: true),
        Case("UPDATE player SET score = 10 WHERE id = 1", changes: false, writes: true),
        Case("UPDATE player SET score = 1 WHERE id = 3", changes: false, writes: false),
        Case("UPDATE player SET name = 'Zoe'", changes: false, writes: false),
        Case("UPDATE player SET name = 'Zoe', score = score", changes: false, writes: true),
        Case("INSERT INTO player (name) VALUES ('Cleo')", changes: true, writes: true),
        Case("DELETE FROM player WHERE id = 2", changes: true, writes: true),
        Case("DELETE FROM player", changes: true, writes: true),
        Case("DELETE FROM player WHERE id = 3", changes: false, writes: false),
        Case("UPDATE player SET id = 7 WHERE id = 2", changes: false, writes: false),
        Case("REPLACE INTO player (id, score) VALUES (1, 10)", changes: true, writes: true),
        Case("DELETE FROM team WHERE id = 1", changes: true, writes: true),
        Case("UPDATE team SET id = 9 WHERE id = 1", changes: false, writes: false),
        Case("INSERT INTO team DEFAULT VALUES", changes: false, writes: false),
        Case(
            "SAVEPOINT s; UPDATE player SET score = 0; ROLLBACK TO s; RELEASE s", changes: false, writes: false),
        Case("SAVEPOINT s; UPDATE player SET score = 0; RELEASE s", changes: true, writes: true),
        Case(
            "SAVEPOINT s; SAVEPOINT t; UPDATE player SET score = 0; RELEASE t; ROLLBACK TO s; RELEASE s",
            changes: false, writes: false),
        Case(
            "SAVEPOINT s; UPDATE player SET score = 0; SAVEPOINT t; UPDATE player SET score = 1; ROLLBACK TO t; RELEASE s",
            changes: true, writes: true),
        Case("SAVEPOINT s; SAVEPOINT t; UPDATE player SET score = 0", changes: true, writes: true),
        Case("SAVEPOINT s; UPDATE player SET score = score; RELEASE s", changes: false, writes: true),
        Case("SAVEPOINT s; DELETE FROM team WHERE id = 1; RELEASE s", changes: true, writes: true),
        Case(
            "SAVEPOINT s; UPDATE player SET score = 0; ROLLBACK TO s; UPDATE player SET score = 1; RELEASE s",
            changes: true, writes: true),
    ])
    func ofAColumn(_ test: Case) throws {
        try Self.check(test) { try Int.fetchOne($0, sql: "SELECT SUM(score) FROM player") ?? 0 }
    }

    @Test(arguments: [
        Case("UPDATE player SET score = 11 WHERE id = 1", changes: true, writes: true),
        Case("UPDATE player SET score = 10 WHERE id = 1", changes: false, writes: true),
        Case("UPDATE player SET score = 11 WHERE id = 2", changes: false, writes: false),
        Case("UPDATE player SET id = 7 WHERE id = 1", changes: true, writes: true),
        Case("UPDATE player SET id = 7 WHERE id = 2", changes: false, writes: false),
        Case("DELETE FROM player WHERE id = 1; UPDATE player SET id = 1", changes: true, writes: true),
        Case("DELETE FROM player WHERE id = 2", changes: false, writes: false),
        Case("DELETE FROM player WHERE id = 1", changes: true, writes: true),
        Case("INSERT INTO player (id) VALUES (3)", changes: false, writes: false),
        Case("DELETE FROM team WHERE id = 1", changes: true, writes: true),
        Case("DELETE FROM team WHERE id = 2", changes: false, writes: false),
        Case("SAVEPOINT s; UPDATE player SET score = 11 WHERE id = 2; RELEASE s", changes: false, writes: false),
        Case("SAVEPOINT s; UPDATE player SET score = 11; ROLLBACK TO s; RELEASE s", changes: false, writes: false),
        Case("SAVEPOINT s; UPDATE player SET score = 11; RELEASE s", changes: true, writes: true),
    ])
    func ofARow(_ test: Case) throws {
        struct Player: TableRecord, FetchableRecord, Decodable, Identifiable { var id: Int64, score: Int }
        try Self.check(test) { try Player.fetchOne($0, id: 1)?.score ?? -1 }
    }

    @Test(arguments: [
        Case("INSERT INTO team DEFAULT VALUES", changes: true, writes: true),
        Case("UPDATE player SET score = 11 WHERE id = 2", changes: true, writes: true),
        Case("UPDATE player SET score = score", changes: false, writes: true),
    ])
    func ofTheFullDatabase(_ test: Case) throws {
        try Self.check(test) { db in
            try db.registerAccess(to: DatabaseRegion.fullDatabase)
            return 0
        }
    }

    /// A string of the same length, and a number of another type.
    @Test(arguments: [
        Case("UPDATE player SET name = 'Anne' WHERE id = 1", changes: true, writes: true),
        Case("UPDATE player SET name = NULL WHERE id = 1", changes: true, writes: true),
        Case("UPDATE player SET name = x'416E6E61' WHERE id = 1", changes: true, writes: true),
        Case("UPDATE player SET name = 'An' || 'na' WHERE id = 1", changes: false, writes: true),
    ])
    func ofValues(_ test: Case) throws {
        try Self.check(test) { try Row.fetchAll($0, sql: "SELECT name FROM player").count }
    }

    @Test(arguments: Store.allCases)
    func generatedColumnsChangeWithTheirSources(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE square (side INTEGER, area INTEGER AS (side * side), name TEXT);
                        INSERT INTO square (side) VALUES (1);
                        """)
            }
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(
                ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT area FROM square")! }, in: writer)
            try recorder.wait(last: 1)
            try writer.write { try $0.execute(sql: "UPDATE square SET side = 3") }
            try recorder.wait(last: 9)
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func aBlobThatIsWrittenInPlaceIsNoticed(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write {
                try $0.execute(
                    sql: "CREATE TABLE file (id INTEGER PRIMARY KEY, data BLOB); INSERT INTO file VALUES (1, x'0000')")
            }
            let recorder = Recorder<String>()
            let cancellable = recorder.start(
                ValueObservation.tracking { try String.fetchOne($0, sql: "SELECT hex(data) FROM file")! }, in: writer)
            try recorder.wait(last: "0000")
            try writer.write { db in
                let blob = try db.openBlob(table: "file", column: "data", rowID: 1, access: .readWrite)
                try [1, 2].withUnsafeBytes { try blob.write(UnsafeRawBufferPointer(rebasing: $0[0..<1])) }
                try blob.close()
            }
            try recorder.wait(last: "0100")
            cancellable.cancel()
        }
    }

    @Test func thousandObservationsOfOtherTablesHearOfNothing() throws {
        try Store.pool.withWriter { writer in
            let fetches = Box(0)
            let recorder = Recorder<Int>()
            let cancellables = (0..<1000).map { _ in
                recorder.startImmediately(
                    ValueObservation.tracking { db in
                        fetches.increment()
                        return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team")!
                    }, in: writer)
            }
            try writer.write { db in for _ in 1...100 { try db.addPlayer() } }
            #expect(fetches.value == 1000)
            for cancellable in cancellables { cancellable.cancel() }
        }
    }
}
