import AmalgamCore
import Dispatch
import Foundation
import Synchronization

/// Checks for commits of other connections when the system reports writes to the files, and notifies all consumers (the
/// iterators of ``ExternalChanges``).
///
/// The writing connection runs the checks on its queue, because its own commits don't change its `PRAGMA data_version`.
/// A check is repeated while another connection is writing: a commit becomes visible after the last write to a file, by
/// a change of shared memory or of a lock, which the system doesn't report. The consumers retain the watch. The
/// connection references the watch weakly, and ends the watch when the connection is closed.
final class ExternalChangeWatch: Sendable {
    private typealias Continuation = CheckedContinuation<ExternalChange?, any Error>

    private struct State {
        var change: ExternalChange
        /// The consumers that wait for a change of the data version. Changes aren't buffered: a consumer receives
        /// several fast changes as one.
        var waiters: [Int: Continuation] = [:]
        var lastWaiter = 0
        /// The result with which the watch has ended; nil while it is active.
        var end: Result<Void, any Error>?
    }

    private let state: Mutex<State>
    /// Runs a closure in an access, on the queue of the connection. Does nothing after the connection is released.
    private let access: @Sendable ((Database) -> Void) -> Void
    private let files: FileWatcher
    private let timer: RepeatTimer

    /// Starts to watch the files of a connection. Must be called in a database access.
    ///
    /// - Parameters:
    ///   - queue: the queue of the connection.
    ///   - access: runs a closure in a database access of the connection. Called on `queue`.
    init(
        _ db: Database, queue: DispatchQueue, access: @escaping @Sendable ((Database) -> Void) -> Void
    ) throws {
        guard let path = db.filePath() else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "External changes need a database file: no other process can write this database.")
        }
        self.access = access
        files = try FileWatcher(path: path, queue: queue)
        timer = RepeatTimer(queue: queue)
        state = Mutex(State(change: ExternalChange(dataVersion: 0, date: Date())))
        // The file watcher is activated before the first check. So each write is either found by the check, or reported
        // by the watcher.
        timer.activate { [weak self] in self?.check() }
        files.activate { [weak self] result in self?.filesDidChange(result) }
        try check(db)
    }

    /// The data version at the last check.
    var dataVersion: Int { state.withLock { $0.change.dataVersion } }

    var hasEnded: Bool { state.withLock { $0.end != nil } }

    // MARK: Checking

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

    /// Checks for commits made during the suspension. Must be called in a database access.
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

    /// Checks for commits. Must be called in a database access.
    func check(_ db: Database) throws {
        let commits = try db.checkForExternalCommits()
        note(Int(commits.dataVersion))
        // The check is repeated until no commit is in progress, without a time limit, because a process may be stopped
        // for any length of time while it writes. If a suspended connection can't read, its check is deferred, and runs
        // when the connection is resumed.
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

    /// Ends the iterations of all consumers.
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

    /// Waits until the data version differs from the given one.
    ///
    /// - Returns: the change. Nil if the task is cancelled, or if the connection was closed or released.
    /// - Throws: the error that ended the watch.
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
            // A cancellation after this check finds the waiter in the dictionary.
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
