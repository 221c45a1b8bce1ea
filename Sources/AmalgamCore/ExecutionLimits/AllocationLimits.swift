import CAmalgam

/// The limits of time and memory that SQLite's allocator and some functions check: see `shims/limits.h`.
///
/// They hold on the thread that runs ``limiting(_:)``, because the allocator knows no connection. So an access to a
/// different connection uses no limits (`Database.claim()`), and statements that can't be interrupted run in
/// ``suspending(_:)``. If memory is exhausted, there is no C object, and only the progress handler checks the time.
final class AllocationLimits {
    private let limits: OpaquePointer?

    init(_ connection: SQLiteConnection?) {
        limits = connection.flatMap { amalgam_limits_create($0) }
    }

    deinit {
        amalgam_limits_free(limits)
    }

    /// Called after the connection was closed.
    func detach() {
        if let limits { amalgam_limits_detach(limits) }
    }

    // MARK: Limits

    /// Counts memory from zero again.
    func reset() {
        if let limits { amalgam_limits_reset_memory(limits) }
    }

    /// Returns the number of counted bytes that can't be exceeded.
    ///
    /// - Parameters:
    ///   - memory: The number of further bytes; nil for no limit.
    ///   - outer: The number that can't be exceeded so far.
    func maximum(_ memory: Int?, within outer: Int64?) -> Int64? {
        guard let memory else { return outer }
        let (sum, overflows) = max(0, self.memory).addingReportingOverflow(Int64(max(0, memory)))
        return overflows ? outer : min(sum, outer ?? sum)
    }

    /// The counted bytes.
    var memory: Int64 { limits.map { amalgam_limits_memory($0) } ?? 0 }

    func set(deadline: ContinuousClock.Instant?, maximumMemory: Int64?) {
        guard let limits else { return }
        let remaining = deadline.map { max(.zero, $0 - .now) }
        amalgam_limits_set(limits, remaining?.nanoseconds ?? .max, maximumMemory ?? .max)
    }

    // MARK: Threads

    /// Runs a closure, in which the limits hold on the current thread, also inside of ``suspending(_:)``.
    func limiting<T>(_ body: () throws -> T) rethrows -> T {
        let outer = amalgam_limits_use(limits)
        let suspensions = limits.map { amalgam_limits_set_suspensions($0, 0) }
        defer {
            if let limits, let suspensions { _ = amalgam_limits_set_suspensions(limits, suspensions) }
            amalgam_limits_use(outer)
        }
        return try body()
    }

    /// Runs a closure, in which no limits stop a statement on the current thread. Memory is still counted: the end of a
    /// transaction frees what its statements have allocated.
    static func suspending<T>(_ body: () throws -> T) rethrows -> T {
        let limits = amalgam_limits_suspend()
        defer { amalgam_limits_resume(limits) }
        return try body()
    }

    // MARK: Stops

    /// Whether only the statement that exceeds a limit is undone, and the transaction goes on.
    ///
    /// - Parameter callers: The number of statements in a step that must not fail. With such statements, the transaction is
    ///   rolled back.
    func preserveTransaction(_ isOn: Bool, callers: CInt) {
        if let limits { amalgam_limits_preserve(limits, isOn ? 1 : 0, callers) }
    }

    /// Called when the progress handler is about to stop a statement.
    func endStatement() {
        if let limits { amalgam_limits_end_statement(limits) }
    }

    /// Called when the progress handler stops a statement at its deadline. The statement needs time and memory to undo its
    /// changes.
    func noteTimeStop() {
        if let limits { amalgam_limits_note_stop(limits, CInt(AMALGAM_STOP_TIME)) }
    }

    /// Whether a limit has stopped a statement since the last call of ``takeStop()``.
    var haveStopped: Bool { limits.map { amalgam_limits_have_stopped($0) != 0 } ?? false }

    /// Returns the limit that has stopped a statement since the last call, if any.
    func takeStop() -> ExceededLimit? {
        guard let limits else { return nil }
        switch amalgam_limits_take_stop(limits) {
        case CInt(AMALGAM_STOP_TIME): return .time
        case CInt(AMALGAM_STOP_MEMORY): return .memory
        default: return nil
        }
    }
}

extension Duration {
    /// The number of nanoseconds, at most that of a century.
    fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
