import AmalgamCore

extension DatabaseQueue {
    /// The report of the last checkpoint of `Configuration.walPolicy`. Nil before the first checkpoint, and without a
    /// policy.
    ///
    /// ```swift
    /// if let report = dbQueue.lastWALReport { print("The WAL file has", report.fileSize, "bytes") }
    /// ```
    public var lastWALReport: WALReport? { connection.checkpointer?.reports.last }

    /// Returns a sequence of the reports of future checkpoints of `Configuration.walPolicy`. The sequence ends when the
    /// queue is closed.
    ///
    /// ```swift
    /// for await report in dbQueue.walReports() {
    ///     print("The WAL file has \(report.fileSize) bytes.")
    ///     if let reader = report.oldestReader { print("It is held back by \(reader).") }
    /// }
    /// ```
    ///
    /// Each call returns a separate sequence, which buffers the last hundred reports for a slow consumer. Without a
    /// policy, the sequence is empty.
    public func walReports() -> AsyncStream<WALReport> { connection.walReports() }

    /// Returns the current state of the WAL file, and the readers that use it, without running a checkpoint.
    ///
    /// ```swift
    /// let report = try dbQueue.walReport()
    /// print(report.frameCount - report.checkpointedFrameCount, "frames wait for a checkpoint")
    /// ```
    ///
    /// The method waits for the accesses that were queued before the call. ``lastWALReport`` and ``metrics`` don't
    /// wait. The report lists all reads in progress, including those that see the last commit.
    ///
    /// If `Configuration.walPolicy` is set, each ``DatabaseSnapshotPool`` made from the connection of the queue is
    /// listed with a name and a start time. Without a policy, all connections of this process that read the same
    /// snapshot are listed as one reader, with the name "another connection of this process" and without a start time.
    ///
    /// - Throws: `SQLITE_ERROR` if the database isn't in WAL mode; `SQLITE_MISUSE` if the queue is closed.
    public func walReport() throws -> WALReport { try connection.walReport() }
}
