import AmalgamCore
import Dispatch
import Foundation
import Synchronization

/// Runs the checkpoints of a ``WALPolicy``, on the queue of the writer.
///
/// A separate connection could run the checkpoints concurrently with the writer, but without a gain: in a measurement,
/// the WAL file grew by a third more, and the longest pause of the writer wasn't shorter.
final class Checkpointer: Sendable {
    private struct State {
        weak var writer: SerialConnection?
        /// Whether a checkpoint is queued or runs.
        var isScheduled = false
        var isClosed = false
        /// The trigger of a checkpoint that a suspension has deferred or interrupted. Nil without such a checkpoint.
        var deferred: WALReport.Trigger?
        /// The timer of `maximumAge`. Nil if no frames wait for a checkpoint.
        var timer: AgeTimer?
        /// The size of the frames at which the next checkpoint is due, in bytes.
        var dueSize: Int
    }

    let policy: WALPolicy
    let readers: WALReaders
    let reports: CheckpointReports
    private let state: RankedMutex<State>

    init(_ policy: WALPolicy, label: String) {
        self.policy = policy.bounded
        readers = WALReaders()
        reports = CheckpointReports(label: label, policy.onReport)
        state = RankedMutex(.checkpoints, State(dueSize: self.policy.maximumSize))
    }

    deinit { close() }

    func attach(_ writer: SerialConnection) {
        state.withLock { $0.writer = writer }
    }

    /// Prevents further checkpoints, and ends the streams of reports.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.timer = nil
        }
        readers.forgetWaiting()
        reports.close()
    }

    // MARK: Triggers

    /// Checks the WAL file at the end of an access of the writer.
    func accessDidEnd(_ db: Database) {
        guard !db.isInsideTransaction, !db.access.interrupter.isSuspended, let wal = db.walState, !wal.isCheckpointed
        else {
            return
        }
        if let limit = policy.replicationLimit { return enforce(limit, wal) }
        let isDue = state.withLock { state in
            if state.timer == nil && !state.isClosed { state.timer = makeTimer() }
            return wal.size > state.dueSize
        }
        if isDue { schedule(.size) }
    }

    /// Reacts to a WAL file whose replication engine hasn't checkpointed it.
    private func enforce(_ limit: WALPolicy.ReplicationLimit, _ wal: WALState) {
        guard wal.pendingSize > limit.size else { return }
        switch limit.reaction {
        case .grow: break
        case .startOver: schedule(.size)
        case .wait(let maximumWait): scheduleWait(until: limit.size, maximumWait)
        }
    }

    /// Makes later writes wait, on the queue of the writer, until the engine has checkpointed the WAL file.
    private func scheduleWait(until size: Int, _ maximumWait: Duration) {
        let writer: SerialConnection? = state.withLock { state in
            guard !state.isScheduled, !state.isClosed, let writer = state.writer else { return nil }
            state.isScheduled = true
            writer.maintenance { self.wait(until: size, maximumWait, $0) }
            return writer
        }
        withExtendedLifetime(writer) {}
    }

    private func wait(until size: Int, _ maximumWait: Duration, _ db: Database) {
        let deadline = ContinuousClock.now + maximumWait
        while let wal = db.walState, wal.pendingSize > size, ContinuousClock.now < deadline,
            !db.access.interrupter.isSuspended
        {
            Thread.sleep(forTimeInterval: 0.01)
        }
        state.withLock { $0.isScheduled = false }
    }

    /// Runs the checkpoint that the suspension deferred. Without one, checks the WAL file, as after an access.
    func connectionDidResume(_ db: Database) {
        let trigger = state.withLock { state in
            defer { state.deferred = nil }
            return state.deferred
        }
        if let trigger { schedule(trigger) } else { accessDidEnd(db) }
    }

    /// Enqueues a checkpoint, unless one is queued or runs.
    private func schedule(_ trigger: WALReport.Trigger) {
        let writer: SerialConnection? = state.withLock { state in
            guard !state.isScheduled, !state.isClosed, let writer = state.writer else { return nil }
            state.isScheduled = true
            // The checkpoint is enqueued under the lock. Otherwise, this thread could be preempted after `isScheduled`
            // is set, and the writer could write any number of times before the checkpoint is in its queue.
            writer.maintenance { self.run(trigger, $0) }
            return writer
        }
        // The writer is released outside of the lock, because the deinitializer of the writer closes the checkpointer,
        // which takes the lock.
        withExtendedLifetime(writer) {}
    }

    /// - Parameter shortest: the minimum delay.
    private func makeTimer(shortest: Duration = .zero) -> AgeTimer? {
        guard let age = policy.maximumAge else { return nil }
        return AgeTimer(max(age, shortest)) { [weak self] in self?.framesHaveAged() }
    }

    private func framesHaveAged() {
        state.withLock { $0.timer = nil }
        schedule(.age)
    }

    // MARK: The checkpoint

    private func run(_ trigger: WALReport.Trigger, _ db: Database) {
        if db.access.interrupter.isSuspended { return postpone(trigger) }
        var checkpoint = CheckpointRun(trigger, db, policy, readers)
        // `allowsUnsafeTransactions` lets an access leave a transaction open, whose end makes a checkpoint due.
        guard !db.isInsideTransaction, checkpoint.hasWork else { return prepare(.nothing) }
        checkpoint.run()
        let report = checkpoint.report
        prepare(checkpoint.next)
        // If a suspension has interrupted the checkpoint, `connectionDidResume` runs the checkpoint again. If the
        // suspension has ended already, a call of `connectionDidResume` is in the queue, and follows.
        if report.isStopped { state.withLock { $0.deferred = trigger } }
        reports.deliver(report)
    }

    private func postpone(_ trigger: WALReport.Trigger) {
        state.withLock { state in
            state.isScheduled = false
            state.deferred = trigger
        }
    }

    /// The action after a checkpoint.
    enum Next {
        case nothing
        /// Try again when a read ends that began at `readStart` or earlier, when the frames exceed `dueSize`, or when
        /// they reach `maximumAge`.
        case again(dueSize: Int, readStart: UInt64?)
    }

    private func prepare(_ next: Next) {
        let readStart: UInt64? = state.withLock { state in
            state.isScheduled = false
            state.deferred = nil
            // A new timer starts below if frames remain, or when the next frames are appended.
            state.timer = nil
            state.dueSize = policy.maximumSize
            guard case .again(let dueSize, let readStart) = next, !state.isClosed else { return nil }
            state.dueSize = dueSize
            // A blocked checkpoint isn't repeated in a tight loop, even if `maximumAge` is 0.
            state.timer = makeTimer(shortest: .milliseconds(100))
            return readStart
        }
        guard let readStart else { return readers.forgetWaiting() }
        readers.whenReadEnds(begunBy: readStart) { [weak self] in self?.schedule(.readEnded) }
    }
}

/// Calls a closure once after a delay, unless the timer is released before.
final class AgeTimer: @unchecked Sendable {
    // Sendable: a dispatch source may be cancelled from any thread.
    private let source = DispatchSource.makeTimerSource()

    init(_ age: Duration, _ call: @escaping @Sendable () -> Void) {
        source.setEventHandler(handler: call)
        source.schedule(deadline: .now() + age.dispatchInterval)
        source.resume()
    }

    deinit { source.cancel() }
}

extension WALReport {
    /// Whether an interruption or a suspension has stopped the checkpoint.
    fileprivate var isStopped: Bool { error?.resultCode == .SQLITE_INTERRUPT || error?.resultCode == .SQLITE_ABORT }
}

extension WALPolicy {
    /// The policy with a maximum size that can't overflow in calculations.
    fileprivate var bounded: WALPolicy {
        var policy = self
        policy.maximumSize = min(max(0, maximumSize), 1 << 60)
        return policy
    }
}

extension Duration {
    /// The interval for dispatch deadlines, at most a century.
    var dispatchInterval: DispatchTimeInterval {
        .nanoseconds(Int(max(0, min(self / .nanoseconds(1), 3e18))))
    }
}
