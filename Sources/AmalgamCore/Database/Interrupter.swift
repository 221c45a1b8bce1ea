import CAmalgam
import Synchronization

/// Interrupts, cancels and suspends the statements of a connection, from any thread.
package final class Interrupter: Sendable {
    private struct State: @unchecked Sendable {
        // Sendable: `sqlite3_interrupt` may be called from any thread while the connection is open, and the mutex
        // around this state keeps it open during the call.
        var connection: SQLiteConnection?
        /// The number of nested runs that must not be interrupted.
        var uninterruptibleRunCount = 0

        func interrupt() {
            if let connection, uninterruptibleRunCount == 0 { sqlite3_interrupt(connection) }
        }
    }

    private let state: RankedMutex<State>
    private let cancelled = Atomic<Bool>(false)
    private let uninterruptible = Atomic<Bool>(false)
    private let suspension = SuspensionFlag()
    private let stops = Atomic<Int>(0)

    init(_ connection: SQLiteConnection) {
        state = RankedMutex(.interrupter, State(connection: connection))
        suspension.attach(connection)
    }

    /// Stops the statements under way, if any: <https://sqlite.org/c3ref/interrupt.html>.
    package func interrupt() {
        stops.add(1, ordering: .sequentiallyConsistent)
        state.withLock { $0.interrupt() }
    }

    /// The number of calls of ``interrupt()`` and ``suspend()`` so far.
    package var stopCount: Int { stops.load(ordering: .sequentiallyConsistent) }

    /// Stops the statements under way, and refuses further ones until the access has ended.
    package func cancel() {
        cancelled.store(true, ordering: .sequentiallyConsistent)
        interrupt()
    }

    /// Whether the access under way was cancelled, and what runs now may be stopped.
    package var isCancelled: Bool {
        cancelled.load(ordering: .relaxed) && !uninterruptible.load(ordering: .relaxed)
    }

    /// Whether the statements that run now must not be interrupted.
    var isUninterruptible: Bool { uninterruptible.load(ordering: .relaxed) }

    /// Runs a closure that neither a cancellation nor an interruption stops: the end of a transaction, which must not
    /// be left open, and what observers do then.
    func withoutInterruption<T>(_ body: () throws -> T) rethrows -> T {
        state.withLock { state in
            state.uninterruptibleRunCount += 1
            // An interruption that came before is forgotten, else it would stop the first statement.
            if let connection = state.connection { amalgam_clear_interrupt(connection) }
            uninterruptible.store(true, ordering: .relaxed)
        }
        defer {
            state.withLock { state in
                state.uninterruptibleRunCount -= 1
                uninterruptible.store(state.uninterruptibleRunCount > 0, ordering: .relaxed)
            }
        }
        return try body()
    }

    /// Ends a cancellation, at the end of an access.
    package func endCancellation() {
        cancelled.store(false, ordering: .sequentiallyConsistent)
    }

    /// Stops the statements under way, and has those refused that may lock files, until ``resume()``.
    ///
    /// A statement that begins at this very moment may have passed the check, and not be under way yet: it comes to its
    /// end, as if it had ended before.
    package func suspend() {
        stops.add(1, ordering: .sequentiallyConsistent)
        state.withLock { state in
            suspension.isOn = true
            state.interrupt()
        }
    }

    /// Ends a suspension. The mutex keeps the interruption of an earlier `suspend()` from what comes now.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    package func resume() -> Bool {
        state.withLock { _ in
            defer { suspension.isOn = false }
            return suspension.isOn
        }
    }

    /// Whether locks are refused: also to otherwise uninterruptible statements, which observers run at the end of a
    /// transaction.
    package var isSuspended: Bool { suspension.isOn }

    /// Closes the connection while no thread can interrupt it. The mutex is not held during the close, which may run a
    /// checkpoint.
    func close(_ connection: SQLiteConnection, _ body: (SQLiteConnection) -> CInt) -> CInt {
        state.withLock { $0.connection = nil }
        // SQLite's part of the connection may outlive this object.
        SuspensionFlag.detach(connection)
        let code = body(connection)
        if code != SQLITE_OK {
            suspension.attach(connection)
            state.withLock { $0.connection = connection }
        }
        return code
    }
}

/// Whether a connection is suspended, at a fixed place in memory: SQLite's own checkpoints, in the middle of a commit, look
/// there as well.
private final class SuspensionFlag: @unchecked Sendable {
    // Sendable: the pointer never changes, and what it points to is atomic.
    private let pointer: UnsafeMutablePointer<Atomic<Int32>>

    init() {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: Atomic(0))
    }

    deinit {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }

    /// Written under a mutex.
    var isOn: Bool {
        get { pointer.pointee.load(ordering: .relaxed) != 0 }
        set { pointer.pointee.store(newValue ? 1 : 0, ordering: .sequentiallyConsistent) }
    }

    /// Without memory for it, the connection runs its checkpoints as if it were never suspended.
    func attach(_ connection: SQLiteConnection) {
        _ = amalgam_set_suspension(connection, UnsafeRawPointer(pointer).assumingMemoryBound(to: Int32.self))
    }

    static func detach(_ connection: SQLiteConnection) { _ = amalgam_set_suspension(connection, nil) }
}
