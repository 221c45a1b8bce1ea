import Amalgam
import AmalgamCore
import Testing

/// If a check for external commits fails, it reports that, and a later check finds the missed commits.
@Suite struct ExternalCommitCheckFaults {
    @Test(arguments: Weather.allocations([.journal, .wal]) + Weather.files([.journal, .wal, .pool]))
    func looks(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createPages() }) { attempt in
            let writer = try attempt.connect()
            let others = try attempt.keep(DatabaseQueue(path: writer.path))
            for id in 1...3 {
                let before = try writer.writeWithoutTransaction { try $0.checkForExternalCommits() }
                try others.write { try $0.execute(sql: "UPDATE page SET content = zeroblob(1500) WHERE id = \(id)") }
                do {
                    try attempt.step { _ = try $0.checkForExternalCommits() }
                } catch {
                    try expectSeen(after: before, writer)
                    throw error
                }
                try expectSeen(after: before, writer)
            }
        }
    }

    private func expectSeen(after before: Database.ExternalCommitCheck, _ writer: any DatabaseWriter) throws {
        let commits = try writer.writeWithoutTransaction { try $0.checkForExternalCommits() }
        #expect(commits.isFinal && commits.dataVersion != before.dataVersion)
    }
}
