import Amalgam
import Foundation

/// One of the processes: threads that transfer, read, take snapshots and checkpoint, and a task that waits for the
/// commits of the other processes.
///
/// It prints "working" and its counts from time to time, and "stopped" when its threads have ended. Then it waits for a
/// line. After that, no process commits: the last external change must have shown all transfers. Finally it prints
/// "last N" and "failed N …". At any time, it may print "violation …".
final class Worker: Sendable {
    private let plan: Plan
    private let number: Int
    private let writer: any DatabaseWriter
    private let tally = Tally()
    private let end: ContinuousClock.Instant

    init(_ plan: Plan, number: Int) throws {
        self.plan = plan
        self.number = number
        writer = try plan.open(worker: number)
        end = .now + .seconds(plan.seconds)
    }

    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    func run() async throws {
        let changes = try await writer.externalChanges()
        let listener = Task { await self.listen(changes) }
        await hammer()
        Self.say("stopped")
        _ = await onThread { readLine() }
        try await checkLastChange()
        listener.cancel()
        await listener.value
        try writer.close()
        report()
    }

    private func report() {
        let state = tally.state
        Self.say("working \(state.counts.line)")
        if let violation = state.violation { return Self.say("violation \(violation)") }
        Self.say("failed " + state.failedNumbers.map(String.init).joined(separator: " "))
        Self.say("last \(state.lastNumber)")
    }

    // MARK: Threads

    private func hammer() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...2 { add(&group, transfer) }
            for _ in 1...2 { addReader(&group) }
            if let pool = writer as? DatabasePool {
                add(&group) { try self.takeSnapshot(pool) }
                add(&group) { try self.takeSnapshotPool(pool) }
            }
            if plan.journalMode == "wal" { add(&group, checkpoint) }
            add(&group) {
                Thread.sleep(forTimeInterval: 0.5)
                Self.say("working \(self.tally.state.counts.line)")
            }
        }
    }

    /// Repeats a closure on a thread.
    private func add(_ group: inout TaskGroup<Void>, _ body: @escaping @Sendable () throws -> Void) {
        group.addTask {
            await onThread {
                while ContinuousClock.now < self.end && !self.tally.hasFailed { self.attempt(body) }
            }
        }
    }

    /// Runs a closure whose only allowed error is that of a lock.
    private func attempt(_ body: () throws -> Void) {
        do {
            try body()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY || error.exceededLimit != nil {
            tally.change { $0.counts.busy += 1 }
        } catch {
            tally.fail("process \(number): \(error)")
        }
    }

    @Sendable private func transfer() throws {
        let transfer = tally.nextNumber()
        do {
            try writer.write { try Bank.transfer(transfer, process: number, $0) }
            tally.change { $0.counts.transfers += 1 }
        } catch {
            tally.change { $0.failedNumbers.append(transfer) }
            throw error
        }
    }

    private func addReader(_ group: inout TaskGroup<Void>) {
        let last = Last()
        add(&group) { [self] in
            let state = try writer.read { db in
                let state = try Bank.State(db)
                guard try Bank.State(db) == state else { throw Bank.Violation("one read has seen two states") }
                return state
            }
            try last.set(state)
            tally.change { $0.counts.reads += 1 }
            Thread.sleep(forTimeInterval: .random(in: 0...0.001))
        }
    }

    /// The last state of a reader. Used by one thread.
    private final class Last: @unchecked Sendable {
        private var state: Bank.State?

        func set(_ newState: Bank.State) throws {
            try state?.check(isNotAfter: newState)
            state = newState
        }
    }

    private func takeSnapshot(_ pool: DatabasePool) throws {
        Thread.sleep(forTimeInterval: .random(in: 0...0.01))
        let snapshot = try pool.makeSnapshot()
        let state = try snapshot.read { try Bank.State($0) }
        for _ in 1...5 {
            let again = try snapshot.read { try Bank.State($0) }
            if again != state { throw Bank.Violation("a snapshot has changed") }
        }
        try snapshot.close()
        tally.change { $0.counts.snapshots += 1 }
    }

    /// Takes a snapshot, which fails if no commit of the WAL file is known. The snapshot must stay unchanged.
    private func takeSnapshotPool(_ pool: DatabasePool) throws {
        Thread.sleep(forTimeInterval: .random(in: 0...0.01))
        let snapshot: DatabaseSnapshotPool
        do {
            snapshot = try pool.makeSnapshotPool()
        } catch DatabaseError.SQLITE_ERROR {
            return
        }
        try readSnapshotPool(snapshot)
    }

    private func readSnapshotPool(_ snapshot: DatabaseSnapshotPool) throws {
        let state = try snapshot.read { try Bank.State($0) }
        for _ in 1...5 {
            let again = try snapshot.read { try Bank.State($0) }
            if again != state { throw Bank.Violation("a snapshot pool has changed") }
        }
        try snapshot.close()
        tally.change { $0.counts.snapshots += 1 }
    }

    @Sendable private func checkpoint() throws {
        Thread.sleep(forTimeInterval: .random(in: 0...0.05))
        let mode = [Database.CheckpointMode.passive, .full, .restart, .truncate].randomElement()!
        try writer.writeWithoutTransaction { db in
            // There is always a reader: most modes would wait for a very long time, and block all writes.
            try db.withLimits(ExecutionLimits(time: .milliseconds(10))) { _ = try db.checkpoint(mode) }
        }
        tally.change { $0.counts.checkpoints += 1 }
    }

    // MARK: External changes

    private func listen(_ changes: ExternalChanges) async {
        do {
            var last: Int?
            for try await change in changes {
                if change.dataVersion == last { throw Bank.Violation("a data version was told twice") }
                last = change.dataVersion
                let transfers = try await transfersOfOthers()
                tally.change { state in
                    state.counts.changes += 1
                    state.transfersOfOthers = transfers
                }
            }
        } catch is CancellationError {
            // The access was ended during a read.
        } catch {
            tally.fail("process \(number), external changes: \(error)")
        }
    }

    private func transfersOfOthers() async throws -> Int {
        while true {
            do {
                return try await writer.read { [number] in try Bank.State($0).transfers(ofOthersThan: number) }
            } catch DatabaseError.SQLITE_BUSY {
                continue
            }
        }
    }

    /// Waits until all commits of other processes were reported. No process writes during this.
    private func checkLastChange() async throws {
        let expected = try await transfersOfOthers()
        let deadline = ContinuousClock.now + .seconds(30)
        while tally.state.transfersOfOthers != expected && .now < deadline && !tally.hasFailed {
            try await Task.sleep(for: .milliseconds(1))
        }
        let state = tally.state
        if state.transfersOfOthers != expected {
            tally.fail(
                "process \(number): the last external change has shown \(state.transfersOfOthers) transfers of others, "
                    + "not \(expected)")
        }
        if plan.processCount == 1 && state.counts.changes != 0 {
            tally.fail("process \(number): its own commits were told as those of others")
        }
    }
}

/// Runs a closure that blocks on a separate thread.
@discardableResult
func onThread<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
