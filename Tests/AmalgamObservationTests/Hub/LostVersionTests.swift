import Amalgam
import Dispatch
import TestSupport
import Testing

/// If a checkpoint loses the version that a fetch should read, a later version is read.
@Suite struct LostVersionTests {
    /// The value after a lost version isn't that of an earlier commit, although observers are notified of that one
    /// first.
    @Test func anObservationDoesNotGoBack() throws {
        // Delays the next transaction of a reader before it begins.
        let (isArmed, isHeld, mayBegin) = (Box(false), Signal("begin of a read"), Signal("lost version"))
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.trace { event in
                guard event.description == "BEGIN DEFERRED TRANSACTION", isArmed.value else { return }
                isArmed.value = false
                isHeld.fire()
                try? mayBegin.wait()
            }
        }
        try withPool(configuration) { pool, _ in
            // It is notified of commits before the observations.
            let holder = CommitHolder()
            pool.add(transactionObserver: holder, extent: .databaseLifetime)
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting, in: pool)
            try recorder.wait(count: 1)
            try pool.write { _ in }

            // The read of the first commit begins after the second one, when the first one is lost.
            isArmed.value = true
            try pool.write { try $0.addPlayer() }
            try isHeld.wait()
            try pool.write { try $0.addPlayer() }
            // The snapshot prevents the loss of the second commit.
            let snapshot = try pool.makeSnapshot()
            let other = try DatabaseQueue(path: pool.path)
            _ = try other.inDatabase { try $0.checkpoint(.passive) }
            // The third commit is done, but the observations aren't notified yet.
            holder.isArmed.value = true
            let writer = Worker { try pool.write { try $0.addPlayer() } }
            try holder.isHeld.wait()
            mayBegin.fire()
            // The second commit requires another read.
            try recorder.wait(for: "two values") { $0.count >= 3 }
            holder.mayGoOn.fire()
            try writer.join()
            try pool.write { try $0.addPlayer() }
            expectEqual(try recorder.wait(last: 4), [0, 3, 3, 4])
            cancellable.cancel()
            try snapshot.close()
            try other.close()
        }
    }
}

/// Delays one commit after it is done, and before later observers are notified of it.
private final class CommitHolder: TransactionObserver, Sendable {
    let isArmed = Box(false)
    let isHeld = Signal("commit")
    let mayGoOn = Signal("end of commit")

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseDidCommit(_ db: Database) {
        guard isArmed.value else { return }
        isArmed.value = false
        isHeld.fire()
        try? mayGoOn.wait()
    }

    func databaseDidRollback(_ db: Database) {}
}
