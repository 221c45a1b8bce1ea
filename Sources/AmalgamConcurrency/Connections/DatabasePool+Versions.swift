public import AmalgamCore

extension DatabasePool {
    /// The version of the last commit, whoever made it.
    ///
    /// ```swift
    /// let version = try dbPool.currentVersion()
    /// ```
    ///
    /// It is what ``AmalgamCore/Database/snapshotVersion()`` tells of a reader outside of a transaction. It takes about
    /// as long as an empty read, and does not wait for writes; it waits for a reader when all are in use.
    ///
    /// - throws: `SQLITE_MISUSE` from inside a read of this pool, or when it is closed; `SQLITE_ERROR` when the database
    ///   is not in WAL mode, which may be with a read-only pool; errors of a new connection.
    public func currentVersion() throws -> SnapshotVersion {
        try readers.checkNotReading()
        return try readers.sync(isInsideWrite: writer.isCurrent) { try $0.snapshotVersion() }
    }

    /// The version of the last commit, without blocking a thread.
    ///
    /// - throws: the errors of the other method; `CancellationError` when the task is cancelled.
    public func currentVersion() async throws -> SnapshotVersion {
        try await readers.perform { try $0.snapshotVersion() }
    }

    /// Reads the database as it was at a version, and waits for the result.
    ///
    /// ```swift
    /// let (version, first) = try dbPool.read { db in
    ///     try (db.snapshotVersion(), Row.fetchAll(db, sql: "SELECT * FROM player ORDER BY id LIMIT 100"))
    /// }
    /// // Later: the next page of the same content, unless it is gone.
    /// do {
    ///     let next = try dbPool.read(at: version) { db in
    ///         try Row.fetchAll(db, sql: "SELECT * FROM player ORDER BY id LIMIT 100 OFFSET 100")
    ///     }
    /// } catch DatabaseError.SQLITE_ERROR_SNAPSHOT {
    ///     // Begin with the first page again.
    /// }
    /// ```
    ///
    /// The closure sees exactly that version, or does not run. When nothing was written since, that always succeeds. Else
    /// it depends on checkpoints: they overwrite what no transaction sees. To rely on it, keep a
    /// ``DatabaseSnapshot`` of the version open meanwhile, or the transaction that it was taken in.
    ///
    /// Going back to an earlier version keeps checkpoints away for some microseconds: one that begins just then may
    /// throw `SQLITE_BUSY`. Reading at the current version does not.
    ///
    /// - throws: `SQLITE_ERROR_SNAPSHOT` when the version is lost: the closure has not run, and the pool works
    ///   on; `SQLITE_BUSY` when a checkpoint runs for longer than the reader waits; `SQLITE_MISUSE` for a version of another
    ///   file; else the errors of ``read(_:)``.
    public func read<T>(at version: SnapshotVersion, _ value: (Database) throws -> T) throws -> T {
        try readers.checkNotReading()
        return try readers.sync(isInsideWrite: writer.isCurrent) { try $0.isolatedRead(at: version, value) }
    }

    /// Reads the database as it was at a version, without blocking a thread.
    ///
    /// - throws: the errors of the other method; `CancellationError` when the task is cancelled.
    public func read<T: Sendable>(
        at version: SnapshotVersion, _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await readers.perform { try $0.isolatedRead(at: version, value) }
    }
}
