package import AmalgamCore
import CAmalgam

extension Database {
    /// Runs a closure in a deferred transaction that refuses writes. The closure sees one snapshot of the database.
    package func isolatedRead<T>(_ value: (Database) throws -> T) throws -> T {
        try readOnly {
            try committing(.deferred, isCancellable: false) {
                beginReadingAttachedDatabases()
                return try value(self)
            }
        }
    }

    /// Runs a closure that refuses writes in a transaction that is already open, on a connection that several reads use
    /// in turn: a temporary table of one read would hide a table from the next read.
    package func readInOpenTransaction<T>(_ value: (Database) throws -> T) rethrows -> T {
        beginReadOnly()
        defer { endReadOnly() }
        return try value(self)
    }

    /// Runs a closure in an immediate transaction, and commits the transaction.
    package func write<T>(_ updates: (Database) throws -> T) throws -> T {
        try committing(.immediate) { try updates(self) }
    }

    /// Runs a closure in an immediate transaction, and returns what `DatabaseWriter.write(_:)` would return or throw: the
    /// result is an error if an observer has left a transaction open, which is rolled back.
    func resultOfWrite<T>(_ updates: (Database) throws -> T) -> Result<T, any Error> {
        let wasInsideTransaction = isInsideTransaction
        let result = Result { try write(updates) }
        guard isInsideTransaction, !wasInsideTransaction, !configuration.allowsUnsafeTransactions else { return result }
        rollbackLeftTransaction()
        return result.flatMap { _ in
            .failure(DatabaseError(resultCode: .SQLITE_MISUSE, message: transactionLeftOpen))
        }
    }

    /// Opens a deferred transaction, and acquires the current snapshot, which SQLite would do only at the first read.
    ///
    /// - Returns: the version of the snapshot. Other connections can open this version until the transaction ends. Nil
    ///   if the database isn't in WAL mode.
    @discardableResult
    package func beginSnapshotTransaction() throws -> SnapshotVersion? {
        try beginTransaction(.deferred)
        do {
            // The version is taken before a statement runs: `snapshotVersionInWAL()` acquires a lock that prevents
            // writers from restarting the WAL file. If a statement ran first, and all frames were checkpointed, the
            // statement would acquire a weaker lock, which doesn't prevent a restart.
            let version = try snapshotVersionInWAL()
            let statement = try makeStatement(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
            try statement.execute()
            beginReadingAttachedDatabases()
            return version
        } catch {
            try? rollback()
            throw error
        }
    }

    /// Sets the WAL mode: <https://sqlite.org/wal.html>.
    ///
    /// SQLite needs an exclusive lock to change the mode, but doesn't call the busy handler to wait for this lock. So
    /// this method retries for as long as `Configuration.busyMode` waits.
    ///
    /// - Throws: a ``DatabaseError`` if the file or its file system doesn't support WAL mode; `SQLITE_BUSY` if another
    ///   connection uses the file for longer than the busy mode waits.
    package func activateWAL() throws {
        let mode = try retryingWhileBusy { try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL") }
        guard mode == "wal" else {
            throw DatabaseError(message: "could not activate WAL Mode at path: \(path)")
        }
        // `NORMAL` is safe in WAL mode. In SQLite builds where `NORMAL` is the default in WAL mode, the statement is
        // skipped, because it could only override a `PRAGMA synchronous` that a `prepareDatabase` closure has executed.
        if !SQLiteBuild.hasOption("DEFAULT_WAL_SYNCHRONOUS=1") { try execute(sql: "PRAGMA synchronous = NORMAL") }
    }

    /// Runs a closure again while it fails with `SQLITE_BUSY` and the busy mode of the connection allows another try.
    private func retryingWhileBusy<T>(_ body: () throws -> T) throws -> T {
        // The connection's own busy handler restarts its count with each statement. This count spans all tries.
        let mayWait = makeBusyCallback()
        var numberOfTries = 0
        while true {
            do {
                return try body()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                guard let mayWait, mayWait(numberOfTries) else { throw error }
                numberOfTries += 1
            }
        }
    }

    /// Makes sure that the WAL file exists and isn't empty, so that readers and snapshots can be opened. If the WAL
    /// file is missing or empty, commits a transaction that writes the unchanged `user_version`.
    ///
    /// With the first frame of a WAL file, SQLite syncs the file's header to disk, so that old frames in the file
    /// aren't valid after a crash. A new WAL file has no old frames, so this method skips the sync, and opening a pool
    /// doesn't wait for the disk. Later commits are as durable as usual. An empty WAL file may have old frames: the
    /// disk may not know yet that the file was truncated.
    ///
    /// - Parameter isNew: whether there was no WAL file before the connection was opened. False if that isn't known.
    package func touchWAL(isNew: Bool) throws {
        if let version = try? SnapshotVersion(self), version.isKnown, version.frameCount > 0 { return }
        let version = try Int32.fetchOne(self, sql: "PRAGMA user_version") ?? 0
        try withoutSynchronization(if: isNew && walFileSize == 0) {
            try execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    /// Runs a closure, with `PRAGMA synchronous = OFF` if `isWanted` is true.
    private func withoutSynchronization(if isWanted: Bool, _ body: () throws -> Void) throws {
        guard isWanted, let level = try Int.fetchOne(self, sql: "PRAGMA synchronous") else { return try body() }
        try execute(sql: "PRAGMA synchronous = OFF")
        // `PRAGMA synchronous` accepts the level as a number, too.
        defer { try? execute(sql: "PRAGMA synchronous = \(level)") }
        try body()
    }
}

let transactionLeftOpen = "A transaction has been left opened at the end of a database access"
