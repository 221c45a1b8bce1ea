package import AmalgamCore
import Synchronization

/// What those who follow the writes of a database need of it, beside what everybody may do.
package protocol ObservableDatabase: DatabaseWriter {
    /// Who follows the writing connection, and lives as long as it.
    var followers: FollowerSlot { get }

    /// Whether reads run beside writes, each at a version of its own.
    var readsAtVersions: Bool { get }

    /// Runs a closure on the writing connection, outside of a transaction, and waits for its result.
    ///
    /// - throws: `SQLITE_MISUSE` from inside another access of the same object.
    func followingAccess<T>(_ access: (Database) throws -> T) throws -> T

    /// Takes hold of the last committed state, and reads it later while the writer goes on.
    ///
    /// It waits for nobody: the writer must not wait for reads that may wait for it.
    ///
    /// - Returns: whether there is a reader that is free, and the closure will be called. The closure gets a
    ///   connection in a transaction that sees the state.
    /// - Precondition: called from the writing connection, outside of a transaction.
    func spawnReadWithoutWaiting(_ value: @escaping @Sendable (Database) -> Void) -> Bool
}

/// An object that follows the writes of one connection, and lives as long as it.
package protocol ConnectionFollower: AnyObject, Sendable {
    /// The suspension of the connection has ended. Called in an access to the connection.
    func connectionDidResume()
}

/// Holds the follower of a writing connection, which the first caller creates.
package final class FollowerSlot: Sendable {
    private let object = RankedMutex<(any ConnectionFollower)?>(.follower, nil)

    package init() {}

    func connectionDidResume() { object.withLock { $0 }?.connectionDidResume() }

    package func object<Object: ConnectionFollower>(_ make: () -> Object) -> Object {
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

    /// The reader behind those that wrap it.
    package var unerased: any DatabaseReader {
        let wrapped = _wrappedReader
        return wrapped === self ? self : wrapped.unerased
    }
}

extension DatabaseQueue: ObservableDatabase {
    package var followers: FollowerSlot { connection.followers }

    package var readsAtVersions: Bool { false }

    package func followingAccess<T>(_ access: (Database) throws -> T) throws -> T {
        try connection.throwingSync(access)
    }

    /// There is no other connection.
    package func spawnReadWithoutWaiting(_ value: @escaping @Sendable (Database) -> Void) -> Bool { false }
}

extension DatabasePool: ObservableDatabase {
    package var followers: FollowerSlot { writer.followers }

    package var readsAtVersions: Bool { true }

    package func followingAccess<T>(_ access: (Database) throws -> T) throws -> T {
        try readers.asksForWriter { try writer.throwingSync(access) }
    }

    package func spawnReadWithoutWaiting(_ value: @escaping @Sendable (Database) -> Void) -> Bool {
        guard let reader = readers.lendIfIdle() else { return false }
        return (try? spawnRead(on: reader, value)) != nil
    }
}
