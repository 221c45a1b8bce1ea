import CAmalgam
import Synchronization

/// Owns the progress handler of a connection. SQLite calls the handler while a statement runs, and interrupts this
/// statement if the handler returns non-zero: <https://sqlite.org/c3ref/progress_handler.html>.
///
/// A connection has only one progress handler. So this handler checks the limits, and also calls the application's
/// handler (`setProgressHandler`) and the observer (`withProgressObserver`). It is installed only while there is a
/// limit, a handler or an observer. In nested `withLimits` calls, the earliest deadline applies, and each instruction
/// counts for all limits. Between two calls of the handler, ``AllocationLimits`` checks time and memory. Only the thread
/// that has access to the connection uses the monitor.
final class ProgressMonitor {
    private struct ActiveLimits {
        let limits: ExecutionLimits
        /// The depth of uninterruptible runs in which the limits have begun. In deeper ones, they stop no statement.
        let depth: Int
        /// The earliest deadline of these limits and the outer ones of the same depth.
        let deadline: ContinuousClock.Instant?
        /// The time limit that has set `deadline`.
        let time: Duration?
        var remainingInstructions: Int?
        /// The maximum number of counted bytes: the lowest of these limits and the outer limits of the same depth.
        let maximumMemory: Int64?
        /// The memory limit that has set `maximumMemory`.
        let memory: Int?
    }

    private struct Handler {
        let interval: Int
        /// The depth of uninterruptible runs in which the handler was set, or a lower one since. In deeper ones, it isn't called.
        var depth: Int
        var instructionsSinceCall = 0
        let body: () throws -> Bool
    }

    /// The reason why a statement is stopped.
    enum Reason {
        case limit(ExceededLimit, String)
        /// The handler returned false.
        case handler
        /// The handler threw an error.
        case failure(any Error)
    }

    /// The monitor of the innermost `withLimits` call of a thread.
    static let ofThread = ThreadLocal<ProgressMonitor>()

    private unowned let database: Database
    let allocations: AllocationLimits
    private var stack: [ActiveLimits] = []
    private var handler: Handler?
    private var observer: Handler?
    /// The number of instructions between two calls; 0 without limits and handlers.
    private var interval = 0
    private var reason: Reason?
    /// A handler's answer to a call after the end of a statement: the next statement stops.
    private var refusal: Reason?
    /// The reason why this object stopped a statement that a function of a running statement executes. SQLite may report
    /// the failure of the running statement with a different code.
    private var nestedReason: Reason? { didSet { database.updateRestrictions() } }

    init(_ database: Database) {
        self.database = database
        allocations = AllocationLimits(database.sqliteConnection)
    }

    /// Whether statements must be checked before they run.
    var restrictsStatements: Bool { !stack.isEmpty || refusal != nil || nestedReason != nil }

    // MARK: Limits

    func begin(_ limits: ExecutionLimits) {
        let depth = self.depth
        let outer = stack.last.flatMap { $0.depth == depth ? $0 : nil }
        // Limited to a century, so that no instant overflows.
        let time = limits.time.map { min(max($0, .zero), .seconds(100 * 365 * 86400)) }
        let deadline = time.map { ContinuousClock.now + $0 }
        if stack.isEmpty { allocations.reset() }
        let comesFirst = deadline != nil && (outer?.deadline == nil || deadline! < outer!.deadline!)
        let maximumMemory = allocations.maximum(limits.memory, within: outer?.maximumMemory)
        stack.append(
            ActiveLimits(
                limits: limits, depth: depth, deadline: comesFirst ? deadline : outer?.deadline,
                time: comesFirst ? limits.time : outer?.time,
                remainingInstructions: limits.instructions.map { max(0, $0) },
                maximumMemory: maximumMemory,
                memory: maximumMemory == outer?.maximumMemory ? outer?.memory : limits.memory))
        install()
    }

    func end() {
        stack.removeLast()
        _ = allocations.takeStop()
        install()
    }

    /// The depth of uninterruptible runs: see ``Interrupter/withoutInterruption(_:)``.
    private var depth: Int { database.access.interrupter.uninterruptibleDepth }

    /// Returns the exceeded limit, if any. Statements that must not be interrupted, such as ROLLBACK, exceed no limit
    /// but those that observers of the end of the transaction set themselves.
    func exceeded() -> Reason? {
        guard let innermost = stack.last, innermost.depth >= depth else { return nil }
        if let deadline = innermost.deadline, deadline <= .now {
            return .limit(.time, innermost.time.map { "\($0)" } ?? "")
        }
        let isSpent = { (limits: ActiveLimits) in
            limits.depth == innermost.depth && (limits.remainingInstructions ?? 1) <= 0
        }
        if let spent = stack.last(where: isSpent) {
            return .limit(.instructions, "\(spent.limits.instructions ?? 0) instructions")
        }
        return nil
    }

    /// The error of the exceeded limit, if any, outside of a statement.
    var limitError: DatabaseError? {
        guard case .limit(let kind, let limit) = exceeded() else { return nil }
        return database.exceeded(kind, limit: limit, sql: nil)
    }

    // MARK: The application's handler

    func setHandler(every interval: Int, _ body: (() throws -> Bool)?) {
        refusal = nil
        database.updateRestrictions()
        handler = body.map { Handler(interval: min(max(1, interval), Int(CInt.max)), depth: depth, body: $0) }
        install()
    }

    /// Runs a closure, during which an observer is called in addition to the application's handler.
    func withObserver<T>(
        every interval: Int, _ observer: @escaping () throws -> Bool, _ body: () throws -> T
    ) rethrows -> T {
        let outer = self.observer
        self.observer = Handler(interval: min(max(1, interval), Int(CInt.max)), depth: depth, body: observer)
        install()
        defer {
            self.observer = outer
            refusal = nil
            database.updateRestrictions()
            install()
        }
        return try body()
    }

    /// Removes all handlers, before the connection closes.
    ///
    /// - Parameter connection: The connection. `database` can't be used, because it may be in its deinitializer.
    func removeAll(from connection: SQLiteConnection) {
        handler = nil
        observer = nil
        sqlite3_progress_handler(connection, 0, nil, nil)
    }

    // MARK: SQLite's handler

    private func install() {
        reason = nil
        interval = wantedInterval
        allocations.set(deadline: stack.last?.deadline, maximumMemory: stack.last?.maximumMemory)
        guard let connection = database.sqliteConnection else { return }
        guard interval > 0 else { return sqlite3_progress_handler(connection, 0, nil, nil) }
        sqlite3_progress_handler(
            connection, CInt(interval),
            { Unmanaged<ProgressMonitor>.fromOpaque($0!).takeUnretainedValue().progress() ? 0 : 1 },
            Unmanaged.passUnretained(self).toOpaque())
    }

    /// The number of instructions between two calls of the progress handler: the smallest number that a limit, the
    /// application's handler or the observer needs. 0 if none of them exists. A deadline needs a call every 1000
    /// instructions, so that reading the clock takes less than a thousandth of the time.
    private var wantedInterval: Int {
        let budgets = stack.compactMap(\.limits.instructions).map { max(1, min($0 / 100, 1000)) }
        let clock = stack.last?.deadline == nil ? [] : [1000]
        return (budgets + clock + [handler?.interval, observer?.interval].compactMap(\.self)).min() ?? 0
    }

    /// Returns whether the statement continues.
    ///
    /// SQLite also calls the handler after the end of a statement, whose changes are final: it must not fail. The next statement
    /// does.
    private func progress() -> Bool {
        let isAfterStatement = amalgam_take_after_statement() != 0
        if let handler, handler.depth > depth { self.handler?.depth = depth }
        for index in stack.indices { stack[index].remainingInstructions? -= interval }
        handler?.instructionsSinceCall += interval
        observer?.instructionsSinceCall += interval
        if isAfterStatement {
            refusal = refusal ?? ask(\.handler) ?? ask(\.observer)
            database.updateRestrictions()
            return true
        }
        guard let reason = takeRefusal() ?? exceeded() ?? ask(\.handler) ?? ask(\.observer) else { return true }
        self.reason = reason
        if case .limit(.time, _) = reason { allocations.noteTimeStop() } else { allocations.endStatement() }
        return false
    }

    /// Returns the answer of a handler after the end of a statement, once. Statements that must not be interrupted run.
    func takeRefusal() -> Reason? {
        guard let refusal, depth == 0 else { return nil }
        self.refusal = nil
        database.updateRestrictions()
        return refusal
    }

    private func ask(_ slot: ReferenceWritableKeyPath<ProgressMonitor, Handler?>) -> Reason? {
        guard let current = self[keyPath: slot], current.instructionsSinceCall >= current.interval,
            current.depth >= depth
        else { return nil }
        self[keyPath: slot]?.instructionsSinceCall = 0
        do {
            return try database.duringCallback(current.body) ? nil : .handler
        } catch {
            return .failure(error)
        }
    }

    /// Returns whether the busy handler may wait for a lock.
    func mayWait() -> Bool {
        guard let reason = exceeded() else { return true }
        self.reason = reason
        return false
    }

    /// Whether this object has stopped the statement that has just failed. SQLite may report this with several codes.
    var hasStopped: Bool { reason != nil || allocations.haveStopped }

    /// Returns the reason why this object stopped the statement that has just failed, or nil if it didn't.
    func takeReason(_ code: CInt) -> Reason? {
        let code = ResultCode(rawValue: code).primaryResultCode
        if let reason = takeOwnReason(code) {
            if isNested || nestedReason != nil { nestedReason = isNested ? reason : nil }
            return reason
        }
        guard let reason = nestedReason else { return nil }
        if !isNested { nestedReason = nil }
        return code == .SQLITE_INTERRUPT || code == .SQLITE_NOMEM ? reason : nil
    }

    /// Whether SQLite is executing a statement, whose functions use the connection.
    private var isNested: Bool { database.sqliteConnection.map { amalgam_executing_statements($0) > 0 } ?? false }

    /// Called before a statement runs. The statements that may have failed because of an earlier one have ended.
    func forgetNestedReason() {
        if nestedReason != nil, !isNested { nestedReason = nil }
    }

    private func takeOwnReason(_ code: ResultCode) -> Reason? {
        defer { reason = nil }
        let stop = allocations.takeStop()
        switch code {
        case .SQLITE_INTERRUPT, .SQLITE_ABORT, .SQLITE_BUSY:
            if let reason { return reason }
            fallthrough
        case .SQLITE_NOMEM, .SQLITE_IOERR, .SQLITE_FULL:
            if let reason { return reason }
            return stop == .memory ? .limit(.memory, "\(stack.last?.memory ?? 0) bytes") : timeReason(stop)
        default: return timeReason(stop)
        }
    }

    /// If the time limit has stopped the statement, returns this limit. SQLite may report the failed allocation with any
    /// code.
    private func timeReason(_ stop: ExceededLimit?) -> Reason? {
        stop == .time ? .limit(.time, stack.last?.time.map { "\($0)" } ?? "") : nil
    }
}
