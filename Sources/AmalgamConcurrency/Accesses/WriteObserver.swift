import AmalgamCore
import Synchronization

/// An object that observes the writes of one connection, for the lifetime of the connection.
package protocol WriteObserver: AnyObject, Sendable {
    /// Called after the suspension of the connection has ended, in an access to the connection.
    func connectionDidResume()
}

/// Holds the write observer of a connection. The first call of ``object(_:)`` creates the observer.
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
