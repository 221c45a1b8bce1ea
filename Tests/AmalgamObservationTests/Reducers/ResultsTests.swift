import Amalgam
import TestSupport
import Testing

private typealias Player = ListDifferenceTests.Player

/// An observation that continues after an error.
@Suite struct ResultsTests {
    private enum Event: Equatable { case value(Int), error(String) }

    private static func events(_ recorder: Recorder<Result<Int, any Error>>) -> [Event] {
        recorder.values.map { result in
            switch result {
            case .success(let value): .value(value)
            case .failure(let error): .error("\(error)")
            }
        }
    }

    @Test(arguments: Store.allCases)
    func errorsOfTheFetchAreValues(_ store: Store) throws {
        try store.withWriter { writer in
            let observation = ValueObservation.tracking { db in
                // Before the error, nothing else is read.
                if try Bool.fetchOne(db, sql: "SELECT 1 FROM team WHERE name = 'no'") != nil { throw Oops() }
                return try db.playerCount()
            }
            let recorder = Recorder<Result<Int, any Error>>()
            let cancellable = recorder.startImmediately(observation.results(), in: writer)
            #expect(Self.events(recorder) == [.value(0)])
            try writer.write { try $0.execute(sql: "INSERT INTO team (name) VALUES ('no')") }
            try recorder.wait(count: 2)
            try writer.write {
                try $0.execute(sql: "UPDATE team SET name = 'yes'; INSERT INTO player (name) VALUES ('Anna')")
            }
            try recorder.wait(count: 3)
            #expect(Self.events(recorder) == [.value(0), .error("\(Oops())"), .value(1)])
            cancellable.cancel()
        }
    }

    /// A fetch that throws before it has read its usual region is repeated after any commit.
    @Test(arguments: Store.allCases)
    func theFetchIsRepeatedAfterAnyCommit(_ store: Store) throws {
        try store.withWriter { writer in
            let isBroken = Box(true)
            let observation = ValueObservation.tracking { db in
                if isBroken.value { throw Oops() }
                return try db.playerCount()
            }
            let recorder = Recorder<Result<Int, any Error>>()
            let cancellable = recorder.startImmediately(observation.results(), in: writer)
            #expect(Self.events(recorder) == [.error("\(Oops())")])
            isBroken.value = false
            try writer.write { try $0.execute(sql: "INSERT INTO team DEFAULT VALUES") }
            try recorder.wait(count: 2)
            try writer.write { try $0.addPlayer() }
            try recorder.wait(count: 3)
            #expect(Self.events(recorder) == [.error("\(Oops())"), .value(0), .value(1)])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func errorsOfOperatorsAreValues(_ store: Store) throws {
        try store.withWriter { writer in
            let observation = counting.map { count in
                if count == 1 { throw Oops() }
                return count
            }.results()
            let recorder = Recorder<Result<Int, any Error>>()
            let cancellable = recorder.startImmediately(observation, in: writer)
            try writer.write { try $0.addPlayer() }
            try recorder.wait(count: 2)
            try writer.write { try $0.addPlayer() }
            try recorder.wait(count: 3)
            #expect(Self.events(recorder) == [.value(0), .error("\(Oops())"), .value(2)])
            cancellable.cancel()
        }
    }

    @Test(arguments: Store.allCases)
    func differencesLeadOnFromTheLastGoodList(_ store: Store) throws {
        try store.withWriter { writer in
            let isBroken = Box(false)
            let observation = ValueObservation.tracking { db in
                if isBroken.value { throw Oops() }
                return try Player.fetchAll(db)
            }.differences().results()
            let recorder = Recorder<Result<ListDifference<Player>, any Error>>()
            let cancellable = recorder.startImmediately(observation, in: writer)
            try writer.write { try $0.addPlayer("Anna") }
            try recorder.wait(count: 2)
            isBroken.value = true
            try writer.write { try $0.addPlayer("Ben") }
            try recorder.wait(count: 3)
            isBroken.value = false
            try writer.write { try $0.execute(sql: "DELETE FROM player WHERE name = 'Anna'") }
            let last = try recorder.wait(count: 4)[3].get()
            #expect(last.deletions.map(\.element.name) == ["Anna"])
            #expect(last.insertions.map(\.element.name) == ["Ben"])
            cancellable.cancel()
        }
    }

    @Test func aDatabaseThatIsClosedEndsTheObservation() throws {
        let pool = try DatabaseQueue()
        try pool.write { try $0.createLeague() }
        try pool.close()
        let recorder = Recorder<Result<Int, any Error>>()
        let cancellable = recorder.startImmediately(counting.results(), in: pool)
        let isMisuse = (recorder.error as? DatabaseError)?.resultCode == .SQLITE_MISUSE
        #expect(isMisuse, "\(recorder.values) \(String(describing: recorder.error))")
        cancellable.cancel()
    }
}
