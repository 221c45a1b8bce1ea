import Amalgam
import Foundation
import Synchronization
import TestSupport
import Testing

/// Values follow commits, even if another observer delays or refuses a commit.
@Suite struct CommitCourseTests {
    /// The events between the beginning and the end of a commit.
    private enum Course: CaseIterable {
        case quick, slow, refused
    }

    private struct Refusal: Error {}

    private final class Gate: TransactionObserver, Sendable {
        let course = Mutex(Course.quick)

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}

        func databaseWillCommit() throws {
            switch course.withLock(\.self) {
            case .quick: break
            case .slow: Thread.sleep(forTimeInterval: 0.002)
            case .refused: throw Refusal()
            }
        }
    }

    @Test func eachCommitHasItsValueAndARefusedOneHasNone() throws {
        try withPool { pool, _ in
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(counting, in: pool)
            try recorder.wait(last: 0)
            try pool.write { try $0.addPlayer() }
            try recorder.wait(last: 1)
            let gate = Gate()
            // The observer that refuses comes after that of the observation, which has received the rows.
            pool.add(transactionObserver: gate, extent: .databaseLifetime)
            var count = 1
            let courses = Course.allCases.flatMap { first in Course.allCases.flatMap { [first, $0] } }
            for course in Array(repeating: courses, count: 5).joined() {
                gate.course.withLock { $0 = course }
                let insert = { try pool.write { try $0.addPlayer() } }
                if course == .refused {
                    #expect(throws: Refusal.self) { try insert() }
                } else {
                    try insert()
                    count += 1
                    try recorder.wait(last: count)
                }
            }
            #expect(recorder.values == Array(0...count))
            cancellable.cancel()
        }
    }
}
