import Amalgam
import TestSupport
import Testing

/// The order in which observations act at a commit.
@Suite struct TurnTests {
    @Test(arguments: Store.allCases)
    func valuesOfACommitAreFetchedBeforeACallbackWrites(_ store: Store) throws {
        try store.withWriter { writer in
            let recorders = (0..<8).map { _ in Recorder<Int>() }
            var cancellables = recorders.map { $0.startImmediately(counting.delivering(.everyCommit), in: writer) }
            let hasWritten = Box(false)
            cancellables.append(
                DatabaseRegionObservation(tracking: Table("player")).start(
                    in: writer, onError: { Issue.record($0) }
                ) { db in
                    if hasWritten.value { return }
                    hasWritten.value = true
                    do { try db.addPlayer() } catch { Issue.record(error) }
                })
            try writer.write { try $0.addPlayer() }
            for recorder in recorders { #expect(try recorder.wait(count: 3) == [0, 1, 2]) }
            for cancellable in cancellables { cancellable.cancel() }
        }
    }

    /// Each observation sees what the fetch of the other one writes: one adds a team for each player, and the other one
    /// adds a third player.
    @Test(arguments: Store.allCases)
    func fetchesThatWriteHearOfEachOther(_ store: Store) throws {
        try store.withWriter { writer in
            var players = ValueObservation.tracking(region: Table("player")) { db in
                let (count, teams) = (try db.playerCount(), try Table("team").fetchCount(db))
                if teams < count { try db.execute(sql: "INSERT INTO team DEFAULT VALUES") }
                return count
            }
            var teams = ValueObservation.tracking(region: Table("team")) { db in
                if try db.playerCount() == 2 { try db.addPlayer() }
                return try Table("team").fetchCount(db)
            }
            players.requiresWriteAccess = true
            teams.requiresWriteAccess = true
            let (playerRecorder, teamRecorder) = (Recorder<Int>(), Recorder<Int>())
            let first = playerRecorder.startImmediately(players, in: writer)
            let second = teamRecorder.startImmediately(teams, in: writer)
            for _ in 1...2 { try writer.write { try $0.addPlayer() } }
            try playerRecorder.wait(last: 3)
            try teamRecorder.wait(last: 3)
            first.cancel()
            second.cancel()
        }
    }
}
