import CAmalgam
import Synchronization

/// Owns the progress handler of a connection: SQLite calls it while a statement runs, and stops that statement, and no
/// other one, when asked to: <https://sqlite.org/c3ref/progress_handler.html>.
///
/// There is one slot, for limits, for the handler of the user, and for an observer beside it. It is empty while there is
/// none of them. Limits nest: the
/// deadline that comes first wins, and each instruction counts for all.
///
/// Used from the thread of the connection, as all of it.
final class ProgressMonitor {
    private struct ActiveLimits {
        let limits: ExecutionLimits
        /// The deadline that comes first, of these limits and those around.
        let deadline: ContinuousClock.Instant?
        /// The limit of time behind `deadline`.
        let time: Duration?
        var remainingInstructions: Int?
    }

    private struct Handler {
        let interval: Int
        var instructionsSinceCall = 0
        let body: () throws -> Bool
    }

    /// Why a statement is stopped.
    enum Reason {
        case limit(ExceededLimit, String)
        /// The handler returned false.
        case handler
        /// The handler failed.
        case failure(any Error)
    }

    private unowned let database: Database
    private var stack: [ActiveLimits] = []
    private var handler: Handler?
    private var observer: Handler?
    /// How many instructions lie between two calls; 0 when there is nothing to watch.
    private var interval = 0
    private var reason: Reason?

    init(_ database: Database) {
        self.database = database
    }

    var hasLimits: Bool { !stack.isEmpty }

    // MARK: Limits

    func begin(_ limits: ExecutionLimits) {
        let outer = stack.last
        // A century is as good as forever, and no instant overflows.
        let time = limits.time.map { min(max($0, .zero), .seconds(100 * 365 * 86400)) }
        let deadline = time.map { ContinuousClock.now + $0 }
        let comesFirst = deadline != nil && (outer?.deadline == nil || deadline! < outer!.deadline!)
        stack.append(
            ActiveLimits(
                limits: limits, deadline: comesFirst ? deadline : outer?.deadline,
                time: comesFirst ? limits.time : outer?.time,
                remainingInstructions: limits.instructions.map { max(0, $0) }))
        install()
    }

    func end() {
        stack.removeLast()
        install()
    }

    /// The limit that is exceeded now, if any. What must run nevertheless, such as ROLLBACK, is spared.
    func exceeded() -> Reason? {
        guard let innermost = stack.last, !database.access.interrupter.isUninterruptible else { return nil }
        if let deadline = innermost.deadline, deadline <= .now {
            return .limit(.time, innermost.time.map { "\($0)" } ?? "")
        }
        if let spent = stack.last(where: { $0.remainingInstructions.map { $0 <= 0 } ?? false }) {
            return .limit(.instructions, "\(spent.limits.instructions ?? 0) instructions")
        }
        return nil
    }

    // MARK: The handler of the user

    func setHandler(every interval: Int, _ body: (() throws -> Bool)?) {
        handler = body.map { Handler(interval: min(max(1, interval), Int(CInt.max)), body: $0) }
        install()
    }

    /// Runs a closure while an observer is asked beside the handler of the user.
    func withObserver<T>(
        every interval: Int, _ observer: @escaping () throws -> Bool, _ body: () throws -> T
    ) rethrows -> T {
        let outer = self.observer
        self.observer = Handler(interval: min(max(1, interval), Int(CInt.max)), body: observer)
        install()
        defer {
            self.observer = outer
            install()
        }
        return try body()
    }

    /// The connection is about to be closed.
    ///
    /// - Parameter connection: that of the database, which may be in its deinitializer: `database` can't be used then.
    func removeAll(from connection: SQLiteConnection) {
        handler = nil
        observer = nil
        sqlite3_progress_handler(connection, 0, nil, nil)
    }

    // MARK: SQLite's handler

    private func install() {
        reason = nil
        interval = wantedInterval
        guard let connection = database.sqliteConnection else { return }
        guard interval > 0 else { return sqlite3_progress_handler(connection, 0, nil, nil) }
        sqlite3_progress_handler(
            connection, CInt(interval),
            { Unmanaged<ProgressMonitor>.fromOpaque($0!).takeUnretainedValue().progress() ? 0 : 1 },
            Unmanaged.passUnretained(self).toOpaque())
    }

    /// A look at the clock each thousand instructions costs less than a thousandth of their time.
    private var wantedInterval: Int {
        let budgets = stack.compactMap(\.limits.instructions).map { max(1, min($0 / 100, 1000)) }
        let clock = stack.last?.deadline == nil ? [] : [1000]
        return (budgets + clock + [handler?.interval, observer?.interval].compactMap(\.self)).min() ?? 0
    }

    /// Returns whether the statement goes on.
    private func progress() -> Bool {
        for index in stack.indices { stack[index].remainingInstructions? -= interval }
        if let reason = exceeded() ?? ask(\.handler) ?? ask(\.observer) {
            self.reason = reason
            return false
        }
        return true
    }

    private func ask(_ slot: ReferenceWritableKeyPath<ProgressMonitor, Handler?>) -> Reason? {
        guard var current = self[keyPath: slot], !database.access.interrupter.isUninterruptible else { return nil }
        current.instructionsSinceCall += interval
        guard current.instructionsSinceCall >= current.interval else {
            self[keyPath: slot] = current
            return nil
        }
        current.instructionsSinceCall = 0
        self[keyPath: slot] = current
        do {
            return try database.duringCallback(current.body) ? nil : .handler
        } catch {
            return .failure(error)
        }
    }

    /// The busy handler: whether there is time to wait for a lock.
    func mayWait() -> Bool {
        guard let reason = exceeded() else { return true }
        self.reason = reason
        return false
    }

    /// Why the statement that has just failed was stopped; nil when it was not.
    func takeReason(_ code: CInt) -> Reason? {
        defer { reason = nil }
        switch ResultCode(rawValue: code).primaryResultCode {
        case .SQLITE_INTERRUPT, .SQLITE_ABORT, .SQLITE_BUSY: return reason
        default: return nil
        }
    }
}
