import Synchronization

/// The registration of a snapshot that the database file contains completely, and that an open transaction of this
/// process pins (preserves).
///
/// The pinning transaction, which only the library can end, prevents checkpoints from changing the database file. So
/// the file contains the snapshot even after a writer has restarted the WAL file. `sqlite3_snapshot_open` then reports
/// the snapshot as lost, but `SnapshotVersion` can open the snapshot.
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
