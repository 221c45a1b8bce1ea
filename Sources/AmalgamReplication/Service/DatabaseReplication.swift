#if Replication && (os(Linux) || os(macOS))
import AmalgamConcurrency
import AmalgamCore
import Foundation
import Synchronization

/// The replication of one database: counts its commits, asks the engine for uploads, and resumes the writes that wait
/// for them.
///
/// The content at the start has the number 1, and each commit the next one. One loop sends one request at a time, so a request serves all commits before it. The
/// mutex guards the state, and no continuation is resumed under it.
final class DatabaseReplication: TransactionObserver, Sendable {
    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Void, any Error>
        let timer: Task<Void, Never>
    }

    private struct State {
        /// The number of the last commit.
        var committed = 1
        /// The number of the last commit that is known to be in the replica.
        var replicated = 0
        /// The time since which a commit is pending. Nil if none is.
        var pendingSince: ContinuousClock.Instant?
        var waiters: [Int: Waiter] = [:]
        var waiterCount = 0
        var hasEnded = false
        var status: ReplicationStatus
    }

    let pool: DatabasePool
    let replica: Replica
    let local: LocalState
    let owner: OwnerRow
    private let state: Mutex<State>
    private let signals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let reports: StatusReports
    private let metrics: ReplicationMetrics

    init(_ database: ReplicatedDatabase, _ reports: StatusReports) throws {
        pool = database.pool
        replica = database.replica
        local = LocalState(pool)
        owner = OwnerRow(pool, local)
        state = Mutex(State(status: ReplicationStatus(path: pool.path)))
        self.reports = reports
        metrics = ReplicationMetrics(path: pool.path)
        try replica.check()
        try checkDatabase()
        try pool.writeWithoutTransaction { db in
            let attachment = db.attachment(ReplicationAttachment.key, orInsert: ReplicationAttachment())
            if let other = attachment.replication, !other.hasEnded {
                throw ReplicationError(.inUse, "Another service replicates \(pool.path).")
            }
            attachment.replication = self
            db.add(transactionObserver: self)
        }
    }

    private func checkDatabase() throws {
        if pool.configuration.walPolicy?.isReplicated != true || pool.configuration.readonly {
            throw ReplicationError(
                .unsuitableDatabase,
                "\(pool.path) can't be replicated: set `configuration.walPolicy = .replicated`, "
                    + "so that the engine checkpoints the WAL file.")
        }
        // SQLite knows. Reading the header by a second descriptor would release the locks of this process at its close.
        let isEncrypted = try pool.writeWithoutTransaction { db in
            try Int.fetchOne(db, sql: "PRAGMA cipher_status") == 1
        }
        if isEncrypted {
            throw ReplicationError(
                .unsuitableDatabase,
                "\(pool.path) can't be replicated: it is encrypted, and Litestream reads clear databases only.")
        }
    }

    // MARK: Commits

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseDidCommit(_ db: Database) {
        // The application didn't write it, and doesn't wait for its upload.
        if owner.endTransaction() { return }
        state.withLock { state in
            state.committed += 1
            if state.pendingSince == nil { state.pendingSince = .now }
        }
    }

    func databaseDidRollback(_ db: Database) { _ = owner.endTransaction() }

    /// The number of the last commit.
    var committed: Int { state.withLock { $0.committed } }

    /// The number of commits that aren't known to be in the replica, with the content at the start.
    var pendingCount: Int { state.withLock { $0.committed - $0.replicated } }

    /// Notes that the commits up to a number are in the replica.
    ///
    /// - Parameter start: the time of the request, at which the commits up to the number existed.
    func confirm(_ number: Int, since start: ContinuousClock.Instant) {
        let waiters = state.withLock { state in
            if number > state.replicated { state.status.lastUpload = Date() }
            state.replicated = max(number, state.replicated)
            state.pendingSince = state.replicated == state.committed ? nil : start
            state.status.lastError = nil
            let done = state.waiters.filter { $0.value.number <= state.replicated }
            done.keys.forEach { state.waiters[$0] = nil }
            return done.values
        }
        for waiter in waiters {
            waiter.timer.cancel()
            waiter.continuation.resume()
        }
        report()
    }

    // MARK: Durable writes

    /// Waits until a commit is in the replica.
    func waitForUpload(of number: Int, timeout: Duration) async throws {
        let identifier = state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.replicated >= number { return true }
                    // The lock is held: the shortest time ends after the waiter is in the dictionary.
                    let timer = Task {
                        if (try? await Task.sleep(for: timeout)) != nil { endWait(identifier, "within \(timeout)") }
                    }
                    state.waiters[identifier] = Waiter(number: number, continuation: continuation, timer: timer)
                    return false
                }
                if isDone { return continuation.resume() }
                signals.continuation.yield()
                if Task.isCancelled { endWait(identifier, "before the task was cancelled") }
                if hasEnded { endWait(identifier, Self.endReason) }
            }
        } onCancel: {
            endWait(identifier, "before the task was cancelled")
        }
    }

    private static let endReason = "before the end of the service"

    /// Whether the service has ended.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Notes the end of the service, after which no commit is uploaded.
    func end() {
        let identifiers = state.withLock { state in
            state.hasEnded = true
            return Array(state.waiters.keys)
        }
        for identifier in identifiers { endWait(identifier, Self.endReason) }
    }

    private func endWait(_ identifier: Int, _ reason: String) {
        let (waiter, error) = state.withLock { ($0.waiters.removeValue(forKey: identifier), $0.status.lastError) }
        waiter?.timer.cancel()
        waiter?.continuation.resume(
            throwing: ReplicationError(
                .notReplicated,
                "The transaction is committed in \(pool.path), and isn't known to be in the replica: "
                    + "no upload \(reason)." + (error.map { " The last error is: \($0)" } ?? "")))
    }

    // MARK: Uploads

    /// Asks the engine for uploads, until the task is cancelled.
    func upload(by socket: ControlSocket, every interval: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while (try? await Task.sleep(for: interval)) != nil { self.signals.continuation.yield() }
            }
            for await _ in signals.stream {
                if Task.isCancelled { break }
                report()
                guard isUploadDue else { continue }
                if !(await upload(by: socket, timeout: 120)) { try? await Task.sleep(for: .milliseconds(200)) }
            }
            group.cancelAll()
        }
    }

    private var isUploadDue: Bool {
        let isOwnerPending = owner.pending != nil
        return state.withLock { $0.status.isEngineRunning && ($0.committed > $0.replicated || isOwnerPending) }
    }

    /// Asks the engine for an upload of the commits up to now.
    ///
    /// - Returns: whether they are in the replica.
    func upload(by socket: ControlSocket, timeout: Int) async -> Bool {
        let (number, value, start) = (committed, owner.pending, ContinuousClock.now)
        let report = Task {
            try await Task.sleep(for: .seconds(5))
            note(error: "An upload takes longer than 5 seconds: the store of \(replica) is slow, or doesn't answer.")
        }
        defer { report.cancel() }
        do {
            let answer = try await socket.sync(local.database.path, timeout: timeout)
            // After an error, Litestream takes the last transaction of the replica for its own, even if it has uploaded
            // less. A larger number may be that of another owner, or that of an upload at the same time.
            guard answer.replicated == answer.txid else { return false }
            confirm(number, since: start)
            if let value { owner.confirm(value) }
            return true
        } catch {
            note(error: "\(error)")
            return false
        }
    }

    // MARK: Owner

    /// Replaces the row of the owner if there are commits since the last replacement, or if the service ends.
    func noteOwner(isLast: Bool = false) async { await owner.replace(after: committed, isLast: isLast) }

    // MARK: Status

    var status: ReplicationStatus {
        state.withLock { state in
            state.status.pendingTransactionCount = state.committed - max(1, state.replicated)
            state.status.delay = state.pendingSince.map { .now - $0 } ?? .zero
            return state.status
        }
    }

    private func report() {
        let status = status
        metrics.record(status)
        reports.yield(status)
    }

    func note(error: String) {
        state.withLock { $0.status.lastError = replica.redact(error) }
        report()
    }

    func noteEngine(isRunning: Bool) {
        state.withLock { $0.status.isEngineRunning = isRunning }
        if isRunning { signals.continuation.yield() }
        report()
    }

    func noteRestart() {
        state.withLock { $0.status.restartCount += 1 }
        report()
    }
}

/// The link from the writing connection of a pool to its replication.
final class ReplicationAttachment: DatabaseAttachment {
    static let key = AttachmentKey<ReplicationAttachment>()
    weak var replication: DatabaseReplication?
}

/// The streams of a service's reports.
final class StatusReports: Sendable {
    private let streams = Mutex<[Int: AsyncStream<ReplicationStatus>.Continuation]>([:])
    private let count = Atomic<Int>(0)

    func makeStream() -> AsyncStream<ReplicationStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ReplicationStatus.self, bufferingPolicy: .bufferingNewest(100))
        let number = count.add(1, ordering: .relaxed).newValue
        streams.withLock { $0[number] = continuation }
        continuation.onTermination = { [weak self] _ in _ = self?.streams.withLock { $0.removeValue(forKey: number) } }
        return stream
    }

    func yield(_ status: ReplicationStatus) {
        for stream in streams.withLock({ Array($0.values) }) { stream.yield(status) }
    }

    deinit { for stream in streams.withLock({ Array($0.values) }) { stream.finish() } }
}
#endif
