#if Replication && (os(Linux) || os(macOS))
/// An error of replication.
///
/// ```swift
/// do {
///     try await dbPool.write(durability: .replicated(timeout: .seconds(2))) { db in
///         try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
///     }
/// } catch let error as ReplicationError where error.isCommitted {
///     print("The player is stored here, and may not be in the replica yet:", error)
/// }
/// ```
public struct ReplicationError: Error, CustomStringConvertible, Sendable {
    /// The kind of a replication error.
    public enum Code: Hashable, Sendable {
        /// The Litestream program is missing, or too old.
        case engineNotFound
        /// The Litestream program reported an error, or ended.
        case engineFailed
        /// The database can't be replicated: it is encrypted, or has another WAL policy, or isn't replicated by a
        /// service.
        case unsuitableDatabase
        /// The value of a URL or of an option isn't valid.
        case invalidConfiguration
        /// Another process replicates or restores the database, or follows with the same folder.
        case inUse
        /// The replica has transactions that the database doesn't descend from.
        case diverged
        /// A local file of Litestream next to the database is damaged: see ``Replica/takeOver(by:)``.
        case damagedFiles
        /// The transaction is committed in the database. It isn't known to be in the replica.
        case notReplicated
        /// The replica has no backup, or none of the given time or transaction.
        case noBackup
        /// There are files at the path of a restore.
        case fileExists
        /// The restored database has errors, or differs from the replicated one.
        case verificationFailed
        /// The follower hasn't restored the database yet, or its file may be incomplete.
        case notReady
    }

    /// The kind of the error.
    public let code: Code

    /// What went wrong, and what to do about it.
    public let message: String

    /// Whether the changes of ``DatabasePool/write(durability:_:)`` are committed in the database.
    public var isCommitted: Bool { code == .notReplicated }

    public var description: String { message }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
#endif
