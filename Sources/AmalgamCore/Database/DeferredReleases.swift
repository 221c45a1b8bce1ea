import CAmalgam
import Synchronization

/// Statements, blobs and sessions that were released, or stopped, on a thread that does not have access to their connection.
///
/// SQLite's part of them belongs to the connection, which another thread may be using. So their release is deferred to the next
/// access. Once the connection is closed there is no further access: the thread that enqueues a release then performs it,
/// one thread at a time, because SQLite still keeps what its last statements need.
final class DeferredReleases: Sendable {
    private enum Release {
        case finalize(SQLiteStatement)
        /// Ends one run. The statement is retained, so that it cannot be finalized before.
        case reset(Statement, run: UInt64)
        /// Another object of SQLite, such as a blob handle, which holds a statement.
        case release(OpaquePointer, with: (OpaquePointer) -> Void)
        /// An object that must go before its connection.
        case destroy(ConnectionResource)
    }

    private struct State: @unchecked Sendable {
        // Sendable: the statements are only touched by the thread that drains.
        var pending: [Release] = []
        var isClosed = false
        var isDraining = false
    }

    private let state = Mutex(State())
    private let hasPending = Atomic<Bool>(false)

    func finalize(_ statement: SQLiteStatement) { enqueue(.finalize(statement)) }

    func reset(_ statement: Statement, run: UInt64) { enqueue(.reset(statement, run: run)) }

    func release(_ object: OpaquePointer, with release: @escaping (OpaquePointer) -> Void) {
        enqueue(.release(object, with: release))
    }

    func destroy(_ resource: ConnectionResource) { enqueue(.destroy(resource)) }

    private func enqueue(_ release: Release) {
        let transferred = TransferredRelease(release)
        let mustDrain = state.withLock { state in
            state.pending.append(transferred.release)
            hasPending.store(true, ordering: .releasing)
            return state.isClosed
        }
        if mustDrain { drain() }
    }

    /// Transfers a release into the mutex.
    private struct TransferredRelease: @unchecked Sendable {
        // Sendable: the caller hands the object over, and does not use it any more.
        let release: Release

        init(_ release: Release) { self.release = release }
    }

    /// Performs the pending releases. Called by a thread that has access to the connection, or after its close.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    func drain() -> Bool {
        guard hasPending.load(ordering: .acquiring) else { return false }
        drainSlowly()
        return true
    }

    /// Releases are performed outside of the mutex: they may release other statements.
    private func drainSlowly() {
        while let pending = takePending() {
            pending.forEach(Self.perform)
            state.withLock { $0.isDraining = false }
        }
    }

    private func takePending() -> [Release]? {
        let taken = state.withLock { state -> PendingReleases? in
            if state.isDraining || state.pending.isEmpty { return nil }
            state.isDraining = true
            hasPending.store(false, ordering: .relaxed)
            defer { state.pending = [] }
            return PendingReleases(pending: state.pending)
        }
        return taken?.pending
    }

    private struct PendingReleases: @unchecked Sendable {
        // Sendable: only the thread that takes the releases uses them.
        let pending: [Release]
    }

    /// The connection is closed.
    func close() {
        state.withLock { $0.isClosed = true }
        drain()
    }

    private static func perform(_ release: Release) {
        switch release {
        case .finalize(let statement): sqlite3_finalize(statement)
        case .reset(let statement, let run): statement.reset(run: run)
        case .release(let object, let release): release(object)
        case .destroy(let resource): resource.destroy()
        }
    }
}
