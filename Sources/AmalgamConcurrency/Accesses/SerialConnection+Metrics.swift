extension SerialConnection {
    /// Fills in the metrics of the connection, without waiting for an access.
    func fill(_ metrics: inout DatabaseMetrics) {
        metrics.writer = meter.metrics
        sampleConnection()
        sample.fill(&metrics)
        if isOpen { metrics.connectionCount += 1 }
    }
}
