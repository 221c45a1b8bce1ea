package import AmalgamCore

/// The requirements of `AmalgamObservation` on a `DatabaseWriter`.
package protocol ObservableDatabase: DatabaseWriter {
    /// Holds the object that observes the writing connection, for the lifetime of the connection.
    var writeObserver: WriteObserverSlot { get }

    /// Whether reads run concurrently with writes, each read on a separate snapshot.
    var readsAtVersions: Bool { get }

    /// Runs a closure on the writing connection, outside of a transaction, and waits for its result.
    ///
    /// - Throws: `SQLITE_MISUSE` from inside another database access of the same object.
    func observingAccess<T>(_ access: (Database) throws -> T) throws -> T

    /// Acquires a snapshot of the last commit, and schedules a closure that reads this snapshot while the writer
    /// continues.
    ///
    /// The method never waits for a reader in use, because the read on that reader may itself wait for the writer.
    ///
    /// - Parameter opensReader: whether a reader may be opened, if no open reader is idle.
    /// - Returns: true if a reader was idle: the closure is then called with a connection in a transaction that sees
    ///   the snapshot. False if no reader was idle: the closure isn't called.
    /// - Precondition: called from the writing connection, outside of a transaction.
    func spawnReadWithoutWaiting(opensReader: Bool, _ value: @escaping @Sendable (Database) -> Void) -> Bool
}

extension DatabaseReader {
    public var _wrappedReader: any DatabaseReader { self }

    /// The reader inside all type-erasing wrappers.
    package var unerased: any DatabaseReader {
        let wrapped = _wrappedReader
        return wrapped === self ? self : wrapped.unerased
    }
}
