import AmalgamCore
import AmalgamInspection
import Dispatch
import Synchronization

/// The most recent sample of a connection's counters, which can be read from any thread.
final class ConnectionSample: Sendable {
    private struct State {
        var cache = CacheCounts()
        var wal: DatabaseMetrics.WAL?
    }

    private let state = Mutex(State())
    private let wanted = Atomic<Bool>(false)

    /// Whether a new sample is requested, to be taken at the end of the running access.
    var isWanted: Bool { wanted.load(ordering: .relaxed) }

    func want() { wanted.store(true, ordering: .relaxed) }

    /// Samples a connection, of which the caller has exclusive use.
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
