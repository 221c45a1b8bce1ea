import Dispatch
import Synchronization
import Workload

/// 1,000 rows, each in a separate transaction: the time from the call of the first transaction observer at a commit
/// until an observation delivers the value to a queue. The next row is written after that.
struct CommitToValueQueue: Case {
    static let name = "commit-to-value-queue"

    private let queue: DatabaseQueue
    private let race: Race

    init(folder: Folder) throws {
        queue = try folder.queueWithNotes()
        race = Race(queue)
    }

    mutating func reset() throws { try race.reset(queue) }
    func run() throws -> Int { try race.run(queue) }
    func countedTime() -> Duration? { race.time }
}

/// The same in a pool.
struct CommitToValuePool: Case {
    static let name = "commit-to-value-pool"

    private let pool: DatabasePool
    private let race: Race

    init(folder: Folder) throws {
        pool = try folder.poolWithNotes()
        race = Race(pool)
    }

    mutating func reset() throws { try race.reset(pool) }
    func run() throws -> Int { try race.run(pool) }
    func countedTime() -> Duration? { race.time }
}

/// A thread that writes, and an observation of its rows.
private final class Race: Sendable {
    private struct State {
        /// The last number that was written.
        var number = 0
        var time = Duration.zero
    }

    private let state = Mutex(State())
    private let arrivals = Arrivals()
    private let clock = CommitClock()
    private let cancellable: AnyDatabaseCancellable

    init(_ writer: some DatabaseWriter) {
        let arrivals = arrivals
        writer.add(transactionObserver: clock, extent: .databaseLifetime)
        cancellable = observationOfNotes().start(
            in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values")),
            onError: { fatalError("\($0)") }, onChange: { arrivals.come($0) })
    }

    var time: Duration { state.withLock { $0.time } }

    func reset(_ writer: some DatabaseWriter) throws {
        try writer.write { db in try db.execute(sql: NOTES_DELETE) }
        _ = try lap(writer)
        state.withLock { $0.time = .zero }
    }

    func run(_ writer: some DatabaseWriter) throws -> Int {
        var (sum, time) = (0, Duration.zero)
        for lap in 1...Int(OBSERVED_COMMITS) {
            let (value, duration) = try self.lap(writer)
            sum += lap * (value == number ? 1 : 0)
            time += duration
        }
        state.withLock { $0.time = time }
        return sum
    }

    private var number: Int { state.withLock { $0.number } }

    /// Writes one row, and waits for its value.
    private func lap(_ writer: some DatabaseWriter) throws -> (value: Int, duration: Duration) {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        try writer.write { db in try db.execute(sql: NOTES_INSERT, arguments: [number]) }
        let (value, end) = arrivals.wait(for: number)
        return (value, end - clock.lastCommit)
    }
}

/// Records the time of the last commit.
private final class CommitClock: TransactionObserver, Sendable {
    private let time = Mutex(ContinuousClock.now)

    var lastCommit: ContinuousClock.Instant { time.withLock { $0 } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseDidCommit(_ db: Database) {
        let now = ContinuousClock.now
        time.withLock { $0 = now }
    }

    func databaseDidRollback(_ db: Database) {}
}

/// 500 times: an observation of a pool starts, delivers its first value to a queue, and is cancelled.
struct StartObservation: Case {
    static let name = "start-observation"

    private let pool: DatabasePool

    init(folder: Folder) throws {
        pool = try folder.poolWithNotes()
        try pool.addNote(7)
    }

    func run() throws -> Int {
        let queue = DispatchQueue(label: "values")
        var sum = 0
        for _ in 0..<Int(OBSERVED_STARTS) {
            let arrivals = Arrivals()
            let cancellable = observationOfNotes().start(
                in: pool, scheduling: .async(onQueue: queue), onError: { fatalError("\($0)") },
                onChange: { arrivals.come($0) })
            sum += arrivals.wait(for: 7).value
            cancellable.cancel()
        }
        return sum
    }
}

private func observationOfNotes() -> ValueObservation<ValueReducers.Fetch<Int>> {
    ValueObservation.tracking { db in try Int.fetchOne(db, sql: OBSERVED_SELECT) ?? 0 }
}

/// The values of an observation, and the thread that waits for one of them.
private final class Arrivals: Sendable {
    private let last = Mutex((value: 0, time: ContinuousClock.now))
    private let signal = DispatchSemaphore(value: 0)

    func come(_ value: Int) {
        let time = ContinuousClock.now
        last.withLock { $0 = (value, time) }
        signal.signal()
    }

    func wait(for value: Int) -> (value: Int, time: ContinuousClock.Instant) {
        while true {
            let last = last.withLock { $0 }
            if last.value == value { return last }
            signal.wait()
        }
    }
}
