import Amalgam
import AmalgamCore
import CFaults
import Dispatch
import Foundation
import Synchronization
import Testing

/// If a fetch fails, only its observation ends: the write that caused the fetch succeeds.
@Suite struct ValueObservationFaults {
    private static let sum = ValueObservation.tracking { db in
        try Double.fetchOne(db, sql: "SELECT SUM(score) FROM player") ?? 0
    }

    /// On the writing connection, and in a pool with readers that pin each commit.
    @Test(arguments: Weather.allocations([.memory, .journal, .pool]) + Weather.files([.journal, .pool]))
    func everyCommit(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            let watch = Watch()
            defer { watch.cancel() }
            try attempt.step { watch.start(Self.sum.delivering(.everyCommit), in: attempt.writer!) }
            for (score, sum) in [(1, 3.0), (2, 6)] {
                try watch.sparing {
                    try attempt.step { db in try db.execute(sql: "UPDATE player SET score = ?", arguments: [score]) }
                }
                try watch.wait(for: sum)
            }
            attempt.note(watch.values)
            try watch.throwError()
        }
    }

    /// If a fetch that writes fails, its own changes are undone, but not the write before it.
    @Test(arguments: Weather.allocations([.memory, .journal]) + Weather.files([.journal]))
    func fetchesThatWrite(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            let watch = Watch()
            defer { watch.cancel() }
            var observation = ValueObservation.tracking(region: Table("player")) { db in
                try db.execute(sql: "DELETE FROM team WHERE id > 2; INSERT INTO team VALUES (3, 'x'), (4, 'y')")
                try db.execute(sql: "DELETE FROM team WHERE id > 2")
                return try Double.fetchOne(db, sql: "SELECT SUM(score) FROM player") ?? 0
            }
            observation.requiresWriteAccess = true
            try attempt.step { watch.start(observation, in: attempt.writer!) }
            try watch.sparing { try attempt.step { db in try db.execute(sql: "UPDATE player SET score = 1") } }
            try watch.wait(for: 3)
            attempt.note(watch.values)
            try watch.throwError()
        }
    }

    /// Keys, generated columns, savepoints, and row events for observers of all kinds.
    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.pool]))
    func relevance(weather: Weather) throws {
        let setUp = { (db: Database) in
            try db.createTeams()
            try db.execute(sql: "CREATE TABLE item (id TEXT PRIMARY KEY, n, twice AS (2 * n)) WITHOUT ROWID")
            try db.execute(sql: "INSERT INTO item VALUES ('a', 1), ('b', 2)")
        }
        try everyFault(of: weather, setUp: setUp) { attempt in
            try attempt.connect()
            let item = Table("item").filter(Column("id") == "a")
            let (byKey, twice) = (Watch(), Watch())
            defer {
                byKey.cancel()
                twice.cancel()
            }
            try attempt.step {
                byKey.start(
                    ValueObservation.tracking { db in
                        try item.select(Column("n"), as: Double.self).fetchOne(db) ?? 0
                    }.delivering(.everyCommit), in: attempt.writer!)
                twice.start(
                    ValueObservation.tracking { db in
                        try Double.fetchOne(db, sql: "SELECT SUM(twice) FROM item") ?? 0
                    }.delivering(.everyCommit), in: attempt.writer!)
            }
            try attempt.step { db in
                try db.inTransaction {
                    try db.inSavepoint {
                        try db.execute(sql: "UPDATE item SET n = 10")
                        return .rollback
                    }
                    try db.inSavepoint {
                        try db.execute(sql: "UPDATE item SET n = n + 3")
                        return .commit
                    }
                    return .commit
                }
            }
            try byKey.wait(for: 4)
            try twice.wait(for: 18)
            attempt.note(byKey.values)
            try byKey.throwError()
            try twice.throwError()
        }
    }

    /// Changes are audited, observed, and sent to an observer of rows: either all of this, or none.
    @Test(arguments: Weather.allocations([.memory]) + Weather.files([.journal]))
    func beside(weather: Weather) throws {
        var configuration = Configuration.inFaults
        configuration.transactionClock = NoClock()
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect(configuration)
            try attempt.step { db in try db.audit("player") }
            let watch = Watch()
            defer { watch.cancel() }
            try attempt.step { watch.start(Self.sum.delivering(.everyCommit), in: attempt.writer!) }
            // The entries of the log belong to the statement: without them, there is nothing to observe.
            try watch.sparing { try attempt.step { db in try db.execute(sql: "UPDATE player SET score = 1") } }
            try watch.wait(for: 3)
            attempt.note(watch.values)
            try watch.throwError()
        }
    }

    /// A fetch on a reader, on another thread.
    @Test(arguments: [Fault.allocation, .allocations, .io, .tornRead])
    func aFetchOnAReader(fault: Fault) throws {
        #expect(faults_install_files() == 0)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("amalgam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("db.sqlite").path
        // Only files that were opened with an active object can fail.
        let opening = faults_create()
        let previous = faults_exchange(opening)
        let pool = try DatabasePool(path: path)
        try pool.write { try $0.createTeams() }
        _ = try pool.read { try $0.contents() }
        faults_exchange(previous)
        defer { faults_free(opening) }
        var n = Int64(0)
        while true {
            n += 1
            let (watch, plan) = (Watch(), n)
            let hasFailed = Mutex(false)
            let isArmed = Mutex(false)
            let observation = ValueObservation.tracking { db in
                guard isArmed.withLock({ $0 }) else { return try Self.fetch(db) }
                let faults = faults_create()
                defer { faults_free(faults) }
                let previous = faults_exchange(faults)
                faults_plan(
                    faults, fault.operations, UInt32(FAULTS_ANY_FILE), plan, fault.persists ? 1 : 0, fault.code,
                    fault.tears ? 1 : 0)
                defer {
                    hasFailed.withLock { $0 = faults_failures(faults) > 0 }
                    faults_exchange(previous)
                }
                return try Self.fetch(db)
            }
            watch.start(observation, in: pool)
            isArmed.withLock { $0 = true }
            try pool.write { try $0.execute(sql: "UPDATE player SET score = ?", arguments: [plan]) }
            try watch.wait(for: Double(3 * plan))
            watch.cancel()
            if let error = watch.error {
                #expect(fault.errors.contains((error as? DatabaseError)?.resultCode ?? .SQLITE_OK))
            }
            // The pool can still read and write.
            try pool.write { try $0.execute(sql: "UPDATE player SET name = name") }
            let integrity = try pool.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
            #expect(integrity == ["ok"])
            if !hasFailed.withLock({ $0 }) { break }
        }
        #expect(n > 1)
        try pool.close()
    }

    /// More data than the cache holds, so that files are read.
    private static func fetch(_ db: Database) throws -> Double {
        _ = try Row.fetchAll(db, sql: "SELECT * FROM team, player ORDER BY player.name || team.name")
        return try Double.fetchOne(db, sql: "SELECT SUM(score) FROM player") ?? 0
    }
}

/// The values and the error of an observation.
private final class Watch: Sendable {
    private struct State {
        var values: [Double] = []
        var error: (any Error)?
        var cancellable: AnyDatabaseCancellable?
    }

    private struct Complaint: Error {
        let what: String
    }

    private let condition = NSCondition()
    private let state = Mutex(State())

    /// The values without repetitions: after a fault, an observation may fetch again without a change.
    var values: [Double] {
        state.withLock {
            $0.values.reduce(into: []) { values, value in if values.last != value { values.append(value) } }
        }
    }

    var error: (any Error)? { state.withLock { $0.error } }

    func start<Reducer: ValueReducer>(_ observation: ValueObservation<Reducer>, in reader: any DatabaseReader)
    where Reducer.Value == Double {
        let cancellable = observation.start(
            in: reader, scheduling: Scheduler(), onError: { error in self.tell { $0.error = error } },
            onChange: { value in self.tell { $0.values.append(value) } })
        state.withLock { $0.cancellable = cancellable }
    }

    func cancel() {
        let cancellable = state.withLock { state in
            defer { state.cancellable = nil }
            return state.cancellable
        }
        cancellable?.cancel()
    }

    private func tell(_ change: (inout State) -> Void) {
        condition.lock()
        state.withLock { change(&$0) }
        condition.broadcast()
        condition.unlock()
    }

    /// Runs a write, which must succeed even if the observation fails during it.
    func sparing(_ write: () throws -> Void) throws {
        let hadFailed = error != nil
        do {
            try write()
        } catch {
            if !hadFailed && self.error != nil { throw Complaint(what: "the observation and the write: \(error)") }
            throw error
        }
    }

    /// Waits for a value, or for the error.
    func wait(for value: Double) throws {
        condition.lock()
        defer { condition.unlock() }
        let end = Date(timeIntervalSinceNow: 300)
        while error == nil && values.last != value {
            if !condition.wait(until: end) { throw Complaint(what: "\(value) does not come after \(values)") }
        }
    }

    func throwError() throws {
        if let error { throw error }
    }

    /// Delivers the initial value at once, so that it is fetched on the thread of the test.
    private struct Scheduler: ValueObservationScheduler {
        private let queue = DispatchQueue(label: "values")

        func immediateInitialValue() -> Bool { true }

        func schedule(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }
    }
}

/// A clock that makes the log equal in all attempts.
private struct NoClock: TransactionClock {
    func now(_ db: Database) throws -> Date { Date(timeIntervalSince1970: 0) }
}
