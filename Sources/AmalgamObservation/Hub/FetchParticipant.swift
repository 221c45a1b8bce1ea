import AmalgamConcurrency
import AmalgamCore

/// An observation that takes part in shared fetches: one read for several observations.
protocol FetchParticipant: RunningObservation {
    /// The fetch begins. Called while the hub is locked.
    func fetchBegins()

    /// - Returns: the closure that delivers the value to its consumer, to be called once. It may be called after the
    ///   transaction.
    func fetch(
        _ db: Database, _ fetch: HubFetch, at version: SnapshotVersion?, for hub: ObservationHub
    ) -> () -> Void

    /// Another thread has interrupted or suspended the connection before the member has fetched.
    func fetchWasStopped(_ db: Database, for hub: ObservationHub)

    /// There was nothing to fetch from.
    func fail(_ error: any Error)
}

/// The observations that a commit adds to the next shared fetch.
final class FetchBatch {
    private(set) var members: [any FetchParticipant] = []
    private(set) var database: (any ObservableDatabase)?

    func add(_ member: any FetchParticipant, in database: any ObservableDatabase) {
        members.append(member)
        self.database = database
    }
}

extension Database {
    /// Reads at a version, or the last state when there is none, or when it is lost.
    ///
    /// - throws: when nothing could be read: the closure has not run. An error at the end of the transaction is
    ///   ignored: the closure has read its values.
    func observedRead(at version: SnapshotVersion?, _ value: (Database) -> Void) throws {
        var hasRun = false
        if let version, version.isKnown {
            do {
                return try isolatedRead(at: version, opening: .read) { db in
                    hasRun = true
                    value(db)
                }
            } catch _ where hasRun {
                return
            } catch DatabaseError.SQLITE_ERROR_SNAPSHOT, DatabaseError.SQLITE_BUSY {
                // A checkpoint has overwritten it, or is about to: later states serve as well.
            }
        }
        do {
            try readState { db in
                hasRun = true
                value(db)
            }
        } catch {
            if !hasRun { throw error }
        }
    }

    /// Reads one state, also inside a transaction.
    func readState<T>(_ value: (Database) throws -> T) throws -> T {
        if isInsideTransaction { try readOnly { try value(self) } } else { try isolatedRead(value) }
    }
}
