import AmalgamConcurrency
import AmalgamCore

/// A member that fetches with others, in one read.
protocol PassMember: HubMember {
    /// The fetch begins. Called while the hub is locked.
    func fetchBegins()

    /// - Returns: what lets the value go on to its consumer, once. It may be called after the transaction.
    func fetch(
        _ db: Database, _ fetch: HubFetch, at version: SnapshotVersion?, for hub: ObservationHub
    ) -> () -> Void

    /// Another thread has interrupted or suspended the connection before the member has fetched.
    func fetchWasStopped(_ db: Database, for hub: ObservationHub)

    /// There was nothing to fetch from.
    func fail(_ error: any Error)
}

/// Those who go to the next pass together.
final class PassLine {
    private(set) var members: [any PassMember] = []
    private(set) var database: (any ObservableDatabase)?

    func add(_ member: any PassMember, in database: any ObservableDatabase) {
        members.append(member)
        self.database = database
    }
}

extension Database {
    /// Reads at a version, or the last state when there is none, or when it is lost.
    ///
    /// - throws: when nothing could be read: the closure has not run. An error at the end of the transaction concerns
    ///   nobody: the closure has read what it wanted.
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
