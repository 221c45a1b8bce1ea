import AmalgamCore

extension SerialConnection {
    /// What the WAL file holds, and who reads from it.
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

    /// The reports of checkpoints to come; none without a policy.
    func walReports() -> AsyncStream<WALReport> {
        checkpointer?.reports.makeStream() ?? AsyncStream { $0.finish() }
    }
}
