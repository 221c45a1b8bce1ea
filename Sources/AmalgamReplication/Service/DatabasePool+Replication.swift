#if Replication && (os(Linux) || os(macOS))
public import AmalgamConcurrency
public import AmalgamCore

/// When a write returns.
public struct WriteDurability: Hashable, Sendable {
    let timeout: Duration?

    /// The write returns after the commit in the database.
    public static let local = WriteDurability(timeout: nil)

    /// The write returns after the transaction is in the replica, or throws after a time, of a hundred years at most.
    public static func replicated(timeout: Duration) -> WriteDurability { WriteDurability(timeout: timeout.clamped) }
}

extension DatabasePool {
    /// Runs a closure in a transaction, and waits until the transaction is in the replica of the database.
    ///
    /// ```swift
    /// try await dbPool.write(durability: .replicated(timeout: .seconds(2))) { db in
    ///     try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
    /// }
    /// // BEGIN IMMEDIATE TRANSACTION, INSERT …, COMMIT TRANSACTION, and an upload
    /// ```
    ///
    /// Other writes run while this one waits. One upload serves all transactions that are committed before it.
    ///
    /// - Parameters:
    ///   - durability: when the method returns.
    ///   - updates: a closure that uses the database.
    /// - Returns: the result of the closure.
    /// - Throws: the error thrown by the closure, or by the commit, after its changes were rolled back;
    ///   ``ReplicationError`` before the closure runs, if no ``ReplicationService`` replicates the pool, or if the
    ///   service has ended; after a timeout, a cancellation, or the end of the service, a ``ReplicationError`` whose
    ///   property `isCommitted` is true: the transaction is committed, and will be in the replica later.
    public func write<T: Sendable>(
        durability: WriteDurability, _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        guard let timeout = durability.timeout else { return try await write(updates) }
        let (value, replication, number) = try await writeWithoutTransaction { [path] db in
            guard let replication = db.attachment(ReplicationAttachment.key)?.replication else {
                throw ReplicationError(.unsuitableDatabase, "No ReplicationService replicates \(path).")
            }
            if replication.hasEnded {
                throw ReplicationError(.unsuitableDatabase, "The ReplicationService of \(path) has ended.")
            }
            let value = try db.write(updates)
            return (value, replication, replication.committed)
        }
        try await replication.waitForUpload(of: number, timeout: timeout)
        return value
    }
}
#endif
