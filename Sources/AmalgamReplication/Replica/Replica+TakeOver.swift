#if Replication && (os(Linux) || os(macOS))
public import AmalgamConcurrency
import Foundation

extension Replica {
    /// Makes a database the owner of the replica, whatever the replica contains.
    ///
    /// ```swift
    /// try await replica.takeOver(by: dbPool)
    /// let service = try ReplicationService(dbPool, to: replica)
    /// ```
    ///
    /// The next ``ReplicationService`` uploads the whole database as the next transaction of the replica, which is the
    /// latest state then. Earlier transactions can be restored by their numbers and times, until Litestream removes them.
    ///
    /// Call the method in one of three cases: the service refuses the replica because it has transactions of another owner,
    /// which has ended for good and whose transactions aren't wanted; or because the database was replaced, and shall
    /// replace the latest state of the replica, too; or because local files of Litestream are damaged. The method removes
    /// these files. Stop the other owner first: the method can't see whether it runs.
    ///
    /// - Parameter pool: the database.
    /// - Returns: the number of the last transaction of the replica, after which the database comes. Nil if the replica
    ///   is empty.
    /// - Throws: ``ReplicationError`` if a service replicates the database; if the store can't be read, or doesn't answer
    ///   within 30 seconds.
    @discardableResult
    public func takeOver(by pool: DatabasePool) async throws -> UInt64? {
        let local = LocalState(pool)
        let lock = try local.lock()
        try await local.endEarlierEngine(.seconds(35))
        let last = try await files().map(\.maximum).max()
        try withExtendedLifetime(lock) {
            // Without local files, Litestream numbers its next transaction after the last one of the replica.
            if let last { try local.noteRestore(to: last) }
            try local.removeEngineFiles()
            try local.forgetOwners()
        }
        return last
    }
}
#endif
