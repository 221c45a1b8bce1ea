public import AmalgamCore
import CAmalgam

extension Database {
    /// The version of the database that this connection sees.
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
    /// Inside a transaction that only reads, it is the version of the transaction, which is fixed from then on. Outside
    /// of one, it is that of the last commit, whoever made it. It is the version of the main database, not of
    /// attached ones.
    ///
    /// When the transaction has read nothing before, it also keeps SQLite from overwriting the version: other
    /// connections can read at it until the transaction ends. A transaction that has read before may hold it
    /// with a weaker lock, which lets a writer begin the WAL file anew: others may find the version lost, then.
    ///
    /// It runs no statement. In a transaction that has read, it copies some bytes; else it begins to read, as the first
    /// query would, and outside of a transaction it ends that at once.
    ///
    /// - throws: `SQLITE_ERROR` when the database is not in WAL mode, and in a transaction that has written;
    ///   `SQLITE_MISUSE` outside of an access.
    public func snapshotVersion() throws -> SnapshotVersion {
        guard let version = try snapshotVersionInWAL() else { throw SnapshotVersion.needsWAL }
        return version
    }

    /// The version of the database that this connection sees; nil when the database is not in WAL mode.
    package func snapshotVersionInWAL() throws -> SnapshotVersion? {
        try checkAccess()
        try checkMayRead()
        return try SnapshotVersion(self)
    }

    /// The version that this connection has just committed, also when others have committed since; nil when the database is not in
    /// WAL mode, and in an access that has been cancelled.
    ///
    /// - Precondition: called after a commit, before anything else is read.
    package func committedVersionInWAL() -> SnapshotVersion? {
        SnapshotVersion(ofCommitBy: self) ?? (try? snapshotVersionInWAL()) ?? nil
    }

    /// Whether the transaction, which has read, sees the database file and nothing of the WAL file. As long as it is open,
    /// others can open its version as one that is `inFile`.
    package var seesFileOnly: Bool {
        sqliteConnection.map { amalgam_version_is_in_file($0) != 0 } ?? false
    }

    /// Opens a transaction that sees a version.
    ///
    /// - Parameter opening: with `inFile`, all of the version is in the database file, and somebody keeps it there until this
    ///   returns: see ``seesFileOnly``. Then it cannot be lost.
    /// - throws: `SQLITE_ERROR_SNAPSHOT` when it is lost; no transaction is open then.
    package func beginTransaction(at version: SnapshotVersion, _ opening: SnapshotVersion.Opening = .held) throws {
        try beginTransaction(.deferred)
        do {
            try version.open(self, opening)
        } catch {
            try? rollback()
            throw error
        }
    }

    /// Goes on to a later version in a transaction that reads. It waits for a checkpoint under way, up to a second.
    ///
    /// - throws: the transaction may see any version then.
    package func advance(to version: SnapshotVersion) throws {
        try checkAccess()
        try version.advance(self)
    }

    /// Runs a closure in a deferred transaction that sees a version, and in which writing is refused.
    ///
    /// - throws: `SQLITE_ERROR_SNAPSHOT` when the version is lost. The closure has not run, then.
    package func isolatedRead<T>(
        at version: SnapshotVersion, opening: SnapshotVersion.Opening = .held, _ value: (Database) throws -> T
    ) throws -> T {
        try isolatedRead { db in
            try version.open(db, opening)
            return try value(db)
        }
    }
}
