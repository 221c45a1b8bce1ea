import AmalgamCore
import Dispatch
import Foundation
import Synchronization

/// Checks for commits of other connections whenever the system reports writes to the files, for all waiting consumers.
///
/// The connection that writes is the one that checks: its data version stays when it commits by itself. For another
/// connection the commits of its own pool would be indistinguishable from those of other connections: several commits
/// may be one step of the version. So a check is an access, queued like the others, on the queue of the connection, where
/// the system's events arrive as well.
///
/// The event comes before the commit: who commits writes the frames of the WAL file first, and then what makes
/// them a commit, in shared memory, of which the system tells nothing. With a rollback journal, the locks are released
/// last. So a check also finds out whether another connection is in the middle of writing
/// (`Database.checkForExternalCommits`). If so, it is repeated until that is over; otherwise all that was written before the
/// check is known to be seen. This is what makes sure that the last commit before a long silence is not missed. Repeating the
/// check for some fixed time would not: a process may be stopped at any point.
///
/// A consumer waits for a version other than the one it knows. So there is nothing to buffer, and changes that come faster
/// than they are consumed become one.
///
/// The consumers own the watch; the connection knows it weakly, and ends it.
final class ExternalChangeWatch: Sendable {
    private typealias Continuation = CheckedContinuation<ExternalChange?, any Error>

    private struct State {
        var change: ExternalChange
        var waiters: [Int: Continuation] = [:]
        var lastWaiter = 0
        /// How the watch has ended, if it has.
        var end: Result<Void, any Error>?
    }

    private let state: Mutex<State>
    /// Runs a closure in an access, on the queue of the connection; not once the connection is released.
    private let access: @Sendable ((Database) -> Void) -> Void
    private let files: FileWatcher
    private let timer: RepeatTimer

    /// Starts to watch the files of a connection, from an access.
    ///
    /// - Parameters:
    ///   - queue: the queue of the connection.
    ///   - access: runs a closure in an access of the connection, when it is called on the queue.
    init(
        _ db: Database, queue: DispatchQueue, access: @escaping @Sendable ((Database) -> Void) -> Void
    ) throws {
        guard let path = db.filePath() else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "External changes need a database file: nobody else can write this database.")
        }
        self.access = access
        files = try FileWatcher(path: path, queue: queue)
        timer = RepeatTimer(queue: queue)
        state = Mutex(State(change: ExternalChange(dataVersion: 0, date: Date())))
        // The files are watched before the first check: what is written from now on is either seen by it, or reported by the
        // watcher.
        timer.activate { [weak self] in self?.check() }
        files.activate { [weak self] result in self?.filesDidChange(result) }
        try check(db)
    }

    /// The version that the last check has seen.
    var dataVersion: Int { state.withLock { $0.change.dataVersion } }

    var hasEnded: Bool { state.withLock { $0.end != nil } }

    // MARK: Looking

    private func filesDidChange(_ result: Result<Void, any Error>) {
        switch result {
        case .success:
            timer.reset()
            check()
        case .failure(let error):
            end(throwing: error)
        }
    }

    /// Runs on the queue of the connection.
    private func check() {
        if !hasEnded { access { checkOrEnd($0) } }
    }

    /// Looks for what was written while the connection was suspended, from an access.
    func connectionDidResume(_ db: Database) {
        if !hasEnded { checkOrEnd(db) }
    }

    private func checkOrEnd(_ db: Database) {
        do {
            try check(db)
        } catch {
            end(throwing: error)
        }
    }

    /// Checks for commits, from an access.
    func check(_ db: Database) throws {
        let commits = try db.checkForExternalCommits()
        note(Int(commits.dataVersion))
        // A deferred check runs when the connection is resumed.
        if commits.isFinal || commits.isDeferred { timer.reset() } else { timer.schedule() }
    }

    private func note(_ dataVersion: Int) {
        let (change, waiters) = state.withLock { state in
            if state.change.dataVersion != dataVersion {
                state.change = ExternalChange(dataVersion: dataVersion, date: Date())
                defer { state.waiters = [:] }
                return (state.change, state.waiters)
            }
            return (state.change, [:])
        }
        for waiter in waiters.values { waiter.resume(returning: change) }
    }

    // MARK: Ending

    /// Ends all loops.
    func end() { end(.success(())) }

    private func end(throwing error: any Error) { end(.failure(error)) }

    private func end(_ result: Result<Void, any Error>) {
        let waiters = state.withLock { state in
            state.end = state.end ?? result
            defer { state.waiters = [:] }
            return state.waiters
        }
        timer.cancel()
        files.cancel()
        for waiter in waiters.values { waiter.resume(with: result.map { nil }) }
    }

    deinit {
        timer.cancel()
        files.cancel()
    }

    // MARK: Waiting

    /// Waits for a version other than this one.
    ///
    /// - Returns: nil when the task is cancelled, or the watch has ended.
    func change(after dataVersion: Int, isolation: isolated (any Actor)?) async throws -> ExternalChange? {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler(
            operation: {
                try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
                    addWaiter(number, continuation, after: dataVersion)
                }
            }, onCancel: { removeWaiter(number) }, isolation: isolation)
    }

    private func addWaiter(_ number: Int, _ continuation: Continuation, after dataVersion: Int) {
        let answer: Result<ExternalChange?, any Error>? = state.withLock { state in
            // A cancellation that comes after this finds the waiter in the list.
            if Task.isCancelled { return .success(nil) }
            if state.change.dataVersion != dataVersion { return .success(state.change) }
            if let end = state.end { return end.map { nil } }
            state.waiters[number] = continuation
            return nil
        }
        if let answer { continuation.resume(with: answer) }
    }

    private func removeWaiter(_ number: Int) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: nil)
    }
}
