import AmalgamCore

extension SerialConnection {
    /// Returns a report on the current state of the WAL file and its readers.
    func walReport() throws -> WALReport {
        try reentrantSync { db in
            if db.isClosed { throw Database.connectionIsClosed }
            let start = ContinuousClock.now
            guard let wal = db.walState else {
                throw DatabaseError(message: "There is no WAL file: the database is not in WAL mode.")
            }
            return WALReport(
                trigger: .request, frameCount: wal.frameCount, checkpointedFrameCount: wal.checkpointedFrameCount,
                fileSize: db.walFileSize, duration: ContinuousClock.now - start, isTruncated: false,
                readers: (checkpointer?.readers ?? WALReaders()).report(db, db.walHolders), error: nil)
        }
    }

    /// Returns a stream of the reports of future checkpoints, which is empty without a policy.
    func walReports() -> AsyncStream<WALReport> {
        checkpointer?.reports.makeStream() ?? AsyncStream { $0.finish() }
    }
}
