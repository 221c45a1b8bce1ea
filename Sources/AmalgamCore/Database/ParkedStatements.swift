import CAmalgam
import Synchronization

/// Statements that were released, or stopped, on a thread that does not have access to their connection.
///
/// SQLite's part of them belongs to the connection, which another thread may be using. So they wait for the next
/// access, or for the end of the connection.
final class ParkedStatements: Sendable {
    private enum Work {
        case finalize(SQLiteStatement)
        case reset(SQLiteStatement)
    }

    private struct State: @unchecked Sendable {
        // Sendable: the statements are only touched by `perform`, while the mutex is held.
        var works: [Work] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let hasWork = Atomic<Bool>(false)

    func finalize(_ statement: SQLiteStatement) { park(.finalize(statement)) }

    func reset(_ statement: SQLiteStatement) { park(.reset(statement)) }

    private func park(_ work: Work) {
        state.withLock { state in
            // Nobody uses a connection that is closed: SQLite keeps what its last statements need.
            if state.isClosed { return Self.perform(work) }
            state.works.append(work)
            hasWork.store(true, ordering: .releasing)
        }
    }

    /// Does what waits. Called by a thread that has access to the connection.
    func drain() {
        if hasWork.load(ordering: .acquiring) { drainSlowly() }
    }

    private func drainSlowly() {
        state.withLock { state in
            state.works.forEach(Self.perform)
            state.works = []
            hasWork.store(false, ordering: .relaxed)
        }
    }

    /// The connection is closed, or is about to be.
    func close() {
        state.withLock { $0.isClosed = true }
        drain()
    }

    private static func perform(_ work: Work) {
        switch work {
        case .finalize(let statement): sqlite3_finalize(statement)
        case .reset(let statement): sqlite3_reset(statement)
        }
    }
}
