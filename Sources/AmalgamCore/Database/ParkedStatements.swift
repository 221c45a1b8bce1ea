import CAmalgam
import Synchronization

/// Statements, blobs and sessions that were released, or stopped, on a thread that does not have access to their connection.
///
/// SQLite's part of them belongs to the connection, which another thread may be using. So they wait for the next
/// access. Once the connection is closed there is no further access: whoever parks a statement then does the work,
/// one thread at a time, because SQLite still keeps what its last statements need.
final class ParkedStatements: Sendable {
    private enum Work {
        case finalize(SQLiteStatement)
        /// Ends one run. The statement is retained, so that it cannot be finalized before.
        case reset(Statement, run: UInt64)
        /// A blob handle, which holds a statement.
        case close(OpaquePointer)
        /// An object that must go before its connection.
        case destroy(ConnectionResource)
    }

    private struct State: @unchecked Sendable {
        // Sendable: the statements are only touched by the thread that drains.
        var works: [Work] = []
        var isClosed = false
        var isDraining = false
    }

    private let state = Mutex(State())
    private let hasWork = Atomic<Bool>(false)

    func finalize(_ statement: SQLiteStatement) { park(.finalize(statement)) }

    func reset(_ statement: Statement, run: UInt64) { park(.reset(statement, run: run)) }

    func close(_ blob: OpaquePointer) { park(.close(blob)) }

    func destroy(_ resource: ConnectionResource) { park(.destroy(resource)) }

    private func park(_ work: Work) {
        let parked = Parked(work)
        let mustDrain = state.withLock { state in
            state.works.append(parked.work)
            hasWork.store(true, ordering: .releasing)
            return state.isClosed
        }
        if mustDrain { drain() }
    }

    /// Carries a work into the mutex.
    private struct Parked: @unchecked Sendable {
        // Sendable: the work is handed over, and not used any more.
        let work: Work

        init(_ work: Work) { self.work = work }
    }

    /// Does what waits. Called by a thread that has access to the connection, or once nobody can have it any more.
    ///
    /// - Returns: whether there was something.
    @discardableResult
    func drain() -> Bool {
        guard hasWork.load(ordering: .acquiring) else { return false }
        drainSlowly()
        return true
    }

    /// The work is done outside of the mutex: it may release other statements.
    private func drainSlowly() {
        while let works = takeWorks() {
            works.forEach(Self.perform)
            state.withLock { $0.isDraining = false }
        }
    }

    private func takeWorks() -> [Work]? {
        let taken = state.withLock { state -> TakenWorks? in
            if state.isDraining || state.works.isEmpty { return nil }
            state.isDraining = true
            hasWork.store(false, ordering: .relaxed)
            defer { state.works = [] }
            return TakenWorks(works: state.works)
        }
        return taken?.works
    }

    private struct TakenWorks: @unchecked Sendable {
        // Sendable: whoever takes the works is the only one to use them.
        let works: [Work]
    }

    /// The connection is closed.
    func close() {
        state.withLock { $0.isClosed = true }
        drain()
    }

    private static func perform(_ work: Work) {
        switch work {
        case .finalize(let statement): sqlite3_finalize(statement)
        case .reset(let statement, let run): statement.reset(run: run)
        case .close(let blob): sqlite3_blob_close(blob)
        case .destroy(let resource): resource.destroy()
        }
    }
}
