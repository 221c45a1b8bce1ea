import Synchronization

/// A version that is all in the database file, and stays there: for as long as the value is not ended, a connection of this
/// process keeps a transaction open that sees it, which nobody but the library can end.
///
/// The locks of such a transaction keep checkpoints from changing the file, and do not keep writers from beginning the WAL
/// file anew. From then on, SQLite takes the version for lost; here is who knows better.
package final class KeptVersion: Sendable {
    private static let all = Mutex<[ObjectIdentifier: SnapshotVersion]>([:])

    package init(_ version: SnapshotVersion) {
        Self.all.withLock { $0[ObjectIdentifier(self)] = version }
    }

    deinit { end() }

    /// To be called before the transaction ends.
    package func end() {
        Self.all.withLock { $0[ObjectIdentifier(self)] = nil }
    }

    /// Whether somebody keeps a version, or another one with the same content.
    static func keeps(_ version: SnapshotVersion) -> Bool {
        all.withLock { $0.values.contains { $0.order(relativeTo: version) == .same } }
    }
}
