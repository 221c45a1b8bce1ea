extension DatabasePool {
    /// Counters and current loads of the pool, for monitoring.
    ///
    /// ```swift
    /// let metrics = dbPool.metrics
    /// print(metrics.readers.running, "reads run,", metrics.readers.waiting, "wait")
    /// print(metrics.writer.waiting, "writes wait")
    /// ```
    ///
    /// The property may be read from any thread, and doesn't wait for accesses. It takes some microseconds.
    public var metrics: DatabaseMetrics {
        var metrics = DatabaseMetrics()
        writer.fill(&metrics)
        readers.fill(&metrics)
        return metrics
    }
}
