extension DatabaseQueue {
    /// Counters and current loads of the queue, for monitoring.
    ///
    /// ```swift
    /// let metrics = dbQueue.metrics
    /// print(metrics.writer.waiting, "accesses wait,", metrics.writer.done, "have ended")
    /// ```
    ///
    /// The property may be read from any thread, and doesn't wait for accesses. It takes some microseconds.
    public var metrics: DatabaseMetrics {
        var metrics = DatabaseMetrics()
        connection.fill(&metrics)
        return metrics
    }
}
