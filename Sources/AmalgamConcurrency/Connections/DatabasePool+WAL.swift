import AmalgamCore

extension DatabasePool {
    /// The report of the last checkpoint of `Configuration.walPolicy`; nil before the first one, and without a policy.
    public var lastWALReport: WALReport? { writer.checkpointer?.reports.last }

    /// The reports of the checkpoints of `Configuration.walPolicy`, from now on, until the pool is closed.
    ///
    /// ```swift
    /// for await report in dbPool.walReports() {
    ///     gauge.set(report.fileSize)
    ///     if let reader = report.oldestReader { logger.warning("WAL held back by \(reader)") }
    /// }
    /// ```
    ///
    /// Each call makes a sequence of its own, which keeps the last hundred reports for a slow consumer. Without a
    /// policy, it is empty.
    public func walReports() -> AsyncStream<WALReport> { writer.walReports() }

    /// What the WAL file holds now, and who reads from it. Nothing is copied.
    ///
    /// ```swift
    /// let report = try dbPool.walReport()
    /// print(report.frameCount - report.checkpointedFrameCount, "frames wait for a checkpoint")
    /// ```
    ///
    /// It waits for the writes queued before it; ``lastWALReport`` and ``metrics`` do not wait. Readers of the pool
    /// are named when there is a `Configuration.walPolicy`. All reads under way are listed, those too that see the last
    /// commit.
    ///
    /// - throws: `SQLITE_ERROR` when the database is not in WAL mode; `SQLITE_MISUSE` when the pool is closed.
    public func walReport() throws -> WALReport {
        try readers.asksForWriter { try writer.walReport() }
    }
}
