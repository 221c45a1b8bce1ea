import Synchronization

/// The names of the snapshots that a pool has made and that are still open.
final class OpenSnapshots: Sendable {
    private struct Entry {
        /// The connection that holds the snapshot.
        weak var connection: SerialConnection?
        let name: String
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ connection: SerialConnection, name: String) {
        entries.withLock { entries in
            entries.removeAll { $0.connection == nil }
            entries.append(Entry(connection: connection, name: name))
        }
    }

    var names: [String] {
        // The connections are released after the lock: the last reference closes the connection.
        let open = entries.withLock { entries in entries.map { (connection: $0.connection, name: $0.name) } }
        return open.filter { $0.connection?.isOpen == true }.map(\.name)
    }
}
