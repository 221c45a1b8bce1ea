import AmalgamConcurrency
import AmalgamCore

extension Database {
    /// Runs a closure that reads the snapshot `version`. If `version` is nil, or SQLite can't open the snapshot any
    /// more, the closure reads the last committed state.
    ///
    /// An error at the end of the transaction is ignored, because the closure has already read its values.
    ///
    /// - Throws: the error of a transaction that couldn't begin. In this case, the closure hasn't run.
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
                // A checkpoint has overwritten the snapshot, or is about to. A later state is read instead.
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

    /// Runs a closure that reads one state of the database: in the open transaction, or in a new one.
    func readState<T>(_ value: (Database) throws -> T) throws -> T {
        if isInsideTransaction { try readOnly { try value(self) } } else { try isolatedRead(value) }
    }
}
