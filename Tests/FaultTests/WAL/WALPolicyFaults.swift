import Amalgam
import AmalgamCore
import Testing

@testable import AmalgamConcurrency

/// If a checkpoint of a policy fails, it is reported, and a later one copies the frames.
@Suite struct WALPolicyFaults {
    @Test(arguments: Weather.allocations([.wal]) + Weather.files([.wal, .pool]))
    func attempts(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createPages() }) { attempt in
            try attempt.connect()
            try attempt.step { db in try db.limitWALFile(to: 20_000) }
            for id in 1...3 {
                try attempt.step { db in
                    try db.execute(sql: "UPDATE page SET content = zeroblob(\(20_000 + id)) WHERE id = \(id)")
                }
                try attempt.step { db in
                    let report = try checkpoint(db, .size)
                    #expect(report.readers.isEmpty && report.frameCount >= report.checkpointedFrameCount)
                }
            }
            // From here on, nothing fails.
            try attempt.calmly {
                let writer = try #require(attempt.writer)
                let report = try writer.writeWithoutTransaction { try checkpoint($0, .readEnded) }
                #expect(report.isComplete)
                #expect(report.fileSize <= 20_000)
            }
        }
    }

    /// Runs a checkpoint, and throws its error.
    private func checkpoint(_ db: Database, _ trigger: WALReport.Trigger) throws -> WALReport {
        var attempt = CheckpointRun(trigger, db, WALPolicy(maximumSize: 20_000), WALReaders())
        if attempt.hasWork { attempt.run() }
        if let error = attempt.report.error { throw error }
        return attempt.report
    }
}
