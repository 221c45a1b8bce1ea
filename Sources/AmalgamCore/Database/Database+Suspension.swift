import CAmalgam
public import Foundation

// The gate of a suspended connection. Nothing is stored but one flag, in `Interrupter`, which any thread may set.
// Statements are looked at when their run begins; calls of SQLite that lock files without a statement of ours (blobs,
// backups, checkpoints, changesets, look-ups of the schema) pass here as well.

extension Database {
    /// Post this notification to suspend all databases that were opened with
    /// ``Configuration/observesSuspensionNotifications``.
    ///
    /// ```swift
    /// NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
    /// ```
    ///
    /// They are suspended when the call returns: see `DatabaseQueue.suspend()` and `DatabasePool.suspend()`, which do
    /// the same for one database. A database that is opened later is not suspended.
    public static let suspendNotification = Notification.Name("GRDB.Database.Suspend")

    /// Post this notification to end the suspension of all databases that were opened with
    /// ``Configuration/observesSuspensionNotifications``.
    ///
    /// ```swift
    /// NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
    /// ```
    ///
    /// A database that is not suspended is left alone, so it may be posted at any time.
    public static let resumeNotification = Notification.Name("GRDB.Database.Resume")

    /// - throws: `SQLITE_ABORT` while the connection is suspended and the statement may lock files.
    @inline(never)
    func checkLocks(of statement: Statement) throws {
        if statement.transactionEffect?.returnsLocks == true || statement.explanationMode != 0 { return }
        // ATTACH reads a file, and only then its mode is known.
        if statement.isReadonly && !statement.invalidatesSchemaCache {
            try checkMayRead(sql: statement.sql)
        } else {
            try checkMayWrite(sql: statement.sql)
        }
    }

    /// - throws: `SQLITE_ABORT` while the connection is suspended, unless it reads without locking others out.
    package func checkMayRead(sql: @autoclosure () -> String? = nil) throws {
        if !mayRead { throw refuseLock(sql: sql()) }
    }

    /// Whether the connection is not suspended, or reads without locking others out.
    package var mayRead: Bool { !access.interrupter.isSuspended || isInWALMode }

    /// - throws: `SQLITE_ABORT` while the connection is suspended.
    package func checkMayWrite(sql: @autoclosure () -> String? = nil) throws {
        if access.interrupter.isSuspended { throw refuseLock(sql: sql()) }
    }

    /// The error of a call of SQLite that did not wait for a lock, because the connection is suspended.
    package func suspension(_ code: CInt, _ error: DatabaseError) -> (any Error)? {
        guard access.interrupter.isSuspended, ResultCode(rawValue: code).primaryResultCode == .SQLITE_BUSY else {
            return nil
        }
        return refuseLock(sql: error.sql)
    }

    /// SQLite knows the journal mode of a file that it has read: no statement is needed, and no lock.
    private var isInWALMode: Bool { sqliteConnection.map { amalgam_is_in_wal_mode($0) != 0 } ?? false }

    /// Who must not take a lock gives those back that the transaction holds.
    private func refuseLock(sql: String?) -> DatabaseError {
        abortTransaction()
        return DatabaseError(resultCode: .SQLITE_ABORT, message: "Database is suspended", sql: sql)
    }

    /// Rolls back as SQLite does when a statement that writes is interrupted: `inTransaction` notices.
    private func abortTransaction() {
        // A changeset under way is undone by whoever applies it.
        guard isInsideTransaction, observation.applications.depth == 0 else { return }
        let (isManaged, wasInterrupted) = (managesTransaction, isInterrupted)
        try? rollback()
        managesTransaction = isManaged
        // ROLLBACK was spared, but the other statements under way are not.
        if wasInterrupted { access.interrupter.interrupt() }
    }
}

extension Database {
    /// Whether the statements under way are to stop. When there are none, it may be left from the last ones.
    package var isInterrupted: Bool { sqliteConnection.map { sqlite3_is_interrupted($0) != 0 } ?? false }

    package func clearInterruption() {
        if let sqliteConnection { amalgam_clear_interrupt(sqliteConnection) }
    }

    /// An interruption that came when nothing ran is none of the call that follows: SQLite forgets it before a statement
    /// only.
    package func forgetInterruption() {
        if let sqliteConnection, amalgam_is_busy(sqliteConnection) == 0 { clearInterruption() }
    }
}
