import AmalgamCore

extension DatabasePool {
    /// The report of the last checkpoint of `Configuration.walPolicy`. Nil before the first checkpoint, and without a
    /// policy.
    ///
    /// ```swift
    /// if let report = dbPool.lastWALReport { print("The WAL file has", report.fileSize, "bytes") }
    /// ```
    public var lastWALReport: WALReport? { writer.checkpointer?.reports.last }

    /// Returns a sequence of the reports of future checkpoints of `Configuration.walPolicy`. The sequence ends when the
    /// pool is closed.
    ///
    /// ```swift
    /// for await report in dbPool.walReports() {
    ///     print("The WAL file has \(report.fileSize) bytes.")
    ///     if let reader = report.oldestReader { print("It is held back by \(reader).") }
    /// }
    /// ```
    ///
    /// Each call returns a separate sequence, which buffers the last hundred reports for a slow consumer. Without a
    /// policy, the sequence is empty.
    public func walReports() -> AsyncStream<WALReport> { writer.walReports() }

    /// Returns the current state of the WAL file, and the readers that use it, without running a checkpoint.
    ///
    /// ```swift
    /// let report = try dbPool.walReport()
    /// print(report.frameCount - report.checkpointedFrameCount, "frames wait for a checkpoint")
    /// ```
    ///
    /// The method waits for the writes that were queued before the call. ``lastWALReport`` and ``metrics`` don't wait.
    /// The report lists all reads in progress, including those that see the last commit.
    ///
    /// If `Configuration.walPolicy` is set, each reader and each snapshot of the pool is listed with the name of its
    /// connection, such as `GRDB.DatabasePool.reader.1`, and the start time of its read. Without a policy, all
    /// connections of this process that read the same snapshot are listed as one reader, with the name "another
    /// connection of this process" and without a start time.
    ///
    /// - Throws: `SQLITE_ERROR` if the database isn't in WAL mode; `SQLITE_MISUSE` if the pool is closed.
    public func walReport() throws -> WALReport {
        try readers.asksForWriter { try writer.walReport() }
    }
}
