import Synchronization

/// A pinned snapshot whose pages have all been checkpointed.
///
/// An open read transaction on another connection of this process, which only the library can end, prevents further
/// checkpoints. So the database file still holds this snapshot even after a writer has restarted the WAL, when
/// `sqlite3_snapshot_open` reports the snapshot as gone.
package final class PinnedSnapshot: Sendable {
    private static let all = Mutex<[ObjectIdentifier: SnapshotVersion]>([:])

    package init(_ version: SnapshotVersion) {
        Self.all.withLock { $0[ObjectIdentifier(self)] = version }
    }

    deinit { end() }

    /// Ends the registration. Must be called before the pinning transaction ends.
    package func end() {
        Self.all.withLock { $0[ObjectIdentifier(self)] = nil }
    }

    /// Whether a snapshot with the same content as this version is pinned.
    static func isPinned(_ version: SnapshotVersion) -> Bool {
        all.withLock { $0.values.contains { $0.order(relativeTo: version) == .same } }
    }
}
