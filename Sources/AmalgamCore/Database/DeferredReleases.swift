import CAmalgam
import Synchronization

/// The releases of statements, blobs and sessions that were requested by threads without access to the connection.
///
/// A release uses the connection, which another thread may be using. So releases are deferred to the next database
/// access. After the connection is closed, releases are performed immediately, but by one thread at a time, because the
/// release of the last statement also frees the connection. The mutex guards the pending releases.
final class DeferredReleases: Sendable {
    private enum Release {
        case finalize(SQLiteStatement)
        /// Resets a statement, unless it has been run again since. Retains the statement until the reset.
        case reset(Statement, run: UInt64)
        /// Releases another object of SQLite, such as a blob handle, which owns a statement.
        case release(OpaquePointer, with: (OpaquePointer) -> Void)
        /// Destroys an object that must be destroyed before its connection closes.
        case destroy(ConnectionResource)
    }

    private struct State: @unchecked Sendable {
        // Sendable: only the thread that drains uses the statements.
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
        // Sendable: the caller transfers the object, and doesn't use it any more.
        let release: Release

        init(_ release: Release) { self.release = release }
    }

    /// Performs the pending releases. The caller has access to the connection, or has closed it.
    ///
    /// - Returns: Whether releases were pending.
    @discardableResult
    func drain() -> Bool {
        guard hasPending.load(ordering: .acquiring) else { return false }
        drainSlowly()
        return true
    }

    /// Performs releases outside of the mutex, because they may release other statements.
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

    /// Called when the connection is closed: performs the pending releases, and makes later ones immediate.
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
