import Amalgam
import Dispatch
import Synchronization

extension Transaction {
    /// The moments at which a task is cancelled, for the coverage.
    static let cancellations = ["before the write", "while it waits or runs", "inside of the access"]

    /// Whether an error may end a write whose task was cancelled.
    static func mayEndCancelledWrite(_ error: any Error) -> Bool {
        if error is CancellationError || error is PlannedRollback || error is RolledBack { return true }
        return (error as? DatabaseError)?.isInterruptionError ?? false
    }

    /// Runs the transaction in a task that is cancelled.
    ///
    /// - Parameter awaits: the moment: the position of its name in ``cancellations``.
    /// - Returns: the report, or the error that the write has thrown.
    func runCancelled(in writer: any DatabaseWriter, awaits: Int) -> Result<TransactionReport, any Error> {
        let run = CancelledRun()
        let task = Task.detached {
            while awaits == 0 && !Task.isCancelled { await Task.yield() }
            do {
                let report = try await writer.write { db in
                    if awaits == 2 { run.meetCancellation() }
                    var report = TransactionReport()
                    try body(db, false, &report) { try $1() }
                    report.isCommitted = true
                    return report
                }
                run.result.withLock { $0 = .success(report) }
            } catch {
                run.result.withLock { $0 = .failure(error) }
            }
            run.begins.signal()
            run.done.signal()
        }
        if awaits == 2 { run.begins.wait() }
        task.cancel()
        run.cancelled.signal()
        run.done.wait()
        return run.result.withLock { $0 }
    }
}

/// The result of a cancelled task, and the signals between it and the thread that cancels.
private final class CancelledRun: Sendable {
    let result = Mutex<Result<TransactionReport, any Error>>(.success(TransactionReport()))
    let begins = DispatchSemaphore(value: 0)
    let cancelled = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)

    /// Lets the other thread cancel the task, and continues afterwards.
    func meetCancellation() {
        begins.signal()
        cancelled.wait()
    }
}
