import Amalgam
import Testing

/// In which order observations act at a commit.
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
}
