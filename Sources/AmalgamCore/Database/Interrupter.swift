import CAmalgam
import Synchronization

/// Interrupts, cancels and suspends the statements of a connection, from any thread.
///
/// The mutex guards the pointer to the connection, so that the connection stays open while a thread interrupts it. The
/// flags are atomic, so that each statement can read them without locking the mutex.
package final class Interrupter: Sendable {
    private struct State: @unchecked Sendable {
        // Sendable: `sqlite3_interrupt` may be called from any thread while the connection is open. The connection
        // can't be closed during the call, because the mutex around this state is locked.
        var connection: SQLiteConnection?
        /// The number of nested calls of ``withoutInterruption(_:)``.
        var uninterruptibleRunCount = 0
        var followers: [Follower] = []

        func interrupt() {
            if let connection, uninterruptibleRunCount == 0 { sqlite3_interrupt(connection) }
        }
    }

    /// Another connection that works for this one.
    private struct Follower {
        let interrupter: Interrupter
        /// Whether the connection works for an access of this connection, and not concurrently with its accesses.
        let isOfAccess: Bool
    }

    private let state: RankedMutex<State>
    private let cancelled = Atomic<Bool>(false)
    private let uninterruptibleRuns = Atomic<Int>(0)
    private let suspension = SuspensionFlag()
    private let stops = Atomic<Int>(0)

    init(_ connection: SQLiteConnection) {
        state = RankedMutex(.interrupter, State(connection: connection))
        suspension.attach(connection)
    }

    /// Stops the running statements, if any: <https://sqlite.org/c3ref/interrupt.html>.
    package func interrupt() {
        stops.add(1, ordering: .sequentiallyConsistent)
        let followers = state.withLock { state in
            state.interrupt()
            return state.followers
        }
        for follower in followers where follower.isOfAccess { follower.interrupter.interrupt() }
    }

    /// The number of calls of ``interrupt()`` and ``suspend()`` so far.
    package var stopCount: Int { stops.load(ordering: .sequentiallyConsistent) }

    /// Stops the running statements, and rejects further ones until the end of the database access.
    package func cancel() {
        cancelled.store(true, ordering: .sequentiallyConsistent)
        for follower in state.withLock({ $0.followers }) where follower.isOfAccess { follower.interrupter.cancel() }
        interrupt()
    }

    /// Whether the current access was cancelled, and may be stopped now.
    package var isCancelled: Bool {
        cancelled.load(ordering: .relaxed) && uninterruptibleRuns.load(ordering: .relaxed) == 0
    }

    /// The number of nested calls of ``withoutInterruption(_:)``.
    var uninterruptibleDepth: Int { uninterruptibleRuns.load(ordering: .relaxed) }

    /// Runs a closure whose statements can't be cancelled or interrupted: for example, statements that end a
    /// transaction, and statements that observers run when they are notified of this end. ``ProgressMonitor`` ignores
    /// the limits that hold around the closure, and respects those that begin in it.
    func withoutInterruption<T>(_ body: () throws -> T) rethrows -> T {
        state.withLock { state in
            state.uninterruptibleRunCount += 1
            // Clears an earlier interruption, which would stop the first statement.
            if let connection = state.connection { amalgam_clear_interrupt(connection) }
            uninterruptibleRuns.store(state.uninterruptibleRunCount, ordering: .relaxed)
        }
        defer {
            state.withLock { state in
                state.uninterruptibleRunCount -= 1
                uninterruptibleRuns.store(state.uninterruptibleRunCount, ordering: .relaxed)
            }
        }
        return try AllocationLimits.suspending(body)
    }

    /// Ends a cancellation, at the end of a database access.
    package func endCancellation() {
        cancelled.store(false, ordering: .sequentiallyConsistent)
    }

    /// Stops the running statements, and rejects further statements that may lock files, until ``resume()``.
    ///
    /// A statement that has passed the check for suspension, but hasn't begun to run, runs to its end.
    package func suspend() {
        stops.add(1, ordering: .sequentiallyConsistent)
        let followers = state.withLock { state in
            suspension.isOn = true
            state.interrupt()
            return state.followers
        }
        for follower in followers { follower.interrupter.suspend() }
    }

    /// Ends a suspension.
    ///
    /// `suspend()` interrupts statements while it holds the mutex, and this method locks the same mutex. So when this
    /// method returns, an earlier `suspend()` has finished interrupting, and can't stop a statement that begins later.
    ///
    /// - Returns: Whether the connection was suspended.
    @discardableResult
    package func resume() -> Bool {
        state.withLock { _ in
            defer { suspension.isOn = false }
            return suspension.isOn
        }
    }

    /// Whether the connection is suspended. A suspended connection refuses to lock files even for statements that can't
    /// be interrupted, such as those of observers at the end of a transaction.
    package var isSuspended: Bool { suspension.isOn }

    /// Runs a closure that uses another connection, whose statements are stopped with those of this connection: by a
    /// suspension, and by an interruption or cancellation if the closure is part of an access of this connection.
    ///
    /// The other connection stays suspended when this one is resumed.
    package func followed<T>(by other: Interrupter, isOfAccess: Bool, _ body: () throws -> T) rethrows -> T {
        let isStopped = state.withLock { state in
            state.followers.append(Follower(interrupter: other, isOfAccess: isOfAccess))
            return (suspension.isOn, isOfAccess && cancelled.load(ordering: .sequentiallyConsistent))
        }
        defer { state.withLock { $0.followers.removeAll { $0.interrupter === other } } }
        if isStopped.0 { other.suspend() }
        if isStopped.1 { other.cancel() }
        return try body()
    }

    /// Stops the statements of the connections that work concurrently with the accesses of this connection.
    package func interruptConcurrentFollowers() {
        let followers = state.withLock { $0.followers }
        for follower in followers where !follower.isOfAccess { follower.interrupter.interrupt() }
    }

    /// Closes the connection, after ensuring that no thread can interrupt it any more. The mutex isn't held during the
    /// close, which may run a checkpoint.
    func close(_ connection: SQLiteConnection, _ body: (SQLiteConnection) -> CInt) -> CInt {
        state.withLock { $0.connection = nil }
        // SQLite's connection object, which has a pointer to the flag, may outlive this Swift object.
        SuspensionFlag.detach(connection)
        let code = body(connection)
        if code != SQLITE_OK {
            suspension.attach(connection)
            state.withLock { $0.connection = connection }
        }
        return code
    }
}

/// Whether a connection is suspended. The flag has a fixed address, because C code also reads it before an automatic
/// checkpoint, in the middle of a commit.
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

    /// Whether the connection is suspended. Written only while the mutex of ``Interrupter`` is held.
    var isOn: Bool {
        get { pointer.pointee.load(ordering: .relaxed) != 0 }
        set { pointer.pointee.store(newValue ? 1 : 0, ordering: .sequentiallyConsistent) }
    }

    /// Gives SQLite the address of the flag. If this fails because memory is exhausted, SQLite runs its automatic
    /// checkpoints even during a suspension.
    func attach(_ connection: SQLiteConnection) {
        _ = amalgam_set_suspension(connection, UnsafeRawPointer(pointer).assumingMemoryBound(to: Int32.self))
    }

    static func detach(_ connection: SQLiteConnection) { _ = amalgam_set_suspension(connection, nil) }
}
