import CAmalgam
import Synchronization

/// What other threads may do to a connection that is in use: stop it.
package final class RemoteControl: Sendable {
    private struct State: @unchecked Sendable {
        // Sendable: `sqlite3_interrupt` may be called from any thread while the connection is open, and the mutex
        // around this state keeps it open during the call.
        var connection: SQLiteConnection?
    }

    private let state: Mutex<State>
    private let cancelled = Atomic<Bool>(false)

    init(_ connection: SQLiteConnection) {
        state = Mutex(State(connection: connection))
    }

    /// Stops the statements under way, if any: <https://sqlite.org/c3ref/interrupt.html>.
    package func interrupt() {
        state.withLock { if let connection = $0.connection { sqlite3_interrupt(connection) } }
    }

    /// Stops the statements under way, and refuses further ones until the access has ended.
    package func cancel() {
        cancelled.store(true, ordering: .sequentiallyConsistent)
        interrupt()
    }

    /// Whether the access under way was cancelled.
    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Runs a closure that a cancellation must not stop, if `isSpared` says so.
    func sparing<T>(_ isSpared: Bool, _ body: () throws -> T) rethrows -> T {
        guard isSpared, cancelled.exchange(false, ordering: .sequentiallyConsistent) else { return try body() }
        defer { cancelled.store(true, ordering: .sequentiallyConsistent) }
        return try body()
    }

    /// Ends a cancellation, at the end of an access.
    package func endCancellation() {
        cancelled.store(false, ordering: .sequentiallyConsistent)
    }

    /// Closes the connection while nobody can interrupt it.
    func close(_ body: () -> CInt) -> CInt {
        state.withLock { state in
            let code = body()
            if code == SQLITE_OK { state.connection = nil }
            return code
        }
    }
}
