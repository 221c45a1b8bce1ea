extension DatabasePool {
    /// What the pool is doing, and has done: numbers for a server to export.
    ///
    /// ```swift
    /// let metrics = dbPool.metrics
    /// print(metrics.readers.running, "reads run,", metrics.readers.waiting, "wait")
    /// print(metrics.writer.waiting, "writes wait")
    /// ```
    ///
    /// It may be read from anywhere, and does not wait for accesses. It takes some microseconds.
    public var metrics: DatabaseMetrics {
        var metrics = DatabaseMetrics()
        writer.fill(&metrics)
        readers.fill(&metrics)
        return metrics
    }
}
