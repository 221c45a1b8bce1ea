import CAmalgam
public import Foundation

// Suspended connections refuse locks on files. The only state is a flag in `Interrupter`, which any thread may set.
// Each statement checks it when its run begins. Calls of SQLite that lock files without a statement of the library
// (blobs, backups, checkpoints, changesets, look-ups of the schema) check it as well.

extension Database {
    /// The notification that suspends all databases opened with ``Configuration/observesSuspensionNotifications``.
    ///
    /// ```swift
    /// NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
    /// ```
    ///
    /// The databases are suspended when `post` returns: see `DatabaseQueue.suspend()` and `DatabasePool.suspend()`,
    /// which suspend a single database. A database that is opened later isn't suspended.
    public static let suspendNotification = Notification.Name("GRDB.Database.Suspend")

    /// The notification that ends the suspension of all databases opened with
    /// ``Configuration/observesSuspensionNotifications``.
    ///
    /// ```swift
    /// NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
    /// ```
    ///
    /// It has no effect on a database that isn't suspended, so it may be posted at any time.
    public static let resumeNotification = Notification.Name("GRDB.Database.Resume")

    /// - Throws: `SQLITE_ABORT` if the connection is suspended and the statement may lock files.
    @inline(never)
    func checkLocks(of statement: Statement) throws {
        if statement.transactionEffect?.returnsLocks == true || statement.explanationMode != 0 { return }
        // ATTACH reads a file, whose journal mode isn't known before.
        if statement.isReadonly && !statement.invalidatesSchemaCache {
            try checkMayRead(sql: statement.sql)
        } else {
            try checkMayWrite(sql: statement.sql)
        }
    }

    /// - Throws: `SQLITE_ABORT` if the connection is suspended, unless its reads don't exclude writers.
    package func checkMayRead(sql: @autoclosure () -> String? = nil) throws {
        if !mayRead { throw refuseLock(sql: sql()) }
    }

    /// Whether the connection isn't suspended, or its reads don't exclude writers (WAL mode).
    package var mayRead: Bool { !access.interrupter.isSuspended || isInWALMode }

    /// - Throws: `SQLITE_ABORT` if the connection is suspended.
    package func checkMayWrite(sql: @autoclosure () -> String? = nil) throws {
        if access.interrupter.isSuspended { throw refuseLock(sql: sql()) }
    }

    /// Returns the error of a call of SQLite that didn't wait for a lock because the connection is suspended.
    package func suspension(_ code: CInt, _ error: DatabaseError) -> (any Error)? {
        guard access.interrupter.isSuspended, ResultCode(rawValue: code).primaryResultCode == .SQLITE_BUSY else {
            return nil
        }
        return refuseLock(sql: error.sql)
    }

    /// Whether the file is in WAL mode. SQLite knows the mode of a file that it has read, so this needs no statement
    /// and no lock.
    private var isInWALMode: Bool { sqliteConnection.map { amalgam_is_in_wal_mode($0) != 0 } ?? false }

    /// Rolls back the open transaction, which releases its locks, and returns the error.
    private func refuseLock(sql: String?) -> DatabaseError {
        abortTransaction()
        return DatabaseError(resultCode: .SQLITE_ABORT, message: "Database is suspended", sql: sql)
    }

    /// Rolls back as SQLite does when it interrupts a statement that writes. `inTransaction` notices it at its next
    /// statement.
    private func abortTransaction() {
        // The call that applies a changeset undoes its changes.
        guard isInsideTransaction, observation.applications.depth == 0 else { return }
        let (isManaged, wasInterrupted) = (managesTransaction, isInterrupted)
        try? rollback()
        managesTransaction = isManaged
        // `rollback()` has cleared the interruption, which must still stop the other running statements.
        if wasInterrupted { access.interrupter.interrupt() }
    }
}

extension Database {
    /// Whether running statements are to stop. If no statement runs, the flag may be left over from earlier statements.
    package var isInterrupted: Bool { sqliteConnection.map { sqlite3_is_interrupted($0) != 0 } ?? false }

    package func clearInterruption() {
        if let sqliteConnection { amalgam_clear_interrupt(sqliteConnection) }
    }

    /// Clears an interruption that came while no statement ran, so that it doesn't stop the call that follows. SQLite
    /// itself clears it only before a statement.
    package func forgetInterruption() {
        if let sqliteConnection, amalgam_is_busy(sqliteConnection) == 0 { clearInterruption() }
    }
}
