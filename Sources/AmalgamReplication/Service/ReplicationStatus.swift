#if Replication && (os(Linux) || os(macOS))
public import Foundation
import Metrics

/// The state of the replication of one database.
///
/// ```swift
/// for await status in service.statuses {
///     print(status.path, status.pendingTransactionCount, status.delay, status.lastError ?? "")
/// }
/// ```
public struct ReplicationStatus: Hashable, Sendable {
    /// The path of the database.
    public let path: String

    /// The number of transactions that this process has committed, and that aren't known to be in the replica.
    public internal(set) var pendingTransactionCount = 0

    /// The time since the first of these transactions. Zero if there are none.
    public internal(set) var delay = Duration.zero

    /// The time of the last upload that this process knows of.
    public internal(set) var lastUpload: Date?

    /// The last error, without credentials. Nil after a successful upload.
    public internal(set) var lastError: String?

    /// How often the engine was started again after it ended.
    public internal(set) var restartCount = 0

    /// Whether the engine runs.
    public internal(set) var isEngineRunning = false
}

/// The metrics of one database, for the backend of swift-metrics.
struct ReplicationMetrics: Sendable {
    private let pending: Gauge
    private let delay: Gauge
    private let restarts: Gauge
    private let isRunning: Gauge

    init(path: String) {
        let dimensions = [("database", URL(fileURLWithPath: path).lastPathComponent)]
        pending = Gauge(label: "amalgam_replication_pending_transactions", dimensions: dimensions)
        delay = Gauge(label: "amalgam_replication_delay_seconds", dimensions: dimensions)
        restarts = Gauge(label: "amalgam_replication_restarts", dimensions: dimensions)
        isRunning = Gauge(label: "amalgam_replication_engine_running", dimensions: dimensions)
    }

    func record(_ status: ReplicationStatus) {
        pending.record(status.pendingTransactionCount)
        delay.record(status.delay / .seconds(1))
        restarts.record(status.restartCount)
        isRunning.record(status.isEngineRunning ? 1 : 0)
    }
}
#endif
