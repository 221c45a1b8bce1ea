import Amalgam
import Foundation
import TestSupport
import Testing

@Suite struct ValueObservationTests {
    /// Six transactions, including an update that changes nothing.
    static let transactions = [
        "INSERT INTO player (name) VALUES ('Anna')",
        "UPDATE player SET id = id",
        "INSERT INTO player (name) VALUES ('Ben')",
        "BEGIN; INSERT INTO player (name) VALUES ('Cleo'); INSERT INTO player (name) VALUES ('Dan');"
            + "DELETE FROM player WHERE name = 'Dan'; COMMIT",
        "INSERT INTO player (name) VALUES ('Eva')",
    ]

    static func run(_ writer: any DatabaseWriter) throws {
        for sql in transactions { try writer.writeWithoutTransaction { try $0.execute(sql: sql) } }
    }

    @Test(arguments: Store.queues)
    func aQueueGivesAValueForEachTransaction(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting, in: writer)
            try Self.run(writer)
            #expect(try recorder.wait(count: 6) == [0, 1, 1, 2, 3, 4])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.queues)
    func removeDuplicatesDropsWhatIsEqual(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting.removeDuplicates(), in: writer)
            try Self.run(writer)
            #expect(try recorder.wait(last: 4) == [0, 1, 2, 3, 4])
            cancellable.cancel()
        }
    }

    /// The closure compares a value with the last one that was notified.
    @Test(arguments: Store.queues)
    func removeDuplicatesAsksAClosure(_ store: Store) throws {
        try store.withWriter { writer in
            let (recorder, compared) = (Recorder<Int>(), Log<[Int]>())
            let observation = counting.removeDuplicates { old, new in
                compared.append([old, new])
                return new - old < 2
            }
            let cancellable = recorder.start(observation, in: writer)
            try recorder.wait(count: 1)
            for _ in 1...5 { try writer.write { try $0.addPlayer() } }
            #expect(try recorder.wait(last: 4) == [0, 2, 4])
            try waitUntil("the last comparison") { compared.elements.count == 5 }
            #expect(compared.elements == [[0, 1], [0, 2], [2, 3], [2, 4], [4, 5]])
            #expect(recorder.values == [0, 2, 4])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func theLastStateArrives(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting, in: writer)
            try Self.run(writer)
            expectLoosely(try recorder.wait(last: 4), [0, 1, 1, 2, 3, 4])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func constantRegionsAreTracked(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Int>()
            let observation = ValueObservation.trackingConstantRegion { try $0.playerCount() }
            let cancellable = recorder.start(observation, in: writer)
            try Self.run(writer)
            expectLoosely(try recorder.wait(last: 4), [0, 1, 1, 2, 3, 4])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func aFetchThatRequiresWriteAccessGivesAValueForEachTransaction(_ store: Store) throws {
        try store.withWriter { writer in
            var observation = counting
            observation.requiresWriteAccess = true
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(observation, in: writer)
            try Self.run(writer)
            #expect(try recorder.wait(count: 6) == [0, 1, 1, 2, 3, 4])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func everyCommitMayBeDelivered(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting.delivering(.everyCommit), in: writer)
            try recorder.wait(count: 1)
            try Self.run(writer)
            #expect(try recorder.wait(count: 6) == [0, 1, 1, 2, 3, 4])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func aDeletionWithoutAConditionIsNoticed(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.addPlayer() }
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting, in: writer)
            try recorder.wait(count: 1)
            try writer.write { try $0.execute(sql: "DELETE FROM player") }
            #expect(try recorder.wait(count: 2) == [1, 0])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func blindSpotsOfTheUpdateHookAreNoticed(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE country (code TEXT PRIMARY KEY, capital TEXT UNIQUE) WITHOUT ROWID;
                        CREATE TABLE change (player TEXT);
                        CREATE TRIGGER change AFTER INSERT ON player
                        BEGIN INSERT INTO change VALUES (new.name); END;
                        INSERT INTO team VALUES (1, 'Reds');
                        INSERT INTO player (id, name, teamId) VALUES (1, 'Anna', 1);
                        """)
            }
            let recorder = Recorder<[Int]>()
            let observation = ValueObservation.tracking { db in
                try ["country", "change", "player"].map { table in
                    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table)")!
                }
            }
            let cancellable = recorder.start(observation, in: writer)
            try recorder.wait(last: [0, 1, 1])
            // A table without rowid.
            try writer.write { try $0.execute(sql: "INSERT INTO country VALUES ('FR', 'Paris')") }
            try recorder.wait(last: [1, 1, 1])
            try writer.write { try $0.execute(sql: "INSERT INTO country VALUES ('DE', 'Berlin')") }
            try recorder.wait(last: [2, 1, 1])
            // REPLACE removes both.
            try writer.write { try $0.execute(sql: "REPLACE INTO country VALUES ('FR', 'Berlin')") }
            try recorder.wait(last: [1, 1, 1])
            // A trigger.
            try writer.write { try $0.addPlayer("Ben") }
            try recorder.wait(last: [1, 2, 2])
            // A foreign key action.
            try writer.write { try $0.execute(sql: "DELETE FROM team") }
            try recorder.wait(last: [1, 2, 1])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func aFullTextTableIsObserved(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.execute(sql: "CREATE VIRTUAL TABLE book USING fts5(title)") }
            let recorder = Recorder<Int>()
            let observation = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book WHERE book MATCH 'moby'")!
            }
            let cancellable = recorder.start(observation, in: writer)
            try recorder.wait(last: 0)
            try writer.write { try $0.execute(sql: "INSERT INTO book VALUES ('Moby Dick')") }
            try recorder.wait(last: 1)
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func whatIsRolledBackIsNotNoticed(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting.delivering(.everyCommit), in: writer)
            try recorder.wait(count: 1)
            #expect(throws: Oops.self) {
                try writer.write { db in
                    try db.addPlayer()
                    throw Oops()
                }
            }
            try writer.write { db in
                try db.inSavepoint {
                    try db.addPlayer()
                    return .rollback
                }
            }
            try writer.write { try $0.addPlayer() }
            #expect(try recorder.wait(last: 1) == [0, 1])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func changesAnnouncedByHandAreNoticed(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting, in: writer)
            try recorder.wait(count: 1)
            try writer.write { try $0.notifyChanges(in: Table("team")) }
            try writer.write { try $0.notifyChanges(in: Table("player")) }
            try recorder.wait(count: 2)
            try writer.write { try $0.notifyChanges(in: .fullDatabase) }
            #expect(try recorder.wait(count: 3) == [0, 0, 0])
            cancellable.cancel()
        }
    }

    // MARK: Varying regions

    @Test(arguments: Store.allCases)
    func theRegionFollowsWhatIsRead(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE source (name TEXT); INSERT INTO source VALUES ('a');
                        CREATE TABLE a (value INTEGER); CREATE TABLE b (value INTEGER);
                        """)
            }
            let regions = Log<String>()
            let recorder = Recorder<Int>()
            let observation = ValueObservation.tracking { db in
                let table = try String.fetchOne(db, sql: "SELECT name FROM source")!
                return try Int.fetchOne(db, sql: "SELECT IFNULL(SUM(value), 0) FROM \(table)")!
            }
            let cancellable = recorder.start(
                observation.handleEvents(willTrackRegion: { regions.append($0.description) }), in: writer)
            try recorder.wait(count: 1)
            func write(_ sql: String) throws { try writer.write { try $0.execute(sql: sql) } }
            try write("INSERT INTO a VALUES (1)")
            try recorder.wait(last: 1)
            try write("INSERT INTO b VALUES (1)")
            try write("INSERT INTO b VALUES (1)")
            try write("UPDATE source SET name = 'b'")
            try recorder.wait(last: 2)
            try write("INSERT INTO a VALUES (10)")
            try write("INSERT INTO b VALUES (1)")
            #expect(try recorder.wait(last: 3) == [0, 1, 2, 3])
            #expect(regions.elements == ["a(value),source(name)", "b(value),source(name)"])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func givenRegionsAreTrackedWhateverIsRead(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Int>()
            let observation = ValueObservation.tracking(region: Table("team")) { try $0.playerCount() }
            let cancellable = recorder.start(observation.delivering(.everyCommit), in: writer)
            try recorder.wait(count: 1)
            try writer.write { try $0.addPlayer() }
            try writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Reds')") }
            #expect(try recorder.wait(last: 1) == [0, 1])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func registeredAccessIsTracked(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Int>()
            let observation = ValueObservation.tracking { db in
                try db.registerAccess(to: Table("team"))
                return 1
            }
            let cancellable = recorder.start(observation, in: writer)
            try recorder.wait(count: 1)
            try writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Reds')") }
            try recorder.wait(count: 2)
            cancellable.cancel()
        }
    }

    // MARK: Errors

    @Test(arguments: Store.allCases)
    func aFetchMustNotWrite(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Void>()
            let observation = ValueObservation.tracking { db in
                try db.execute(sql: "INSERT INTO player DEFAULT VALUES")
            }
            let cancellable = recorder.start(observation, in: writer)
            let error = try #require(try recorder.waitForError() as? DatabaseError)
            #expect(
                error.description == """
                    SQLite error 8: attempt to write a readonly database - while executing \
                    `INSERT INTO player DEFAULT VALUES`
                    """)
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func anErrorEndsTheObservation(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting, in: writer)
            try recorder.wait(count: 1)
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN; INSERT INTO player DEFAULT VALUES; DROP TABLE player; COMMIT")
            }
            let error = try #require(try recorder.waitForError() as? DatabaseError)
            #expect(
                error.description
                    == "SQLite error 1: no such table: player - while executing `SELECT COUNT(*) FROM player`")
            try writer.write { try $0.execute(sql: "CREATE TABLE player (id); INSERT INTO player VALUES (1)") }
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func anErrorOfMapEndsTheObservation(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Int>()
            let observation = counting.map { count in
                if count > 0 { throw Oops() }
                return count
            }
            let cancellable = recorder.start(observation, in: writer)
            try recorder.wait(count: 1)
            try writer.write { try $0.addPlayer() }
            #expect(try recorder.waitForError() is Oops)
            #expect(recorder.values == [0])
            cancellable.cancel()
        }
    }

    // MARK: Write access

    @Test(arguments: Store.allCases)
    func aFetchMayWriteOnDemand(_ store: Store) throws {
        try store.withWriter { writer in
            var observation = ValueObservation.tracking { db in
                #expect(db.isInsideTransaction)
                try db.execute(
                    sql: """
                        CREATE TEMPORARY TABLE copy AS SELECT * FROM player;
                        INSERT INTO copy DEFAULT VALUES;
                        """)
                let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM copy")!
                try db.execute(sql: "DROP TABLE copy")
                return count - 1
            }
            observation.requiresWriteAccess = true
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(observation.map { $0 }, in: writer)
            try recorder.wait(count: 1)
            try writer.write { try $0.addPlayer() }
            try recorder.wait(count: 2)
            try writer.write { try $0.addPlayer() }
            #expect(try recorder.wait(last: 2) == [0, 1, 2])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func whatAFailedFetchHasWrittenIsUndone(_ store: Store) throws {
        try store.withWriter { writer in
            var observation = ValueObservation.tracking { db -> Int in
                try db.addPlayer()
                throw Oops()
            }
            observation.requiresWriteAccess = true
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(observation, in: writer)
            let error = try recorder.waitForError()
            #expect(error is Oops)
            expectEqual(try writer.read { try $0.playerCount() }, 0)
            cancellable.cancel()
        }
    }

    @Test func aFetchThatWritesIsNoticedByOthersOnly() throws {
        try Store.memoryQueue.withWriter { writer in
            var writing = ValueObservation.tracking { db in
                let count = try db.playerCount()
                try db.execute(sql: "INSERT INTO team (name) VALUES ('Reds')")
                return try [count, Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team")!]
            }
            writing.requiresWriteAccess = true
            let teams = Recorder<Int>()
            let others = teams.start(
                ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM team")! }, in: writer)
            let recorder = Recorder<[Int]>()
            let cancellable = recorder.start(writing, in: writer)
            try writer.write { try $0.addPlayer() }
            #expect(try recorder.wait(count: 2) == [[0, 1], [1, 2]])
            #expect(try teams.wait(count: 3) == [0, 1, 2])
            cancellable.cancel()
            others.cancel()
        }
    }

    // MARK: Lifetime

    @Test(arguments: Store.allCases)
    func nothingComesAfterCancellation(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting, in: writer)
            try recorder.wait(count: 1)
            cancellable.cancel()
            try writer.write { try $0.addPlayer() }
            // When another observation has its values, the first one would have received its own.
            let other = Recorder<Int>()
            let otherCancellable = other.start(counting, in: writer)
            try other.wait(last: 1)
            recorder.queue.sync {}
            #expect(recorder.values == [0])
            otherCancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func theReleaseOfTheCancellableEndsTheObservation(_ store: Store) throws {
        try store.withWriter { writer in
            let cancelled = Signal()
            do {
                let recorder = Recorder<Int>()
                let cancellable = recorder.start(
                    counting.handleEvents(didCancel: { cancelled.fire() }), in: writer)
                try recorder.wait(count: 1)
                withExtendedLifetime(cancellable) {}
            }
            #expect(cancelled.hasFired)
        }
    }

    @Test(arguments: [Store.memoryQueue, .pool])
    func anObservationRetainsItsDatabaseUntilItEnds(_ store: Store) throws {
        let folder = Folder()
        weak var weakWriter: (any DatabaseWriter)?
        let recorder = Recorder<Int>()
        var cancellable: AnyDatabaseCancellable?
        do {
            let writer: any DatabaseWriter =
                store == .pool ? try DatabasePool(path: folder.path("db")) : try DatabaseQueue()
            try writer.write { try $0.createLeague() }
            weakWriter = writer
            cancellable = recorder.start(counting, in: writer)
            try recorder.wait(count: 1)
        }
        #expect(weakWriter != nil)
        cancellable?.cancel()
        try waitUntil("release") { weakWriter == nil }
    }

    @Test(arguments: Store.allCases)
    func aConsumerMayWrite(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = counting.start(
                in: writer, scheduling: .async(onQueue: recorder.queue), onError: { recorder.append($0) }
            ) { count in
                recorder.append(count)
                do {
                    if count < 3 { try writer.write { try $0.addPlayer() } }
                } catch {
                    recorder.append(error)
                }
            }
            expectEqual(try recorder.wait(last: 3), [0, 1, 2, 3])
            cancellable.cancel()
        }
    }

    // MARK: Snapshots and custom reducers

    @Test func aSnapshotGivesTheInitialValue() throws {
        try withPool { pool, _ in
            let snapshot = try pool.makeSnapshot()
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting, in: snapshot)
            #expect(try recorder.wait(count: 1) == [0])
            let immediate = Recorder<Int>()
            let second = immediate.startImmediately(counting, in: try pool.makeSnapshotPool())
            #expect(immediate.values == [0])
            cancellable.cancel()
            second.cancel()
        }
    }

    @Test func customReducersDecideWhatIsNotified() throws {
        struct Records: ValueReducer {
            struct Fetcher: _ValueReducerFetcher {
                func fetch(_ db: Database) throws -> Int? { try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player") }
            }
            var record = Int.min
            func _makeFetcher() -> Fetcher { Fetcher() }
            mutating func _value(_ score: Int?) -> Int? {
                guard let score, score > record else { return nil }
                record = score
                return score
            }
        }
        try Store.memoryQueue.withWriter { writer in
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(ValueObservation(makeReducer: { Records() }), in: writer)
            for score in [3, 1, 5, 5, 2, 7] { try writer.write { try $0.addPlayer(score: score) } }
            #expect(try recorder.wait(last: 7) == [3, 5, 7])
            cancellable.cancel()
        }
    }
}
