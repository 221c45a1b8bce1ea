import CAmalgam
public import Foundation

// A suspended connection throws errors rather than lock files. The only state is a flag in `Interrupter`, which any
// thread may set. The flag is checked when a statement begins to run, and before other calls of SQLite that lock files:
// blobs, backups, checkpoints, changesets and look-ups of the schema.

extension Database {
    /// The notification that suspends all databases opened with ``Configuration/observesSuspensionNotifications``.
    ///
    /// ```swift
    /// NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
    /// ```
    ///
    /// When `post` returns, the databases are suspended. A database that is opened later isn't suspended. To suspend a
    /// single database, call `DatabaseQueue.suspend()` or `DatabasePool.suspend()`.
    public static let suspendNotification = Notification.Name("GRDB.Database.Suspend")

    /// The notification that ends the suspension of all databases opened with
    /// ``Configuration/observesSuspensionNotifications``.
    ///
    /// ```swift
    /// NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
    /// ```
    ///
    /// The notification has no effect on a database that isn't suspended, so it may be posted at any time.
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

    /// - Throws: `SQLITE_ABORT` if the connection is suspended, unless the file is in WAL mode, where reads don't block
    ///   writers.
    package func checkMayRead(sql: @autoclosure () -> String? = nil) throws {
        if !mayRead { throw refuseLock(sql: sql()) }
    }

    /// Whether the connection may read: it isn't suspended, or the file is in WAL mode, where reads don't block
    /// writers.
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

    /// Rolls back the transaction, as SQLite does when a statement that writes is interrupted. If `inTransaction` began
    /// the transaction, the next statement of its closure throws `SQLITE_ABORT`.
    private func abortTransaction() {
        // While a changeset is applied, the call that applies it undoes the changes.
        guard isInsideTransaction, observation.applications.depth == 0 else { return }
        let (isManaged, wasInterrupted) = (managesTransaction, isInterrupted)
        try? rollback()
        managesTransaction = isManaged
        // `rollback()` has cleared the interruption, which must still stop the other running statements.
        if wasInterrupted { access.interrupter.interrupt() }
    }
}

extension Database {
    /// Whether SQLite's interruption flag is set. If no statement runs, an earlier interruption may have set the flag.
    package var isInterrupted: Bool { sqliteConnection.map { sqlite3_is_interrupted($0) != 0 } ?? false }

    package func clearInterruption() {
        if let sqliteConnection { amalgam_clear_interrupt(sqliteConnection) }
    }

    /// Ends an interruption that has stopped a statement, or that came between two accesses: an open cursor would keep
    /// it, and SQLite would interrupt each later statement. A suspension goes on, and functions that run in the middle
    /// of a statement don't end the interruption of that statement.
    @inline(__always)
    package func endInterruption() {
        if let sqliteConnection, !access.isSuspended { amalgam_end_interrupt(sqliteConnection) }
    }

    /// Clears SQLite's interruption flag, unless a statement runs. An earlier interruption could otherwise stop the
    /// next call, because SQLite itself clears the flag only before a statement.
    package func forgetInterruption() {
        if let sqliteConnection, amalgam_is_busy(sqliteConnection) == 0 { clearInterruption() }
    }
}
