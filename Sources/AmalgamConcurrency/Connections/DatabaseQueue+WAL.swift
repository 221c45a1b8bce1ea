import AmalgamCore

extension DatabaseQueue {
    /// The report of the last checkpoint of `Configuration.walPolicy`; nil before the first one, and without a policy.
    public var lastWALReport: WALReport? { connection.checkpointer?.reports.last }

    /// The reports of the checkpoints of `Configuration.walPolicy`, from now on, until the queue is closed.
    ///
    /// ```swift
    /// for await report in dbQueue.walReports() {
    ///     gauge.set(report.fileSize)
    ///     if let reader = report.oldestReader { logger.warning("WAL held back by \(reader)") }
    /// }
    /// ```
    ///
    /// Each call makes a sequence of its own, which keeps the last hundred reports for a slow consumer. Without a
    /// policy, it is empty.
    public func walReports() -> AsyncStream<WALReport> { connection.walReports() }

    /// What the WAL file holds now, and who reads from it. Nothing is copied.
    ///
    /// ```swift
    /// let report = try dbQueue.walReport()
    /// print(report.frameCount - report.checkpointedFrameCount, "frames wait for a checkpoint")
    /// ```
    ///
    /// It waits for the accesses queued before it; ``lastWALReport`` and ``metrics`` do not wait. Snapshots taken from
    /// the queue are named when there is a `Configuration.walPolicy`. All reads under way are listed, those too that
    /// see the last commit.
    ///
    /// - throws: `SQLITE_ERROR` when the database is not in WAL mode; `SQLITE_MISUSE` when the queue is closed.
    public func walReport() throws -> WALReport { try connection.walReport() }
}
