import Amalgam
import Synchronization
import TestSupport
import Testing

/// With a value for every commit, each state is delivered, even if another observer writes after commits.
@Suite struct CommitOrderTests {
    /// Adds a team after each commit that leaves fewer teams than players.
    private final class TeamMaker: TransactionObserver, Sendable {
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidRollback(_ db: Database) {}

        func databaseDidCommit(_ db: Database) {
            do {
                guard try Table("team").fetchCount(db) < db.playerCount() else { return }
                try db.execute(sql: "INSERT INTO team DEFAULT VALUES")
            } catch {
                Issue.record(error)
            }
        }
    }

    private static let counts = ValueObservation.tracking { db in
        try "\(db.playerCount())/\(Table("team").fetchCount(db))"
    }

    @Test(arguments: Store.allCases, [true, false])
    func eachStateIsDelivered(_ store: Store, isObserverFirst: Bool) throws {
        try store.withWriter { writer in
            let recorders = (0..<4).map { _ in Recorder<String>() }
            func start() -> [AnyDatabaseCancellable] {
                recorders.map { $0.startImmediately(Self.counts.delivering(.everyCommit), in: writer) }
            }
            let maker = TeamMaker()
            var cancellables: [AnyDatabaseCancellable] = []
            if !isObserverFirst {
                cancellables = start()
                // The observer of the observations is installed on the writer's queue.
                writer.writeWithoutTransaction { _ in }
            }
            writer.add(transactionObserver: maker, extent: .databaseLifetime)
            if isObserverFirst { cancellables = start() }
            for _ in 1...3 { try writer.write { try $0.addPlayer() } }
            let states = ["0/0", "1/0", "1/1", "2/1", "2/2", "3/2", "3/3"]
            for recorder in recorders { #expect(try recorder.wait(count: 7) == states) }
            for cancellable in cancellables { cancellable.cancel() }
        }
    }

    @Test(arguments: Store.allCases, [true, false])
    func fetchesThatMayWriteSeeEachState(_ store: Store, isObserverFirst: Bool) throws {
        try store.withWriter { writer in
            var observation = Self.counts
            observation.requiresWriteAccess = true
            let recorder = Recorder<String>()
            let maker = TeamMaker()
            if isObserverFirst { writer.add(transactionObserver: maker, extent: .databaseLifetime) }
            let cancellable = recorder.startImmediately(observation, in: writer)
            if !isObserverFirst { writer.add(transactionObserver: maker, extent: .databaseLifetime) }
            for _ in 1...2 { try writer.write { try $0.addPlayer() } }
            #expect(try recorder.wait(count: 5) == ["0/0", "1/0", "1/1", "2/1", "2/2"])
            cancellable.cancel()
        }
    }

    /// A region observation is called once for each commit, in the order of the observers.
    @Test(arguments: Store.allCases, [true, false])
    func regionObservationsAreCalledForEachCommit(_ store: Store, isObserverFirst: Bool) throws {
        try store.withWriter { writer in
            let maker = TeamMaker()
            let calls = Log<String>()
            if isObserverFirst { writer.add(transactionObserver: maker, extent: .databaseLifetime) }
            let cancellable = DatabaseRegionObservation(tracking: .fullDatabase).start(
                in: writer, onError: { Issue.record($0) }
            ) { db in
                do {
                    calls.append(try "\(db.playerCount())/\(Table("team").fetchCount(db))")
                } catch {
                    Issue.record(error)
                }
            }
            if !isObserverFirst { writer.add(transactionObserver: maker, extent: .databaseLifetime) }
            for _ in 1...2 { try writer.write { try $0.addPlayer() } }
            // If an observer that writes was added before, it has written before the call for the outer commit.
            let expected = isObserverFirst ? ["1/1", "1/1", "2/2", "2/2"] : ["1/0", "1/1", "2/1", "2/2"]
            #expect(calls.elements == expected)
            cancellable.cancel()
        }
    }
}
