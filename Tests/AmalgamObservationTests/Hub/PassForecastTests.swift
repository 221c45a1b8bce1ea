import Amalgam
@testable import AmalgamObservation
import Foundation
import Synchronization
import TestSupport
import Testing

/// The thread of a pass may be woken up when a commit begins, whatever becomes of the commit.
@Suite struct PassForecastTests {
    /// What happens between the beginning of a commit and its end.
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
            // Longer than a thread waits.
            case .slow: Thread.sleep(forTimeInterval: 0.002)
            case .refused: throw Refusal()
            }
        }
    }

    /// Each course after each other one.
    @Test func eachValueComesOnce() throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        try pool.write { try $0.execute(sql: "CREATE TABLE player (name TEXT)") }
        let recorder = Recorder<Int>()
        let cancellable = recorder.start(
            ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player")! }, in: pool)
        try recorder.wait(last: 0)
        // The observer of the observation comes first.
        try pool.write { try $0.execute(sql: "INSERT INTO player VALUES ('Anna')") }
        try recorder.wait(last: 1)
        let gate = Gate()
        pool.add(transactionObserver: gate, extent: .databaseLifetime)
        var count = 1
        let courses = Course.allCases.flatMap { first in Course.allCases.flatMap { [first, $0] } }
        for course in Array(repeating: courses, count: 5).joined() {
            gate.course.withLock { $0 = course }
            let insert = { try pool.write { try $0.execute(sql: "INSERT INTO player VALUES ('Ben')") } }
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
        try pool.close()
    }

    /// Nobody is woken up before a commit unless a pass has followed a quick one.
    @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1))
    func forecast() throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        var forecast = PassForecast()
        var database = forecast.commitBegins()
        #expect(database == nil)
        Thread.sleep(forTimeInterval: 0.001)
        for reason in ["slow", "without a beginning"] {
            let isQuick = forecast.commitEnds()
            #expect(!isQuick, "\(reason)")
        }
        do {
            let pool = try DatabasePool(path: folder.path("db.sqlite"))
            forecast.passFollows(in: pool)
            database = forecast.commitBegins()
            #expect(database === pool)
            database = forecast.commitBegins()
            #expect(database == nil, "once")
            forecast.passFollows(in: pool)
            try pool.close()
        }
        database = forecast.commitBegins()
        #expect(database == nil, "the database is gone")
    }
}
