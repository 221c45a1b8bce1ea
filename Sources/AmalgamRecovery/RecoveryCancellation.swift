import AmalgamCore
import Synchronization

/// Ends a recovery from any thread. The mutex guards the connections that a cancellation interrupts.
final class RecoveryCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var interrupters: [Interrupter] = []
    }

    private let state = Mutex(State())

    func cancel() {
        let interrupters = state.withLock { state in
            state.isCancelled = true
            return state.interrupters
        }
        for interrupter in interrupters { interrupter.interrupt() }
    }

    /// Interrupts the statements of a connection, too, until it is closed.
    func attach(_ db: Database) {
        state.withLock { $0.interrupters.append(db.access.interrupter) }
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } || Task.isCancelled }

    func check() throws {
        if isCancelled { throw CancellationError() }
    }
}
