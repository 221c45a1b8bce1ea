import Amalgam
import Dispatch
import TestSupport
import Testing

/// The number of fetches of an observation, and their connections.
@Suite struct FetchCountTests {
    /// An observation that counts its fetches.
    private static func counted(_ fetches: Box<Int>) -> ValueObservation<ValueReducers.Fetch<Int>> {
        ValueObservation.tracking { db in
            fetches.increment()
            return try db.playerCount()
        }
    }

    /// Waits until another observation has seen the last commit, and all requested work has ended.
    private static func settle(_ writer: any DatabaseWriter) throws {
        let recorder = Recorder<Int>()
        let cancellable = recorder.start(
            ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM team")! }, in: writer)
        let count = try recorder.wait(count: 1)[0]
        try writer.write { try $0.execute(sql: "INSERT INTO team DEFAULT VALUES") }
        try recorder.wait(last: count + 1)
        cancellable.cancel()
    }

    // MARK: The start

    @Test(arguments: Store.allCases, [true, false])
    func theInitialValueIsFetchedOnce(_ store: Store, isImmediate: Bool) throws {
        try store.withWriter { writer in
            let fetches = Box(0)
            let recorder = Recorder<Int>()
            let observation = Self.counted(fetches)
            let cancellable =
                isImmediate
                ? recorder.startImmediately(observation, in: writer) : recorder.start(observation, in: writer)
            try recorder.wait(count: 1)
            try Self.settle(writer)
            #expect(fetches.value == 1)
            #expect(recorder.values == [0])
            cancellable.cancel()
        }
    }

    /// The initial value is fetched once, even if the WAL file is missing or empty, so that versions can't be compared.
    @Test(arguments: [Database.CheckpointMode.restart, .truncate])
    func theInitialValueIsFetchedOnceWithAnEmptyWAL(_ mode: Database.CheckpointMode) throws {
        try withPool { pool, _ in
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(mode) }
            let fetches = Box(0)
            let recorder = Recorder<Int>()
            let cancellable = recorder.startImmediately(Self.counted(fetches), in: pool)
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(mode) }
            try Self.settle(pool)
            #expect(fetches.value == 1)
            try pool.write { try $0.addPlayer() }
            try recorder.wait(last: 1)
            #expect(fetches.value == 2)
            cancellable.cancel()
        }
    }

    @Test func aNewPoolFetchesOnce() throws {
        let folder = Folder()
        do {
            let pool = try DatabasePool(path: folder.path("db.sqlite"))
            try pool.write { try $0.createLeague() }
            try pool.close()
        }
        // The last connection has removed the WAL file.
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        let fetches = Box(0)
        let recorder = Recorder<Int>()
        let cancellable = recorder.startImmediately(Self.counted(fetches), in: pool)
        try Self.settle(pool)
        #expect(fetches.value == 1)
        cancellable.cancel()
        try pool.close()
    }

    @Test func aStartDoesNotWaitForALongWrite() throws {
        try withPool { pool, _ in
            let (began, mayEnd) = (Signal("write"), Signal("end of write"))
            let writer = Worker {
                try pool.write { db in
                    try db.addPlayer()
                    began.fire()
                    try mayEnd.wait()
                }
            }
            try began.wait()
            let fetches = Box(0)
            let recorder = Recorder<Int>()
            // Both kinds of start, while the transaction is open.
            let immediate = recorder.startImmediately(Self.counted(fetches), in: pool)
            #expect(recorder.values == [0])
            let later = Recorder<Int>()
            let cancellable = later.start(counting, in: pool)
            try later.wait(count: 1)
            mayEnd.fire()
            try writer.join()
            #expect(try recorder.wait(last: 1) == [0, 1])
            #expect(try later.wait(last: 1) == [0, 1])
            #expect(fetches.value == 2)
            immediate.cancel()
            cancellable.cancel()
        }
    }

    @Test func aTransactionThatBeganBeforeTheStartIsJudgedByItsStatements() throws {
        try withPool { pool, _ in
            // Another observation has already installed the hub.
            let other = Recorder<Int>()
            let otherCancellable = other.start(counting, in: pool)
            try other.wait(count: 1)
            try pool.write { try $0.addPlayer() }
            try other.wait(last: 1)

            let (began, mayEnd) = (Signal("write"), Signal("end of write"))
            let writer = Worker {
                try pool.write { db in
                    try db.execute(sql: "INSERT INTO team DEFAULT VALUES")
                    began.fire()
                    try mayEnd.wait()
                }
            }
            try began.wait()
            let (players, teams) = (Box(0), Box(0))
            let playerRecorder = Recorder<Int>()
            let first = playerRecorder.startImmediately(Self.counted(players), in: pool)
            let teamRecorder = Recorder<Int>()
            let second = teamRecorder.startImmediately(
                ValueObservation.tracking { db in
                    teams.increment()
                    return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team")!
                }, in: pool)
            mayEnd.fire()
            try writer.join()
            try teamRecorder.wait(last: 1)
            try Self.settle(pool)
            #expect(players.value == 1)
            #expect(teamRecorder.values.prefix(2) == [0, 1])
            for cancellable in [otherCancellable, first, second] { cancellable.cancel() }
        }
    }

    @Test func aCommitThatTheFirstFetchHasSeenIsNotFetchedAgain() throws {
        try withPool { pool, _ in
            // The observer of this test is notified of the commit before the hub: the observation starts in between.
            let fetches = Box(0)
            let recorder = Recorder<Int>()
            let cancellables = Log<AnyDatabaseCancellable>()
            let other = Recorder<Int>()
            let early = EarlyObserver {
                cancellables.append(recorder.startImmediately(Self.counted(fetches), in: pool))
            }
            pool.add(transactionObserver: early, extent: .databaseLifetime)
            let otherCancellable = other.startImmediately(counting, in: pool)
            try pool.write { try $0.addPlayer() }
            try other.wait(last: 1)
            try Self.settle(pool)
            #expect(recorder.values == [1])
            #expect(fetches.value == 1)
            otherCancellable.cancel()
            for cancellable in cancellables.elements { cancellable.cancel() }
        }
    }

    // MARK: Changes

    @Test func oneReadServesAllWhoAreDue() throws {
        try withPool { pool, _ in
            // Only one reader reads at a time.
            let begins = Log<String>()
            var configuration = Configuration()
            configuration.prepareDatabase { db in
                db.trace { event in
                    let sql = event.description
                    if sql.hasPrefix("BEGIN DEFERRED") || sql.hasPrefix("SELECT COUNT") { begins.append(sql) }
                }
            }
            configuration.maximumReaderCount = 1
            let traced = try DatabasePool(path: pool.path, configuration: configuration)
            let recorders = (1...5).map { _ in Recorder<Int>() }
            let cancellables = recorders.map { $0.startImmediately(counting, in: traced) }
            _ = begins.take()
            try traced.write { try $0.addPlayer() }
            for recorder in recorders { try recorder.wait(last: 1) }
            #expect(
                begins.elements == ["BEGIN DEFERRED TRANSACTION"]
                    + Array(repeating: "SELECT COUNT(*) FROM player", count: 5))
            for cancellable in cancellables { cancellable.cancel() }
            try traced.close()
        }
    }

    @Test func aFetchSeesExactlyItsCommit() throws {
        try withPool { pool, _ in
            // An observation of every commit receives each state, although the writer is ahead.
            let recorder = Recorder<Int>()
            let cancellable = recorder.startImmediately(counting.delivering(.everyCommit), in: pool)
            for _ in 1...50 { try pool.write { try $0.addPlayer() } }
            #expect(try recorder.wait(count: 51) == Array(0...50))
            cancellable.cancel()
        }
    }

    @Test func theWriterFetchesWhenNoReaderIsFree() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try withPool(configuration) { pool, _ in
            let recorder = Recorder<Int>()
            let cancellable = recorder.startImmediately(counting.delivering(.everyCommit), in: pool)
            // The only reader waits for writes, so no write may wait for the reader.
            try pool.read { _ in
                try Worker { for _ in 1...3 { try pool.write { try $0.addPlayer() } } }.join()
            }
            #expect(try recorder.wait(count: 4) == [0, 1, 2, 3])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func aSlowConsumerCoalesces(_ store: Store) throws {
        try store.withWriter { writer in
            let fetches = Box(0)
            let recorder = Recorder<Int>()
            let cancellable = recorder.startImmediately(Self.counted(fetches).delivering(.latest), in: writer)
            recorder.queue.suspend()
            try writer.write { try $0.addPlayer() }
            try waitUntil("second fetch") { fetches.value == 2 }
            for _ in 2...10 { try writer.write { try $0.addPlayer() } }
            try Self.settle(writer)
            // One value waits, and the others aren't fetched.
            #expect(fetches.value == 2)
            recorder.queue.resume()
            let values = try recorder.wait(last: 10)
            #expect(values.count == 3)
            #expect(fetches.value == 3)
            cancellable.cancel()
        }
    }

    @Test func aSnapshotThatIsLostIsReplacedByALaterState() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try withPool(configuration) { pool, _ in
            let recorder = Recorder<Int>()
            let cancellable = recorder.startImmediately(counting, in: pool)
            // No reader is available while the WAL file is restarted.
            let held = try DatabasePool(path: pool.path)
            try pool.read { _ in
                try Worker {
                    try pool.write { try $0.addPlayer() }
                    _ = try held.writeWithoutTransaction { try $0.checkpoint(.passive) }
                    for _ in 1...3 { try pool.write { try $0.execute(sql: "INSERT INTO team DEFAULT VALUES") } }
                }.join()
            }
            _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            try recorder.wait(last: 1)
            cancellable.cancel()
            try held.close()
        }
    }

    @Test func theHubLeavesWithTheLastObservation() throws {
        try withPool { pool, _ in
            let recorder = Recorder<Int>()
            for round in 0..<3 {
                let cancellable = recorder.startImmediately(counting, in: pool)
                try pool.write { try $0.addPlayer() }
                try recorder.wait(last: round + 1)
                cancellable.cancel()
                try pool.write { try $0.execute(sql: "INSERT INTO team DEFAULT VALUES") }
            }
            #expect(recorder.values == [0, 1, 1, 2, 2, 3])
        }
    }
}

/// Calls a closure after the next commit.
private final class EarlyObserver: TransactionObserver {
    private var didCommit: (() -> Void)?

    init(_ didCommit: @escaping () -> Void) {
        self.didCommit = didCommit
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidRollback(_ db: Database) {}

    func databaseDidCommit(_ db: Database) {
        let didCommit = didCommit
        self.didCommit = nil
        didCommit?()
    }
}
