package import AmalgamCore
import CAmalgam

extension Database {
    /// Runs a closure in a deferred transaction in which writing is refused: it sees one state of the database.
    package func isolatedRead<T>(_ value: (Database) throws -> T) throws -> T {
        try readOnly {
            try committing(.deferred, isCancellable: false) { try value(self) }
        }
    }

    /// Runs a closure in an immediate transaction.
    package func write<T>(_ updates: (Database) throws -> T) throws -> T {
        try committing(.immediate) { try updates(self) }
    }

    /// Opens a deferred transaction, and takes hold of the current state of the database: SQLite does so at the first
    /// read only.
    ///
    /// - Returns: the version of the state, which is kept while the transaction is open; nil out of WAL mode.
    @discardableResult
    package func beginSnapshotTransaction() throws -> SnapshotVersion? {
        try beginTransaction(.deferred)
        do {
            // Before the first statement: it would hold a checkpointed state by a lock that leaves the WAL file free.
            let version = try snapshotVersionInWAL()
            let statement = try makeStatement(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
            try statement.execute()
            return version
        } catch {
            try? rollback()
            throw error
        }
    }

    /// Sets the WAL mode: <https://sqlite.org/wal.html>.
    ///
    /// SQLite doesn't call the busy handler when it needs the whole file in order to change the mode. So this method waits
    /// for other connections, for as long as `Configuration.busyMode` says.
    ///
    /// - Throws: a ``DatabaseError`` when the file, or its file system, does not support it; `SQLITE_BUSY` when another
    ///   connection uses the file for longer than the busy mode allows.
    package func activateWAL() throws {
        let mode = try retryingWhileBusy { try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL") }
        guard mode == "wal" else {
            throw DatabaseError(message: "could not activate WAL Mode at path: \(path)")
        }
        // Safe in WAL mode, and the default of our build. Where it is, the choice of `prepareDatabase` is respected.
        if !SQLiteBuild.hasOption("DEFAULT_WAL_SYNCHRONOUS=1") { try execute(sql: "PRAGMA synchronous = NORMAL") }
    }

    /// Runs a closure again, as long as it fails with `SQLITE_BUSY` and the busy mode of the connection lets it wait.
    private func retryingWhileBusy<T>(_ body: () throws -> T) throws -> T {
        // The busy handler begins to count with each statement of the closure: this count must not.
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

    /// Makes sure that the WAL file is there and is not empty, so that readers and snapshots work at once. When it is,
    /// nothing is written; else a value in the header of the database is written again.
    ///
    /// SQLite forces the header of the file to the disk before its first frame: without that, what an earlier use left
    /// in the file might be taken for frames after a crash. A file without any byte has nothing of that kind, so
    /// opening a pool need not wait for the disk. Commits to come are as durable as ever.
    package func touchWAL() throws {
        if let version = try? SnapshotVersion(self), version.isKnown, version.frameCount > 0 { return }
        let version = try Int32.fetchOne(self, sql: "PRAGMA user_version") ?? 0
        try withoutSynchronization(if: walFileSize == 0) {
            try execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    /// Runs a closure under `PRAGMA synchronous = OFF`.
    private func withoutSynchronization(if isWanted: Bool, _ body: () throws -> Void) throws {
        guard isWanted, let level = try Int.fetchOne(self, sql: "PRAGMA synchronous") else { return try body() }
        try execute(sql: "PRAGMA synchronous = OFF")
        // Each level is a number, too.
        defer { try? execute(sql: "PRAGMA synchronous = \(level)") }
        try body()
    }
}
