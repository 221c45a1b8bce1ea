package import AmalgamCore
import Synchronization

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

/// An object that observes the writes of one connection, and lives as long as it.
package protocol WriteObserver: AnyObject, Sendable {
    /// The suspension of the connection has ended. Called in an access to the connection.
    func connectionDidResume()
}

/// Holds the write observer of a connection, which the first caller creates.
package final class WriteObserverSlot: Sendable {
    private let object = RankedMutex<(any WriteObserver)?>(.writeObserver, nil)

    package init() {}

    func connectionDidResume() { object.withLock { $0 }?.connectionDidResume() }

    package func object<Object: WriteObserver>(_ make: () -> Object) -> Object {
        object.withLock { object in
            if let object = object as? Object { return object }
            let new = make()
            object = new
            return new
        }
    }
}

extension DatabaseReader {
    public var _wrappedReader: any DatabaseReader { self }

    /// The reader inside its type erasing wrappers.
    package var unerased: any DatabaseReader {
        let wrapped = _wrappedReader
        return wrapped === self ? self : wrapped.unerased
    }
}

extension DatabaseQueue: ObservableDatabase {
    package var writeObserver: WriteObserverSlot { connection.writeObserver }

    package var readsAtVersions: Bool { false }

    package func observingAccess<T>(_ access: (Database) throws -> T) throws -> T {
        try connection.throwingSync(access)
    }

    /// There is no other connection.
    package func spawnReadWithoutWaiting(_ value: @escaping @Sendable (Database) -> Void) -> Bool { false }
}

extension DatabasePool: ObservableDatabase {
    package var writeObserver: WriteObserverSlot { writer.writeObserver }

    package var readsAtVersions: Bool { true }

    package func observingAccess<T>(_ access: (Database) throws -> T) throws -> T {
        try readers.asksForWriter { try writer.throwingSync(access) }
    }

    package func spawnReadWithoutWaiting(_ value: @escaping @Sendable (Database) -> Void) -> Bool {
        guard let reader = readers.acquireIfIdle() else { return false }
        return (try? spawnRead(on: reader, value)) != nil
    }
}
