import Amalgam
import Foundation
import TestSupport
import Testing

/// A pool is opened on a file that another connection uses, and that isn't in WAL mode yet. SQLite needs an exclusive
/// lock to change the mode, and doesn't call the busy handler.
@Suite(.watchdog)
struct OpeningTests {
    /// Runs a closure while a read locks the file, until `goOn` fires.
    private func withReadUnderWay(_ body: (_ path: String, _ goOn: Signal) async throws -> Void) async throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"))
        try await queue.write { try $0.createPlayers() }
        let (reads, goOn) = (Signal("reads"), Signal("goOn"))
        let reader = Worker {
            try queue.read { db in
                _ = try db.playerCount()
                reads.fire()
                try goOn.wait()
            }
        }
        try await reads.value()
        try await body(queue.path, goOn)
        goOn.fire()
        try await reader.value()
    }

    enum Kind: CaseIterable {
        case pool, walQueue

        func open(_ path: String, _ busyMode: Database.BusyMode) throws -> any DatabaseWriter {
            var configuration = Configuration.tested
            configuration.busyMode = busyMode
            if self == .pool { return try DatabasePool(path: path, configuration: configuration) }
            configuration.journalMode = .wal
            return try DatabaseQueue(path: path, configuration: configuration)
        }
    }

    @Test(arguments: Kind.allCases)
    func openingWaitsAsTheBusyModeSays(kind: Kind) async throws {
        try await withReadUnderWay { path, goOn in
            let numbers = Log<Int>()
            let opener = Worker {
                let writer = try kind.open(
                    path,
                    .callback { number in
                        numbers.append(number)
                        Thread.sleep(forTimeInterval: 0.001)
                        return true
                    })
                #expect(try writer.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
                try writer.close()
            }
            try await waitUntil("a pool that waits") { numbers.elements.contains(5) }
            goOn.fire()
            try await opener.value()
            #expect(Array(numbers.elements.prefix(6)) == Array(0...5))
        }
    }

    /// Each of the connections may be the one that changes the journal mode, for which it locks the file.
    @Test(arguments: Kind.allCases, [false, true])
    func connectionsOpenTheSameFileAtTheSameTime(kind: Kind, isNew: Bool) async throws {
        for _ in 0..<10 {
            let folder = Folder()
            let path = folder.path("db.sqlite")
            if !isNew { try await DatabaseQueue(path: path).write { try $0.createPlayers() } }
            let openers = (0..<4).map { _ in Worker { try open(path, kind) } }
            for opener in openers { try await opener.value() }
        }
    }

    /// Opens a connection. It waits half a second for a lock, which another one holds for longer only on a busy machine: then
    /// it opens again.
    private func open(_ path: String, _ kind: Kind) throws {
        while true {
            let start = ContinuousClock.now
            do {
                return try kind.open(path, .immediateError).close()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                if .now - start < .milliseconds(500) { throw error }
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func openingWaitsNoLonger(kind: Kind) async throws {
        try await withReadUnderWay { path, _ in
            let start = ContinuousClock.now
            try databaseError(.SQLITE_BUSY) { try kind.open(path, .immediateError) }
            try databaseError(.SQLITE_BUSY) { try kind.open(path, .timeout(0.1)) }
            #expect(.now - start >= .milliseconds(100))
            // Each wait ends at a time, and not after a number of statements, each of which waits.
            #expect(.now - start < .seconds(60))
        }
    }
}
