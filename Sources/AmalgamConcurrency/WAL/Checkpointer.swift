import AmalgamCore
import Dispatch
import Synchronization

/// Runs the checkpoints of a ``WALPolicy``, on the queue of the writer.
///
/// They could run concurrently with the writer, on a separate connection. Measured, that lets the file grow by a third more,
/// as the writer goes on appending, and its longest pause is not shorter: it still has to copy the rest, and waits for
/// the same disk.
final class Checkpointer: Sendable {
    private struct State {
        weak var writer: SerialConnection?
        /// Whether a checkpoint is queued, or runs.
        var isScheduled = false
        var isClosed = false
        /// The trigger of a deferred checkpoint, which runs when the connection is resumed: it was due, or was stopped, during
        /// the suspension.
        var deferred: WALReport.Trigger?
        /// There while frames wait.
        var timer: AgeTimer?
        /// The bytes of frames that make the next checkpoint due.
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

    /// No checkpoint begins any more.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.timer = nil
        }
        readers.forgetWaiting()
        reports.close()
    }

    // MARK: When

    /// Looks at the WAL file at the end of an access of the writer.
    func accessDidEnd(_ db: Database) {
        guard !db.isInsideTransaction, !db.access.interrupter.isSuspended, let wal = db.walState, !wal.isCheckpointed
        else {
            return
        }
        let isDue = state.withLock { state in
            if state.timer == nil && !state.isClosed { state.timer = makeTimer() }
            return wal.size > state.dueSize
        }
        if isDue { schedule(.size) }
    }

    /// A suspended connection runs no checkpoint, and starts no timer.
    func connectionDidResume(_ db: Database) {
        let trigger = state.withLock { state in
            defer { state.deferred = nil }
            return state.deferred
        }
        if let trigger { schedule(trigger) } else { accessDidEnd(db) }
    }

    /// Enqueues a checkpoint, unless there is one.
    private func schedule(_ trigger: WALReport.Trigger) {
        let writer: SerialConnection? = state.withLock { state in
            guard !state.isScheduled, !state.isClosed, let writer = state.writer else { return nil }
            state.isScheduled = true
            // Not after the lock: this may be the thread of a read that has ended. If it were preempted in between, the
            // writer would take a checkpoint for scheduled that is not queued, and write any number of times before it.
            writer.maintenance { self.run(trigger, $0) }
            return writer
        }
        // Its deinit closes the checkpointer, which takes the lock.
        withExtendedLifetime(writer) {}
    }

    /// - Parameter shortest: the minimum of the time.
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
        // A transaction may be left open on purpose: its end makes a checkpoint due again.
        guard !db.isInsideTransaction, checkpoint.hasWork else { return prepare(.nothing) }
        checkpoint.run()
        let report = checkpoint.report
        prepare(checkpoint.next)
        // By a suspension, perhaps, which may be over already: then its end is queued behind this.
        if report.isStopped { state.withLock { $0.deferred = trigger } }
        reports.deliver(report)
    }

    private func postpone(_ trigger: WALReport.Trigger) {
        state.withLock { state in
            state.isScheduled = false
            state.deferred = trigger
        }
    }

    /// The next step after a checkpoint.
    enum Next {
        case nothing
        /// Try again when a read ends that began no later than this, if it is known, or when the file has grown beyond
        /// a size, or when its frames have aged.
        case again(dueSize: Int, readStart: UInt64?)
    }

    private func prepare(_ next: Next) {
        let readStart: UInt64? = state.withLock { state in
            state.isScheduled = false
            state.deferred = nil
            // A new one is made for the frames that are left, or come next.
            state.timer = nil
            state.dueSize = policy.maximumSize
            guard case .again(let dueSize, let readStart) = next, !state.isClosed else { return nil }
            state.dueSize = dueSize
            // Whatever the age is, a blocked checkpoint is not repeated in a tight loop.
            state.timer = makeTimer(shortest: .milliseconds(100))
            return readStart
        }
        guard let readStart else { return readers.forgetWaiting() }
        readers.whenReadEnds(begunBy: readStart) { [weak self] in self?.schedule(.readEnded) }
    }
}

/// Calls a closure once, after a time, unless it is released before.
final class AgeTimer: @unchecked Sendable {
    // Sendable: a source may be cancelled from any thread.
    private let source = DispatchSource.makeTimerSource()

    init(_ age: Duration, _ call: @escaping @Sendable () -> Void) {
        source.setEventHandler(handler: call)
        source.schedule(deadline: .now() + age.dispatchInterval)
        source.resume()
    }

    deinit { source.cancel() }
}

extension WALReport {
    /// Whether the checkpoint was stopped from outside.
    fileprivate var isStopped: Bool { error?.resultCode == .SQLITE_INTERRUPT || error?.resultCode == .SQLITE_ABORT }
}

extension WALPolicy {
    /// The policy with a size that can be calculated with.
    fileprivate var bounded: WALPolicy {
        var policy = self
        policy.maximumSize = min(max(0, maximumSize), 1 << 60)
        return policy
    }
}

extension Duration {
    /// For waiting: a century at most.
    var dispatchInterval: DispatchTimeInterval {
        .nanoseconds(Int(max(0, min(self / .nanoseconds(1), 3e18))))
    }
}
