import Amalgam
import Dispatch
import TestSupport
import Testing

/// With a value for every commit, no commit is missed after the start.
@Suite struct EveryCommitTests {
    /// Writes during the first fetch have their values, with writes to other tables and checkpoints in between.
    @Test(arguments: [true, false], [true, false])
    func commitsDuringTheFirstFetchHaveTheirValues(isHubThere: Bool, isImmediate: Bool) throws {
        try withPool { pool, _ in
            let other = Recorder<Int>()
            let otherCancellable = isHubThere ? other.startImmediately(counting, in: pool) : nil
            let (hasRead, mayEnd, fetches) = (Signal("read"), Signal("end of read"), Box(0))
            let observation = ValueObservation.tracking { db in
                let count = try db.playerCount()
                if fetches.increment() == 1 {
                    hasRead.fire()
                    try mayEnd.wait()
                }
                return count
            }.delivering(.everyCommit)
            let recorder = Recorder<Int>()
            let cancellables = Log<AnyDatabaseCancellable>()
            let starter = Worker {
                cancellables.append(
                    isImmediate
                        ? recorder.startImmediately(observation, in: pool) : recorder.start(observation, in: pool))
            }
            try hasRead.wait()
            for _ in 1...5 {
                try pool.write { try $0.addPlayer() }
                try pool.write { try $0.execute(sql: "INSERT INTO team DEFAULT VALUES") }
                _ = try pool.writeWithoutTransaction { try $0.checkpoint(.passive) }
            }
            mayEnd.fire()
            try starter.join()
            try recorder.wait(count: 6)
            try pool.write { try $0.addPlayer() }
            #expect(try recorder.wait(count: 7) == Array(0...6))
            #expect(fetches.value == 7)
            otherCancellable?.cancel()
            for cancellable in cancellables.elements { cancellable.cancel() }
        }
    }

    @Test("writes after the start have their values, although no reader is available")
    func aStartWithoutAReader() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try withPool(configuration) { pool, _ in
            let (isReading, mayEnd) = (Signal("read"), Signal("end of read"))
            let reader = Worker {
                try pool.read { _ in
                    isReading.fire()
                    try mayEnd.wait()
                }
            }
            try isReading.wait()
            let recorders = (1...3).map { _ in Recorder<Int>() }
            let cancellables = recorders.map { $0.start(counting.delivering(.everyCommit), in: pool) }
            for _ in 1...5 { try pool.write { try $0.addPlayer() } }
            mayEnd.fire()
            try reader.join()
            for recorder in recorders { #expect(try recorder.wait(count: 6) == Array(0...5)) }
            for cancellable in cancellables { cancellable.cancel() }
        }
    }

    @Test("writes after the start of many observations have their values")
    func manyStarts() throws {
        try withPool { pool, _ in
            let recorders = (1...20).map { _ in Recorder<Int>() }
            let cancellables = recorders.map { $0.start(counting.delivering(.everyCommit), in: pool) }
            for _ in 1...20 { try pool.write { try $0.addPlayer() } }
            for recorder in recorders { #expect(try recorder.wait(last: 20) == Array(0...20)) }
            for cancellable in cancellables { cancellable.cancel() }
        }
    }

    /// If a commit can't be fetched, the observation ends after the values before it.
    @Test func anErrorAfterTheFirstFetch() throws {
        try withPool { pool, _ in
            let (hasRead, mayEnd) = (Signal("read"), Signal("end of read"))
            let observation = ValueObservation.tracking { db in
                let count = try db.playerCount()
                if count == 0 {
                    hasRead.fire()
                    try mayEnd.wait()
                }
                if count == 2 { throw Oops() }
                return count
            }.delivering(.everyCommit)
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(observation, in: pool)
            try hasRead.wait()
            for _ in 1...3 { try pool.write { try $0.addPlayer() } }
            mayEnd.fire()
            #expect(try recorder.waitForError() is Oops)
            #expect(recorder.values == [0, 1])
            try pool.write { try $0.addPlayer() }
            cancellable.cancel()
        }
    }

    /// The region changes with each commit.
    @Test func regionsThatChangeDuringTheFirstFetch() throws {
        try withPool { pool, _ in
            let (hasRead, mayEnd) = (Signal("read"), Signal("end of read"))
            let observation = ValueObservation.tracking { db in
                let table = try String.fetchOne(db, sql: "SELECT name FROM team WHERE id = 1")!
                if table == "player" {
                    hasRead.fire()
                    try mayEnd.wait()
                }
                return try "\(table) \(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table)")!)"
            }.delivering(.everyCommit)
            try pool.write { db in
                try db.execute(sql: "CREATE TABLE a (n); CREATE TABLE b (n); INSERT INTO team VALUES (1, 'player')")
            }
            let recorder = Recorder<String>()
            let cancellable = recorder.start(observation, in: pool)
            try hasRead.wait()
            try pool.write { try $0.execute(sql: "UPDATE team SET name = 'a'") }
            // Whether this commit affects the observation is unknown before the commit above is read.
            try pool.write { try $0.execute(sql: "INSERT INTO a VALUES (1)") }
            mayEnd.fire()
            try recorder.wait(last: "a 1")
            try pool.write { try $0.execute(sql: "INSERT INTO a VALUES (1)") }
            #expect(try recorder.wait(last: "a 2") == ["player 0", "a 0", "a 1", "a 2"])
            cancellable.cancel()
        }
    }

    /// The fetch of a commit ends after that of the next one, which reads a different table.
    @Test func theRegionOfTheLastCommitCounts() throws {
        try withPool { pool, _ in
            try Self.openReaders(pool)
            try pool.write { db in
                try db.execute(sql: "CREATE TABLE a (n); CREATE TABLE b (n); INSERT INTO team VALUES (1, 'player')")
            }
            let (isHeld, mayEnd, regions) = (Signal("fetch"), Signal("end of fetch"), Log<String>())
            let observation = ValueObservation.tracking { db in
                let table = try String.fetchOne(db, sql: "SELECT name FROM team WHERE id = 1")!
                let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table)")!
                if table == "a" {
                    isHeld.fire()
                    try mayEnd.wait()
                }
                return "\(table) \(count)"
            }.delivering(.everyCommit).handleEvents(willTrackRegion: { regions.append($0.description) })
            let recorder = Recorder<String>()
            let cancellable = recorder.startImmediately(observation, in: pool)
            try pool.write { try $0.execute(sql: "UPDATE team SET name = 'a'") }
            try isHeld.wait()
            try pool.write { try $0.execute(sql: "UPDATE team SET name = 'b'") }
            try waitUntil("the second fetch") { regions.elements.last?.hasPrefix("b(") == true }
            mayEnd.fire()
            try recorder.wait(count: 3)
            try pool.write { try $0.execute(sql: "INSERT INTO b VALUES (1)") }
            #expect(try recorder.wait(last: "b 1") == ["player 0", "a 0", "b 0", "b 1"])
            cancellable.cancel()
        }
    }

    /// Commits occur after the initial value was fetched, and before it is delivered.
    @Test func noValueOvertakesTheInitialOne() throws {
        let folder = Folder()
        let hook = Box<(@Sendable () -> Void)?>(nil)
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.trace { event in
                guard event.description.hasPrefix("COMMIT") else { return }
                hook.withLock { hook in
                    defer { hook = nil }
                    return hook
                }?()
            }
        }
        let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
        try pool.write { try $0.createLeague() }
        // The hub is installed.
        let other = Recorder<Int>()
        let otherCancellable = other.startImmediately(counting, in: pool)
        try pool.write { try $0.execute(sql: "INSERT INTO team DEFAULT VALUES") }

        let (recorder, received) = (Recorder<Int>(), Box(0))
        // Called at the end of the transaction that has fetched the initial value.
        hook.value = {
            do {
                try Worker { for _ in 1...2 { try pool.write { try $0.addPlayer() } } }.join()
                // Values are reduced one after the other: the second one comes later, too.
                try waitUntil("three values") { received.value == 3 }
                recorder.queue.sync {}
            } catch {
                Issue.record(error)
            }
        }
        let observation = counting.delivering(.everyCommit).handleEvents(didReceiveValue: { _ in received.increment() })
        let cancellable = recorder.startImmediately(observation, in: pool)
        #expect(hook.value == nil)
        #expect(try recorder.wait(count: 3) == [0, 1, 2])
        cancellable.cancel()
        otherCancellable.cancel()
        try pool.close()
        withExtendedLifetime(folder) {}
    }

    private static func openReaders(_ pool: DatabasePool) throws {
        let count = Box(0)
        try onThreads(3) { _ in
            try pool.read { _ in
                count.increment()
                try waitUntil("three readers") { count.value == 3 }
            }
        }
    }
}
