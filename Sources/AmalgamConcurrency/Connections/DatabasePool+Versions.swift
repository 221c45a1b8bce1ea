public import AmalgamCore

extension DatabasePool {
    /// Returns the version of the last commit, by any connection or process.
    ///
    /// ```swift
    /// let version = try dbPool.currentVersion()
    /// ```
    ///
    /// The result is that of ``Database/snapshotVersion()`` on a reader outside of a transaction. The
    /// method takes about as long as an empty read. It doesn't wait for writes. If all readers are in use, it waits for
    /// one of them.
    ///
    /// - Throws: `SQLITE_MISUSE` from inside a read of this pool, or if the pool is closed; `SQLITE_ERROR` if the
    ///   database isn't in WAL mode, which is possible for a read-only pool; errors of opening a connection.
    public func currentVersion() throws -> SnapshotVersion {
        try readers.checkNotReading()
        return try readers.sync(isInsideWrite: writer.isCurrent) { try $0.snapshotVersion() }
    }

    /// Returns the version of the last commit, without blocking a thread.
    ///
    /// - Throws: the errors of the synchronous method; `CancellationError` if the task is cancelled.
    public func currentVersion() async throws -> SnapshotVersion {
        try await readers.perform { try $0.snapshotVersion() }
    }

    /// Reads the database at an earlier version, and waits for the result.
    ///
    /// ```swift
    /// let (version, first) = try dbPool.read { db in
    ///     try (db.snapshotVersion(), Row.fetchAll(db, sql: "SELECT * FROM player ORDER BY id LIMIT 100"))
    /// }
    /// // Later: fetch the next page from the same snapshot, if it is still available.
    /// do {
    ///     let next = try dbPool.read(at: version) { db in
    ///         try Row.fetchAll(db, sql: "SELECT * FROM player ORDER BY id LIMIT 100 OFFSET 100")
    ///     }
    /// } catch DatabaseError.SQLITE_ERROR_SNAPSHOT {
    ///     // Start again with the first page.
    /// }
    /// ```
    ///
    /// The closure sees exactly this version, or doesn't run. The read always succeeds if no commit was made since the
    /// version was taken. Otherwise the version may be lost, because a checkpoint overwrites old pages that no open
    /// transaction needs. To prevent this, hold a ``DatabaseSnapshot`` of the version open until the read, or keep
    /// the transaction open in which the version was taken.
    ///
    /// Opening an earlier version blocks checkpoints for some microseconds: a checkpoint that starts at this time may
    /// throw `SQLITE_BUSY`. Reading at the current version doesn't block checkpoints.
    ///
    /// - Throws: `SQLITE_ERROR_SNAPSHOT` if the version is lost (the pool remains usable); `SQLITE_BUSY` if a
    ///   checkpoint runs for longer than the busy timeout of the reader; `SQLITE_MISUSE` if the version is that of a
    ///   different file; the errors of `read(_:)`.
    public func read<T>(at version: SnapshotVersion, _ value: (Database) throws -> T) throws -> T {
        try readers.checkNotReading()
        return try readers.sync(isInsideWrite: writer.isCurrent) { try $0.isolatedRead(at: version, value) }
    }

    /// Reads the database at an earlier version, without blocking a thread.
    ///
    /// - Throws: the errors of the synchronous method; `CancellationError` if the task is cancelled.
    public func read<T: Sendable>(
        at version: SnapshotVersion, _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await readers.perform { try $0.isolatedRead(at: version, value) }
    }
}
