import Amalgam
import Dispatch
import Synchronization

extension Transaction {
    /// Runs the transaction in a task that is cancelled.
    ///
    /// - Parameter awaits: the moment: 0 before the write is called, 1 while it waits or runs, 2 inside of the access.
    func runCancelled(in writer: any DatabaseWriter, awaits: Int) -> TransactionReport {
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
                run.report.withLock { $0 = report }
            } catch {
                run.report.withLock { $0.error = "\(error)" }
            }
            run.begins.signal()
            run.done.signal()
        }
        if awaits == 2 { run.begins.wait() }
        task.cancel()
        run.cancelled.signal()
        run.done.wait()
        return run.report.withLock { $0 }
    }
}

/// The report of a cancelled task, and the signals between it and the thread that cancels.
private final class CancelledRun: Sendable {
    let report = Mutex(TransactionReport())
    let begins = DispatchSemaphore(value: 0)
    let cancelled = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)

    /// Lets the other thread cancel the task, and continues afterwards.
    func meetCancellation() {
        begins.signal()
        cancelled.wait()
    }
}
