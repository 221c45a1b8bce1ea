import AmalgamCore
import AmalgamInspection
import Dispatch
import Synchronization

/// What a connection has counted, when it was last looked at.
final class ConnectionSample: Sendable {
    private struct State {
        var cache = CacheCounts()
        var wal: DatabaseMetrics.WAL?
    }

    private let state = Mutex(State())
    private let wanted = Atomic<Bool>(false)

    /// Whether somebody wants to know, once the access under way has ended.
    var isWanted: Bool { wanted.load(ordering: .relaxed) }

    func want() { wanted.store(true, ordering: .relaxed) }

    /// Looks at a connection that nobody else uses.
    func take(_ db: Database) {
        wanted.store(false, ordering: .relaxed)
        guard let cache = db.cacheCounts else { return }
        let wal = db.walState.map {
            DatabaseMetrics.WAL(
                frameCount: $0.frameCount, checkpointedFrameCount: $0.checkpointedFrameCount,
                fileSize: db.walFileSize)
        }
        state.withLock { $0 = State(cache: cache, wal: wal) }
    }

    func fill(_ metrics: inout DatabaseMetrics) {
        let state = state.withLock { $0 }
        metrics.wal = state.wal
        metrics.cache.hits += state.cache.hits
        metrics.cache.misses += state.cache.misses
    }
}
