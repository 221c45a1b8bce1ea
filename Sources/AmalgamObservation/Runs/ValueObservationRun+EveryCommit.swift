import AmalgamConcurrency
import AmalgamCore
import Synchronization

// The start of observations that deliver a value for every commit, in a pool.
extension ValueObservationRun {
    /// Schedules the fetch of the initial value, which sees no transaction whose `write` is called after this method has
    /// returned.
    ///
    /// Two accesses are scheduled. A reader may become available after any number of writes, but the access to the
    /// writer precedes all later writes. The first access that has its snapshot fetches, and the other one does nothing.
    /// The access to the writer isn't enough: the observation may start inside of a write, and this write may wait for
    /// the initial value.
    func startBeforeLaterWrites(_ database: any ObservableDatabase, _ hub: ObservationHub, _ connection: Connection) {
        let turn = StartTurn()
        let fetch = begin(database, hub)
        database.asyncUnsafeRead { [self] access in
            defer { hub.abandon(fetch) }
            startOrRepeat(connection, access, hub, isWanted: { turn.take(.reader) }) { db in
                try startOnReader(db, hub, fetch, isWanted: { turn.take(.reader) }, deliver)
            }
        }
        database.asyncWriteWithoutTransaction { [self] db in
            if isRunning && turn.take(.writer) { startBetweenWrites(db, database, hub, connection) }
        }
    }

    /// Starts on an idle or new reader, which acquires its snapshot before the writer continues. If all readers are in
    /// use, starts on the writing connection.
    private func startBetweenWrites(
        _ db: Database, _ database: any ObservableDatabase, _ hub: ObservationHub, _ connection: Connection
    ) {
        // The fetch sees all commits so far.
        let (fetch, mustInstall) = hub.begin(self)
        if mustInstall { hub.install(db) }
        if !isRunning { hub.remove(self) }
        let isSpawned =
            !db.isClosed
            && database.spawnReadWithoutWaiting(opensReader: true) { [self] reader in
                defer { hub.abandon(fetch) }
                startOrRepeat(connection, .success(reader), hub) { try startOnReader($0, hub, fetch, deliver) }
            }
        if isSpawned { return }
        hub.abandon(fetch)
        startOrRepeat(connection, .success(db), hub) { try startOnWriter($0, hub, deliver) }
    }
}

/// Decides which of two connections fetches an initial value.
private final class StartTurn: Sendable {
    enum Connection { case reader, writer }

    private let taker = Mutex<Connection?>(nil)

    /// Returns whether the connection fetches: no other connection has called this method before.
    func take(_ connection: Connection) -> Bool {
        taker.withLock { taker in
            if taker == nil { taker = connection }
            return taker == connection
        }
    }
}
