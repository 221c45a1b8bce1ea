import AmalgamConcurrency
import AmalgamCore

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
