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

extension Configuration {
    /// The configuration of a connection that writes, and the checkpointer of its WAL file.
    func writing(label: String) -> (Configuration, Checkpointer?) {
        var configuration = self
        configuration.walReaders = nil
        guard let walPolicy, !readonly else { return (configuration, nil) }
        // The checkpoints of the policy are to take the place of SQLite's, which run inside of commits.
        configuration.automaticCheckpoint = automaticCheckpoint ?? .off
        let checkpointer = Checkpointer(walPolicy, label: self.label ?? label)
        configuration.walReaders = checkpointer.readers
        return (configuration, checkpointer)
    }

    /// The configuration of connections that read beside a writer.
    func reading(besides checkpointer: Checkpointer?) -> Configuration {
        var configuration = self
        configuration.walReaders = checkpointer?.readers
        return configuration
    }
}
