import Amalgam
import TestSupport
import Testing

/// The first observation installs the hub, even during a transaction.
@Suite struct InstallationTests {
    /// A transaction inserts a row, then an observation fetches the previous state, and a region observation installs
    /// the hub: the row isn't missed.
    @Test(arguments: [ValueObservationDelivery.latest, .everyCommit])
    func whatATransactionWroteBeforeTheHubIsNotMissed(_ delivery: ValueObservationDelivery) throws {
        try withPool { pool, _ in
            let recorder = Recorder<Int>()
            let cancellables = Log<AnyDatabaseCancellable>()
            try pool.write { db in
                try db.addPlayer()
                cancellables.append(recorder.start(counting.delivering(delivery), in: pool))
                try recorder.wait(count: 1)
                cancellables.append(Self.observePlayers(in: pool))
            }
            #expect(try recorder.wait(last: 1).first == 0)
            for cancellable in cancellables.elements { cancellable.cancel() }
        }
    }

    @Test func whoComesAfterTheHubIsToldOfWhatWasWrittenBefore() throws {
        try withPool { pool, _ in
            let recorder = Recorder<Int>()
            let cancellables = Log<AnyDatabaseCancellable>()
            try pool.write { db in
                try db.addPlayer()
                cancellables.append(Self.observePlayers(in: pool))
                cancellables.append(recorder.start(counting, in: pool))
                try recorder.wait(count: 1)
            }
            #expect(try recorder.wait(count: 2) == [0, 1])
            for cancellable in cancellables.elements { cancellable.cancel() }
        }
    }

    @Test func aFetchUnderWayLearnsThatSomethingWasMissed() throws {
        try withPool { pool, _ in
            let (hasRead, mayEnd) = (Signal("read"), Signal("end of read"))
            let observation = ValueObservation.tracking { db in
                let count = try db.playerCount()
                hasRead.fire()
                try mayEnd.wait()
                return count
            }
            let recorder = Recorder<Int>()
            let cancellables = Log<AnyDatabaseCancellable>()
            try pool.write { db in
                try db.addPlayer()
                cancellables.append(Self.observePlayers(in: pool))
                cancellables.append(recorder.start(observation, in: pool))
                try hasRead.wait()
            }
            mayEnd.fire()
            #expect(try recorder.wait(count: 2) == [0, 1])
            for cancellable in cancellables.elements { cancellable.cancel() }
        }
    }

    @Test func aRegionObservationIsNotToldOfEarlierWrites() throws {
        try withPool { pool, _ in
            let calls = Box(0)
            let cancellable = try pool.write { db in
                try db.addPlayer()
                return Self.observePlayers(in: pool) { _ in calls.increment() }
            }
            #expect(calls.value == 0)
            try pool.write { try $0.addPlayer() }
            #expect(calls.value == 1)
            cancellable.cancel()
        }
    }

    private static func observePlayers(
        in pool: DatabasePool, onChange: @escaping @Sendable (Database) -> Void = { _ in }
    ) -> AnyDatabaseCancellable {
        DatabaseRegionObservation(tracking: Table("player")).start(
            in: pool, onError: { Issue.record($0) }, onChange: onChange)
    }
}
