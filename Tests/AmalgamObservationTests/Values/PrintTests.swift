import Amalgam
import TestSupport
import Testing

/// The messages of `print` for each event.
@Suite struct PrintTests {
    private static let best = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT MAX(id) FROM player")
    }

    private static func insert(_ writer: any DatabaseWriter) throws { try writer.write { try $0.addPlayer() } }

    @Test(arguments: Store.allCases, [true, false])
    func aValueAndAChange(_ store: Store, isImmediate: Bool) throws {
        try store.withWriter { writer in
            let messages = Messages()
            var observation = Self.best
            observation.requiresWriteAccess = true
            let recorder = Recorder<Int?>()
            let printing = observation.print(to: messages)
            let cancellable =
                isImmediate ? recorder.startImmediately(printing, in: writer) : recorder.start(printing, in: writer)
            try recorder.wait(count: 1)
            try Self.insert(writer)
            try recorder.wait(count: 2)
            #expect(
                messages.all == [
                    "start", "fetch", "tracked region: player(*)", "value: nil", "database did change", "fetch",
                    "value: Optional(1)",
                ])
            cancellable.cancel()
            cancellable.cancel()
            #expect(messages.all.last == "cancel")
            #expect(messages.all.count == 8)
        }
    }

    @Test(arguments: Store.allCases)
    func aFailureOfTheFirstFetch(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.execute(sql: "DROP TABLE player") }
            let messages = Messages()
            let recorder = Recorder<Int?>()
            let cancellable = recorder.startImmediately(Self.best.print(to: messages), in: writer)
            #expect(recorder.error != nil)
            cancellable.cancel()
            #expect(
                messages.all == [
                    "start", "fetch",
                    "failure: SQLite error 1: no such table: player - while executing `SELECT MAX(id) FROM player`",
                ])
        }
    }

    @Test(arguments: Store.allCases)
    func aLaterFailure(_ store: Store) throws {
        try store.withWriter { writer in
            let messages = Messages()
            let recorder = Recorder<Int?>()
            let cancellable = recorder.startImmediately(Self.best.print(to: messages), in: writer)
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN; INSERT INTO player DEFAULT VALUES; DROP TABLE player; COMMIT")
            }
            _ = try recorder.waitForError()
            cancellable.cancel()
            #expect(
                messages.all.filter { $0 != "tracked region: player(*)" } == [
                    "start", "fetch", "value: nil", "database did change", "fetch",
                    "failure: SQLite error 1: no such table: player - while executing `SELECT MAX(id) FROM player`",
                ])
        }
    }

    @Test(arguments: [true, false])
    func aDatabaseThatDoesNotChange(isImmediate: Bool) throws {
        try withPool { pool, folder in
            var configuration = Configuration()
            configuration.readonly = true
            let readers: [any DatabaseReader] = try [
                pool.makeSnapshot(), pool.makeSnapshotPool(),
                DatabaseQueue(path: folder.path("db.sqlite"), configuration: configuration),
                DatabasePool(path: folder.path("db.sqlite"), configuration: configuration),
            ]
            for reader in readers {
                let messages = Messages()
                let recorder = Recorder<Int?>()
                let printing = Self.best.print(to: messages)
                let cancellable =
                    isImmediate ? recorder.startImmediately(printing, in: reader) : recorder.start(printing, in: reader)
                try recorder.wait(count: 1)
                #expect(messages.all == ["start", "fetch", "value: nil"])
                cancellable.cancel()
            }
        }
    }

    @Test func aFailureInADatabaseThatDoesNotChange() throws {
        try withPool { pool, _ in
            let messages = Messages()
            let recorder = Recorder<Int>()
            let observation = ValueObservation.tracking { _ -> Int in throw Oops() }
            let cancellable = recorder.startImmediately(observation.print(to: messages), in: try pool.makeSnapshot())
            #expect(recorder.error is Oops)
            #expect(messages.all == ["start", "fetch", "failure: Oops()"])
            cancellable.cancel()
        }
    }

    @Test func aWriteThatSlipsInBetweenTheFirstFetchAndTheObserver() throws {
        try withPool { pool, _ in
            let slips = Box(true)
            let messages = Messages()
            let recorder = Recorder<Int?>()
            let observation = ValueObservation.tracking { db in
                let value = try Int.fetchOne(db, sql: "SELECT MAX(id) FROM player")
                if slips.value {
                    slips.value = false
                    try pool.write { try $0.execute(sql: "INSERT INTO player (id) VALUES (1); DELETE FROM player") }
                }
                return value
            }
            let cancellable = recorder.startImmediately(observation.print(to: messages), in: pool)
            try recorder.wait(count: 2)
            #expect(
                messages.all == [
                    "start", "fetch", "value: nil", "database did change", "fetch", "tracked region: player(*)",
                    "value: nil",
                ])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func aRegionThatVaries(_ store: Store) throws {
        try store.withWriter { writer in
            let messages = Messages()
            try writer.write { try $0.execute(sql: "CREATE TABLE choice (t TEXT); INSERT INTO choice VALUES ('team')") }
            let observation = ValueObservation.tracking { db in
                let table = try String.fetchOne(db, sql: "SELECT t FROM choice")!
                return try Int.fetchOne(db, sql: "SELECT MAX(id) FROM \(table)")
            }
            let recorder = Recorder<Int?>()
            let cancellable = recorder.startImmediately(observation.print(to: messages), in: writer)
            try writer.write {
                try $0.execute(sql: "UPDATE choice SET t = 'player'; INSERT INTO player (id) VALUES (1)")
            }
            try recorder.wait(count: 2)
            try Self.insert(writer)
            try recorder.wait(count: 3)
            #expect(
                messages.all == [
                    "start", "fetch", "tracked region: choice(t),team(*)", "value: nil", "database did change", "fetch",
                    "tracked region: choice(t),player(*)", "value: Optional(1)", "database did change", "fetch",
                    "value: Optional(2)",
                ])
            cancellable.cancel()
        }
    }

    @Test func printsInAChain() throws {
        try Store.memoryQueue.withWriter { writer in
            let (before, after) = (Messages(), Messages())
            let observation = counting.print(to: before).map { "\($0) players" }.print("p", to: after)
            let recorder = Recorder<String>()
            let cancellable = recorder.startImmediately(observation, in: writer)
            cancellable.cancel()
            #expect(before.all == ["start", "fetch", "tracked region: player(*)", "value: 0", "cancel"])
            #expect(
                after.all == [
                    "p: start", "p: fetch", "p: tracked region: player(*)", "p: value: 0 players", "p: cancel",
                ])
        }
    }

    @Test(arguments: Store.allCases)
    func handleEventsTellsOfTheSame(_ store: Store) throws {
        try store.withWriter { writer in
            let log = Log<String>()
            let recorder = Recorder<Int>()
            let observation = counting.handleEvents(
                willStart: { log.append("start") }, willFetch: { log.append("fetch") },
                willTrackRegion: { log.append("region \($0)") }, databaseDidChange: { log.append("change") },
                didReceiveValue: { log.append("value \($0)") }, didFail: { log.append("fail \($0)") },
                didCancel: { log.append("cancel") })
            let cancellable = recorder.startImmediately(observation, in: writer)
            try Self.insert(writer)
            try recorder.wait(count: 2)
            cancellable.cancel()
            let events = log.elements
            #expect(events.first == "start")
            #expect(events.filter { $0 == "region player(*)" }.count == 1)
            #expect(events.filter { $0 == "change" }.count == 1)
            #expect(events.filter { $0 == "fetch" }.count == 2)
            #expect(events.filter { $0.hasPrefix("value") } == ["value 0", "value 1"])
            #expect(events.filter { $0 == "cancel" }.count == 1)
            #expect(!events.contains { $0.hasPrefix("fail") })
        }
    }

    /// A stream that cancels the observation when it writes: the message of the cancellation follows.
    private final class CancellingStream: TextOutputStream, Sendable {
        let messages = Messages()
        let cancellable = Box<AnyDatabaseCancellable?>(nil)

        func write(_ string: String) {
            messages.write(string)
            if string == "database did change" { cancellable.value?.cancel() }
        }
    }

    @Test(arguments: Store.allCases)
    func aStreamMayCancelTheObservation(_ store: Store) throws {
        try store.withWriter { writer in
            let stream = CancellingStream()
            let recorder = Recorder<Int?>()
            stream.cancellable.value = recorder.startImmediately(Self.best.print(to: stream), in: writer)
            try Self.insert(writer)
            try waitUntil("cancellation") { stream.messages.all.contains("cancel") }
            #expect(stream.messages.all.suffix(2) == ["database did change", "cancel"])
            #expect(recorder.values == [nil])
        }
    }
}
