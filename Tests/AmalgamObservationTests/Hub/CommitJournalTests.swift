@testable import AmalgamObservation
import Amalgam
import AmalgamConcurrency
import TestSupport
import Testing

/// The journal of commits contains only the commits that running fetches need.
@Suite struct CommitJournalTests {
    private static func append(_ numbers: ClosedRange<Int>, to journal: inout CommitJournal) {
        for number in numbers { journal.append(.init(number: number, version: nil, kinds: nil)) }
    }

    @Test func noCommitIsKeptWithoutAFetch() {
        var journal = CommitJournal()
        Self.append(1...3, to: &journal)
        #expect(journal.count == 0)
        #expect(!journal.isKept)
    }

    @Test func aCommitThatAllFetchesHaveSeenIsDropped() {
        var journal = CommitJournal()
        let first = journal.beginFetch(after: 0)
        Self.append(1...10, to: &journal)
        let (second, third) = (journal.beginFetch(after: 10), journal.beginFetch(after: 10))
        Self.append(11...15, to: &journal)
        #expect(journal.count == 15)
        journal.end(first)
        #expect(journal.count == 5)
        journal.end(second)
        #expect(journal.count == 5, "the third fetch has not seen them")
        #expect(journal.commits(changing: .fullDatabase, after: third, notIn: nil).map(\.number) == Array(11...15))
        journal.end(third)
        #expect(journal.count == 0)
        #expect(!journal.isKept)
    }

    /// A fetch that began later may end earlier.
    @Test func theOldestFetchDecides() {
        var journal = CommitJournal()
        let old = journal.beginFetch(after: 0)
        Self.append(1...5, to: &journal)
        let young = journal.beginFetch(after: 5)
        Self.append(6...6, to: &journal)
        journal.end(young)
        #expect(journal.commits(changing: .fullDatabase, after: old, notIn: nil).count == 6)
    }

    @Test func theEndOfAFetchCountsOnce() {
        var journal = CommitJournal()
        let (first, second) = (journal.beginFetch(after: 0), journal.beginFetch(after: 0))
        Self.append(1...3, to: &journal)
        journal.end(first)
        journal.end(first)
        #expect(journal.commits(changing: .fullDatabase, after: second, notIn: nil).count == 3)
    }

    /// The journal stays short if a writer is busy, and fetches overlap so that one is always running.
    @Test func theJournalStaysShortWhileFetchesOverlap() throws {
        try withPool { pool, _ in
            let recorder = Recorder<Int>()
            // The writes don't affect the observation: the only fetches are those of the test.
            let cancellable = recorder.startImmediately(
                ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM team")! }, in: pool)
            // The hub is installed when a later write ends.
            try pool.write { try $0.addPlayer() }
            let hub = ObservationHub.of(pool)
            var fetch = hub.beginFetch()
            var longest = 0
            for _ in 1...50 {
                for _ in 1...4 { try pool.write { try $0.addPlayer() } }
                let next = hub.beginFetch()
                longest = max(longest, hub.journaledCommitCount)
                hub.abandon(fetch)
                fetch = next
            }
            hub.abandon(fetch)
            #expect(longest == 4)
            #expect(hub.journaledCommitCount == 0)
            cancellable.cancel()
        }
    }
}
