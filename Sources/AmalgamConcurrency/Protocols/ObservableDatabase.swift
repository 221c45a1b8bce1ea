package import AmalgamCore

/// The additional requirements that `AmalgamObservation` has on a `DatabaseWriter`.
package protocol ObservableDatabase: DatabaseWriter {
    /// The slot of the object that observes the writing connection, and lives as long as it.
    var writeObserver: WriteObserverSlot { get }

    /// Whether reads run concurrently with writes, each at its own version.
    var readsAtVersions: Bool { get }

    /// Runs a closure on the writing connection, outside of a transaction, and waits for its result.
    ///
    /// - throws: `SQLITE_MISUSE` from inside another access of the same object.
    func observingAccess<T>(_ access: (Database) throws -> T) throws -> T

    /// Acquires the last committed state, and reads it later while the writer continues.
    ///
    /// It never waits: the writer must not wait for reads that may wait for it.
    ///
    /// - Returns: whether there is a reader that is free, and the closure will be called. The closure gets a
    ///   connection in a transaction that sees the state.
    /// - Precondition: called from the writing connection, outside of a transaction.
    func spawnReadWithoutWaiting(_ value: @escaping @Sendable (Database) -> Void) -> Bool
}

extension DatabaseReader {
    public var _wrappedReader: any DatabaseReader { self }

    /// The reader inside its type erasing wrappers.
    package var unerased: any DatabaseReader {
        let wrapped = _wrappedReader
        return wrapped === self ? self : wrapped.unerased
    }
}
