import Amalgam
import TestSupport
import Testing

@Suite struct DatabaseRegionObservationTests {
    @Test(arguments: Store.allCases)
    func eachTransactionThatChangesTheRegionIsTold(_ store: Store) throws {
        try store.withWriter { writer in
            let counts = Log<Int>()
            let observation = DatabaseRegionObservation(tracking: Table("player"), Table("team"))
            let cancellable = observation.start(in: writer, onError: { Issue.record($0) }) { db in
                // The writing connection, before any other write.
                counts.append((try? db.playerCount()) ?? -1)
            }
            try writer.write { db in
                try db.addPlayer()
                try db.addPlayer()
            }
            try writer.write { try $0.execute(sql: "INSERT INTO team DEFAULT VALUES") }
            try writer.write { try $0.execute(sql: "INSERT INTO team DEFAULT VALUES; DELETE FROM player") }
            try writer.write { try $0.execute(sql: "CREATE TABLE other (x); INSERT INTO other VALUES (1)") }
            #expect(counts.elements == [2, 2, 0])
            cancellable.cancel()
            try writer.write { try $0.addPlayer() }
            #expect(counts.count == 3)
        }
    }

    @Test(arguments: Store.allCases)
    func cancellationInsideTheCallbackHidesTheNextWrite(_ store: Store) throws {
        try store.withWriter { writer in
            let calls = Box(0)
            let cancellable = Box<AnyDatabaseCancellable?>(nil)
            cancellable.value = DatabaseRegionObservation(tracking: .fullDatabase).start(
                in: writer, onError: { Issue.record($0) }
            ) { _ in
                calls.increment()
                cancellable.value?.cancel()
            }
            try writer.writeWithoutTransaction { db in
                try db.addPlayer()
                try db.addPlayer()
            }
            #expect(calls.value == 1)
        }
    }

    @Test(arguments: Store.allCases)
    func releaseEndsIt(_ store: Store) throws {
        try store.withWriter { writer in
            let calls = Box(0)
            do {
                let cancellable = DatabaseRegionObservation(tracking: .fullDatabase).start(
                    in: writer, onError: { Issue.record($0) }
                ) { _ in calls.increment() }
                try writer.write { try $0.addPlayer() }
                withExtendedLifetime(cancellable) {}
            }
            try writer.write { try $0.addPlayer() }
            #expect(calls.value == 1)
        }
    }

    @Test(arguments: Store.allCases)
    func itStartsAtOnceInsideAWrite(_ store: Store) throws {
        try store.withWriter { writer in
            let calls = Box(0)
            let cancellable = try writer.write { db in
                let cancellable = DatabaseRegionObservation(tracking: Table("player")).start(
                    in: writer, onError: { Issue.record($0) }
                ) { _ in calls.increment() }
                try db.addPlayer()
                return cancellable
            }
            #expect(calls.value == 1)
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func aRegionThatCannotBeComputedIsAnError(_ store: Store) throws {
        try store.withWriter { writer in
            let errors = Log<any Error>()
            let request = SQLRequest<Row>(sql: "SELECT * FROM nowhere")
            let cancellable = DatabaseRegionObservation(tracking: [request]).start(
                in: writer, onError: { errors.append($0) }, onChange: { _ in })
            #expect("\(errors.elements)".contains("no such table: nowhere"))
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func announcedChangesAreTold(_ store: Store) throws {
        try store.withWriter { writer in
            let calls = Box(0)
            let cancellable = DatabaseRegionObservation(tracking: Table("player")).start(
                in: writer, onError: { Issue.record($0) }
            ) { _ in calls.increment() }
            try writer.write { try $0.notifyChanges(in: Table("player")) }
            try writer.write { try $0.notifyChanges(in: Table("team")) }
            #expect(calls.value == 1)
            cancellable.cancel()
        }
    }

    /// SQL, and the regions that it affects: all columns, some columns, a join, and the count of a table.
    @Test(arguments: [
        ("INSERT INTO table1 (id) VALUES (9)", [1, 1, 1, 1]),
        ("INSERT INTO table2 (id) VALUES (9)", [0, 0, 1, 0]),
        ("UPDATE table1 SET a = 5", [1, 1, 1, 1]),
        ("UPDATE table1 SET b = 5", [1, 0, 0, 1]),
        ("UPDATE table2 SET a = 5", [0, 0, 1, 0]),
        ("UPDATE table2 SET b = 5", [0, 0, 0, 0]),
        ("UPDATE table3 SET id = 5", [1, 1, 0, 1]),
        ("UPDATE table4 SET id = 5 WHERE id = 1", [1, 0, 0, 1]),
        ("DELETE FROM table4 WHERE id = 1", [1, 0, 0, 1]),
        ("DELETE FROM table4 WHERE id = 2", [0, 0, 0, 0]),
        ("DELETE FROM table3", [1, 1, 1, 1]),
        ("INSERT INTO table5 VALUES (1)", [1, 1, 1, 1]),
    ])
    func regionsAndStatements(_ sql: String, _ expected: [Int]) throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE table3 (id INTEGER PRIMARY KEY); CREATE TABLE table4 (id INTEGER PRIMARY KEY);
                    CREATE TABLE table1 (
                        id INTEGER PRIMARY KEY, a, b,
                        id3 REFERENCES table3 ON DELETE CASCADE ON UPDATE CASCADE,
                        id4 REFERENCES table4 ON DELETE SET NULL ON UPDATE CASCADE);
                    CREATE TABLE table2 (id INTEGER PRIMARY KEY, a, b);
                    CREATE TABLE table5 (id INTEGER PRIMARY KEY);
                    CREATE TRIGGER insertion AFTER INSERT ON table5 BEGIN INSERT INTO table1 (a) VALUES (1); END;
                    INSERT INTO table3 VALUES (1); INSERT INTO table4 VALUES (1), (2);
                    INSERT INTO table1 VALUES (1, 1, 1, 1, 1); INSERT INTO table2 VALUES (1, 1, 1);
                    """)
        }
        let requests = [
            "SELECT * FROM table1", "SELECT a, id, id3 FROM table1",
            "SELECT table1.a, table2.a FROM table1 JOIN table2 ON table1.id = table2.id", "SELECT COUNT(*) FROM table1",
        ]
        let calls = requests.map { _ in Box(0) }
        let cancellables = zip(requests, calls).map { sql, calls in
            DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: sql)).start(
                in: queue, onError: { Issue.record($0) }
            ) { _ in calls.increment() }
        }

        try queue.write { try $0.execute(sql: sql) }
        #expect(calls.map(\.value) == expected)
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test func tablesAndColumnsWithEquivalentNames() throws {
        // The letter é as one scalar, and as two. For Swift, both strings are equal.
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            for name in [composed, decomposed] {
                try db.execute(sql: "CREATE TABLE \"\(name)\" (\"\(composed)\", \"\(decomposed)\")")
            }
        }
        let (rows, values) = (Box(0), Box(0))
        let request = Table(decomposed).select(Column(decomposed))
        let cancellables = [
            DatabaseRegionObservation(tracking: Table(decomposed))
                .start(in: dbQueue, onError: { Issue.record($0) }) { _ in rows.increment() },
            DatabaseRegionObservation(tracking: request)
                .start(in: dbQueue, onError: { Issue.record($0) }) { _ in values.increment() },
        ]
        func write(_ sql: String) throws { try dbQueue.write { try $0.execute(sql: sql) } }
        try write("INSERT INTO \"\(composed)\" VALUES (1, 1)")
        #expect([rows.value, values.value] == [0, 0])
        try write("INSERT INTO \"\(composed)\" VALUES (1, 1); INSERT INTO \"\(decomposed)\" VALUES (1, 1)")
        #expect([rows.value, values.value] == [1, 1])
        try write("UPDATE \"\(decomposed)\" SET \"\(composed)\" = 2")
        #expect([rows.value, values.value] == [2, 1])
        try write("UPDATE \"\(decomposed)\" SET \"\(composed)\" = 3, \"\(decomposed)\" = 3")
        #expect([rows.value, values.value] == [3, 2])
        withExtendedLifetime(cancellables) {}
    }
}
