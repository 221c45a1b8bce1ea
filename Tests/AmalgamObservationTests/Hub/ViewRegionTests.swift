import Amalgam
import TestSupport
import Testing

/// An observation of a view tracks the tables of the view.
@Suite struct ViewRegionTests {
    /// Two ways to fetch from the views.
    static let observations: [(String, ValueObservation<ValueReducers.Fetch<Int>>)] = [
        ("constant region", .trackingConstantRegion { try Table("top").fetchCount($0) }),
        ("constant region of SQL", .trackingConstantRegion { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM top")! }),
        ("region of a view", .tracking(region: Table("top")) { try Table("top").fetchCount($0) }),
        ("region of a request", .tracking(region: Table("top").all()) { try Table("top").fetchCount($0) }),
        ("what is read", .tracking { try Table("top").fetchCount($0) }),
    ]

    private static func createViews(_ writer: any DatabaseWriter) throws {
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE VIEW best AS SELECT id, name, score FROM player WHERE score > 10;
                    CREATE VIEW top AS SELECT name FROM best WHERE score > 20;
                    """)
        }
    }

    @Test(arguments: Store.allCases, ViewRegionTests.observations.indices)
    func changesOfTheTableBelowAreNoticed(_ store: Store, index: Int) throws {
        try store.withWriter { writer in
            try Self.createViews(writer)
            let regions = Log<String>()
            let recorder = Recorder<Int>()
            let observation = Self.observations[index].1.handleEvents(willTrackRegion: { regions.append("\($0)") })
            let cancellable = recorder.startImmediately(observation, in: writer)
            try writer.write { try $0.addPlayer(score: 30) }
            try recorder.wait(last: 1)
            try writer.write { try $0.execute(sql: "UPDATE player SET score = 0") }
            try recorder.wait(last: 0)
            for region in regions.elements {
                #expect(region.hasPrefix("player("), "\(Self.observations[index].0)")
                #expect(!region.contains("best") && !region.contains("top"), "\(Self.observations[index].0): \(region)")
            }
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func aRegionObservationOfAViewIsCalledForTheTableBelow(_ store: Store) throws {
        try store.withWriter { writer in
            try Self.createViews(writer)
            let calls = Box(0)
            let cancellable = DatabaseRegionObservation(tracking: Table("top")).start(
                in: writer, onError: { Issue.record($0) }, onChange: { _ in calls.increment() })
            try writer.write { try $0.addPlayer(score: 30) }
            #expect(calls.value == 1)
            try writer.write { try $0.execute(sql: "INSERT INTO team DEFAULT VALUES") }
            #expect(calls.value == 1)
            cancellable.cancel()
        }
    }

    /// A region observation that starts during a suspension misses no change, although the schema can't be read, and
    /// views aren't known.
    @Test(arguments: [Store.memoryQueue, .fileQueue])
    func aRegionObservationThatStartsInASuspensionMissesNoChange(_ store: Store) throws {
        try store.withWriter { writer in
            try Self.createViews(writer)
            let queue = try #require(writer as? DatabaseQueue)
            let calls = Box(0)
            queue.suspend()
            let cancellable = DatabaseRegionObservation(tracking: Table("top")).start(
                in: writer, onError: { Issue.record($0) }, onChange: { _ in calls.increment() })
            queue.resume()
            try writer.write { try $0.addPlayer(score: 30) }
            #expect(calls.value == 1)
            cancellable.cancel()
        }
    }
}
