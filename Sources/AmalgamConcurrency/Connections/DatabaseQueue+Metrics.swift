extension DatabaseQueue {
    /// What the queue is doing, and has done: numbers for a server to export.
    ///
    /// ```swift
    /// let metrics = dbQueue.metrics
    /// print(metrics.writer.waiting, "accesses wait,", metrics.writer.done, "have ended")
    /// ```
    ///
    /// It may be read from anywhere, and does not wait for accesses. It takes some microseconds.
    public var metrics: DatabaseMetrics {
        var metrics = DatabaseMetrics()
        connection.fill(&metrics)
        return metrics
    }
}
