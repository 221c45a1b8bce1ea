import Amalgam

/// The metrics of the database and of open pages.
struct ServiceMetrics: Sendable {
    let store: Store
    let live: LiveQueries
    let registry: PrometheusRegistry

    /// All metrics, as Prometheus reads them.
    var text: String {
        var text = PrometheusText()
        registry.write(to: &text)
        for (name, type, value) in pool { text.add(type, name, value: value) }
        text.add("gauge", "search_live_pages", value: "\(live.subscriberCount)")
        text.add("gauge", "search_live_queries", value: "\(live.queryCount)")
        return text.text
    }

    private var pool: [(name: String, type: String, value: String)] {
        let metrics = store.pool.metrics
        return [
            ("sqlite_reads_total", "counter", "\(metrics.readers.done)"),
            ("sqlite_reads_running", "gauge", "\(metrics.readers.running)"),
            ("sqlite_reads_waiting", "gauge", "\(metrics.readers.waiting)"),
            ("sqlite_read_longest_wait_seconds", "gauge", "\(metrics.readers.longestWait / .seconds(1))"),
            ("sqlite_writes_total", "counter", "\(metrics.writer.done)"),
            ("sqlite_writes_waiting", "gauge", "\(metrics.writer.waiting)"),
            ("sqlite_write_longest_wait_seconds", "gauge", "\(metrics.writer.longestWait / .seconds(1))"),
            ("sqlite_connections", "gauge", "\(metrics.connectionCount)"),
            ("sqlite_cache_hits_total", "counter", "\(metrics.cache.hits)"),
            ("sqlite_cache_misses_total", "counter", "\(metrics.cache.misses)"),
            ("sqlite_wal_bytes", "gauge", "\(metrics.wal?.fileSize ?? 0)"),
            ("sqlite_wal_frames", "gauge", "\(metrics.wal?.frameCount ?? 0)"),
            ("sqlite_wal_checkpointed_frames", "gauge", "\(metrics.wal?.checkpointedFrameCount ?? 0)"),
        ]
    }
}
