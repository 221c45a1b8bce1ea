public import AmalgamCore
import CAmalgam

extension Database {
    /// Returns the version of the snapshot that this connection sees.
    ///
    /// ```swift
    /// let (version, players) = try dbPool.read { db in
    ///     try (db.snapshotVersion(), Row.fetchAll(db, sql: "SELECT * FROM player"))
    /// }
    /// try dbPool.writeWithoutTransaction { db in
    ///     if try db.snapshotVersion().order(relativeTo: version) != .same { /* players may have changed */ }
    /// }
    /// ```
    ///
    /// Inside a read transaction, the result is the version of the transaction, which doesn't change until the end of
    /// the transaction. Outside of a transaction, it is the version of the last commit by any connection or process.
    /// Attached databases are ignored.
    ///
    /// If the transaction hasn't read before, this call also pins the snapshot: until the transaction ends, SQLite
    /// doesn't overwrite the snapshot, and other connections can open it. A transaction that has read before may hold a
    /// weaker lock, which lets writers restart the WAL file. The version is then lost for other connections.
    ///
    /// The method runs no statement. In a transaction that has read, it only copies some bytes. In a transaction that
    /// hasn't read, it starts the read, as the first query would. Outside of a transaction, it starts a read, and ends
    /// the read immediately.
    ///
    /// - Throws: `SQLITE_ERROR` if the database isn't in WAL mode, and in a transaction that has written;
    ///   `SQLITE_MISUSE` outside of a database access.
    public func snapshotVersion() throws -> SnapshotVersion {
        guard let version = try snapshotVersionInWAL() else { throw SnapshotVersion.needsWAL(self) }
        return version
    }

    /// Returns the version of the snapshot that this connection sees. Nil if the database isn't in WAL mode.
    package func snapshotVersionInWAL() throws -> SnapshotVersion? {
        try checkAccess()
        try checkMayRead()
        return try SnapshotVersion(self)
    }

    /// Returns the version of this connection's last commit, even if other connections have committed since. If SQLite
    /// doesn't know this version any more, returns the version of the last commit by any connection. Returns nil if the
    /// database isn't in WAL mode, or if the database access is cancelled.
    ///
    /// - Precondition: called after a commit, before the connection reads again.
    package func committedVersionInWAL() -> SnapshotVersion? {
        SnapshotVersion(ofCommitBy: self) ?? (try? snapshotVersionInWAL()) ?? nil
    }

    /// Whether the open read transaction reads only the database file, and no frame of the WAL file. If so, until the
    /// transaction ends, other connections can open its version with ``SnapshotVersion/Opening/inFile``.
    package var seesFileOnly: Bool {
        sqliteConnection.map { amalgam_version_is_in_file($0) != 0 } ?? false
    }

    /// Opens a transaction on the snapshot of a version.
    ///
    /// - Parameter opening: how the version is opened. `inFile` requires that the database file contains the whole
    ///   snapshot, and that another transaction preserves the snapshot until this method returns: see ``seesFileOnly``.
    /// - Throws: `SQLITE_ERROR_SNAPSHOT` if the version is lost. In this case, no transaction is open.
    package func beginTransaction(at version: SnapshotVersion, _ opening: SnapshotVersion.Opening = .held) throws {
        try beginTransaction(.deferred)
        do {
            try version.open(self, opening)
            beginReadingAttachedDatabases()
        } catch {
            try? rollback()
            throw error
        }
    }

    /// In a transaction, acquires the snapshots of the database and of all attached databases in WAL mode. SQLite would
    /// acquire each at the first statement that reads the database, and commits in between would be seen in part.
    package func beginReadingAttachedDatabases() {
        guard hasAttachedDatabases else { return }
        // As in `beginSnapshotTransaction()`, this acquires the lock that prevents a restart of the WAL file.
        _ = try? snapshotVersionInWAL()
        amalgam_version_begin_attached(sqliteConnection)
    }

    /// Moves an open read transaction to a later version. Waits up to one second for a running checkpoint.
    ///
    /// - Throws: `SQLITE_ERROR_SNAPSHOT` if the version is lost, or another error of SQLite. After an error, it is
    ///   undefined which version the transaction sees.
    package func advance(to version: SnapshotVersion) throws {
        try checkAccess()
        try version.advance(self)
    }

    /// Runs a closure in a deferred transaction that sees the snapshot of a version, and refuses writes.
    ///
    /// - Throws: `SQLITE_ERROR_SNAPSHOT` if the version is lost. In this case, the closure hasn't run.
    package func isolatedRead<T>(
        at version: SnapshotVersion, opening: SnapshotVersion.Opening = .held, _ value: (Database) throws -> T
    ) throws -> T {
        try readOnly {
            try committing(.deferred, isCancellable: false) {
                try version.open(self, opening)
                beginReadingAttachedDatabases()
                return try value(self)
            }
        }
    }
}
