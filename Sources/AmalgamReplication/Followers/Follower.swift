#if Replication && (os(Linux) || os(macOS))
import AmalgamConcurrency
public import AmalgamCore
import CAmalgam
import Foundation
public import Logging
public import ServiceLifecycle
import Synchronization

/// A read-only copy of a replicated database, which a Litestream process keeps current.
///
/// ```swift
/// let follower = Follower(Replica(url: "file:///Volumes/Backup/players"), folder: "/path/to/folder")
/// let group = ServiceGroup(services: [follower], logger: Logger(label: "app"))
/// Task { try await group.run() }
///
/// let names = try await follower.read { db in try String.fetchAll(db, sql: "SELECT name FROM player") }
/// ```
///
/// The copy isn't in WAL mode: Litestream writes its pages while it holds SQLite's exclusive lock, and no read sees a
/// part of a transaction. A running read holds these writes up, so that reads have a time limit. There are no
/// snapshots: a reader of an earlier snapshot would block the follower.
///
/// Litestream can't continue from a copy after a restart, or when the replica has lost the transactions that continue the
/// copy, such as after the machine has slept for longer than the `snapshotRetention` of the service. The follower restores
/// the database to a new file of its folder then, and reads use the previous file until the restore is complete. It logs
/// that the copy stands still.
///
/// Only the user of the process can read the files.
public final class Follower: Service, Sendable {
    /// The options of a follower. Intervals of more than a hundred years count as a hundred years.
    ///
    /// ```swift
    /// var options = Follower.Configuration()
    /// options.pollInterval = .milliseconds(500)
    /// ```
    public struct Configuration: Sendable {
        /// The time between two looks at the replica: one second by default. Each is a request to the store.
        public var pollInterval = Duration.seconds(1)

        /// The time between two checks that the copy follows the replica: 30 seconds by default. Each is a request to the
        /// store.
        public var checkInterval = Duration.seconds(30)

        /// The maximum time of a read: 5 seconds by default. If nil, a read may block the follower without limit.
        public var maximumReadTime: Duration? = .seconds(5)

        /// The configuration of the reading connections.
        public var database = AmalgamCore.Configuration()

        /// Creates the default options.
        public init() {}

        /// The options that the follower uses. Litestream and timers can't represent all durations.
        fileprivate var clamped: Configuration {
            var copy = self
            copy.pollInterval = pollInterval.clampedInterval
            copy.checkInterval = checkInterval.clampedInterval
            return copy
        }
    }

    /// A file of the follower, and the connections that read it.
    private struct Copy {
        let path: String
        let pool: DatabasePool
        /// The modification date of the file before Litestream changed it.
        let date: Date?
    }

    private struct State {
        var copy: Copy?
        var isSuspect = false
        var reads = ReadTimes()
        var changes: [Int: AsyncStream<Void>.Continuation] = [:]
        var changeCount = 0
        var fileCount = 0
    }

    private let replica: Replica
    private let folder: URL
    /// The path of the folder that was passed. A URL has the part before a NUL character only.
    private let folderPath: String
    private let options: Configuration
    private let logger: Logger
    private let state = Mutex(State())

    /// Creates a follower.
    ///
    /// - Parameters:
    ///   - replica: the replica to follow.
    ///   - folder: the path of a folder for the files of this follower. It is created if it doesn't exist.
    ///   - configuration: the options.
    ///   - logger: receives the messages of Litestream.
    public init(
        _ replica: Replica, folder: String, configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "Amalgam.follower")
    ) {
        self.replica = replica
        self.folder = URL(fileURLWithPath: folder).standardizedFileURL
        folderPath = folder
        options = configuration.clamped
        self.logger = logger
    }

    // MARK: Reading

    /// The path of the current file. Nil until the first restore is complete.
    public var path: String? { state.withLock { $0.copy?.path } }

    /// Runs a closure that reads the database.
    ///
    /// ```swift
    /// let count = try await follower.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }
    /// ```
    ///
    /// In the closure, `db.snapshotVersion()` and `DatabaseSnapshotPool(db)` throw `SQLITE_ERROR`.
    ///
    /// - Throws: the error thrown by the closure; ``ReplicationError`` with the code `notReady` until the first restore
    ///   is complete, and after Litestream was killed while it wrote to the file; `SQLITE_INTERRUPT` if the read takes
    ///   longer than `maximumReadTime`; `SQLITE_BUSY` if Litestream holds its lock for longer than the busy mode of
    ///   the configuration waits.
    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await currentPool().read { [self] db in
            let number = state.withLock { $0.reads.begin() }
            defer { state.withLock { $0.reads.end(number) } }
            try db.forgetPages()
            _ = db.attachment(SnapshotRefusal.key, orInsert: SnapshotRefusal(reason: Self.snapshotReason))
            guard let time = options.maximumReadTime else { return try value(db) }
            return try db.withLimits(ExecutionLimits(time: time)) { try value(db) }
        }
    }

    private static let snapshotReason =
        "A follower has no snapshots and no versions: Litestream writes to the copy of a follower, which isn't in WAL "
        + "mode. Restore the replica to another file, or read several values in one access."

    private func currentPool() throws -> DatabasePool {
        try state.withLock { state in
            if state.isSuspect {
                throw ReplicationError(
                    .notReady, "Litestream ended while it wrote to the copy. The database is being restored.")
            }
            guard let copy = state.copy else {
                throw ReplicationError(.notReady, "The follower hasn't restored the database yet.")
            }
            return copy.pool
        }
    }

    /// Returns a sequence of values: the current one, and one after each change of the copy.
    ///
    /// ```swift
    /// for try await count in follower.values({ db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }) {
    ///     print("\(count) players")
    /// }
    /// ```
    ///
    /// The closure runs again after each transaction of the replica, whatever the transaction changes.
    public func values<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) -> AsyncThrowingStream<T, any Error> {
        let changes = makeChanges()
        return AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    for await _ in changes { continuation.yield(try await self.read(value)) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Returns a stream that has an element if there is a copy, and one after each change.
    private func makeChanges() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.changeCount += 1
            state.changes[state.changeCount] = continuation
            if state.copy != nil { continuation.yield() }
            return state.changeCount
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.changes.removeValue(forKey: number) }
        }
        return stream
    }

    private func reportChange() {
        for stream in state.withLock({ Array($0.changes.values) }) { stream.yield() }
    }

    // MARK: Progress

    /// The number of the replica's transaction that the copy has. Nil until the first restore is complete.
    public var transaction: UInt64? { path.flatMap(Self.transaction(of:)) }

    private static func transaction(of path: String) -> UInt64? {
        (try? String(contentsOfFile: path + "-txid", encoding: .utf8)).flatMap {
            UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines), radix: 16)
        }
    }

    /// Returns the time since the upload of the first transaction that the copy doesn't have. Zero if the copy is
    /// current.
    ///
    /// ```swift
    /// let lag = try await follower.lag()
    /// ```
    ///
    /// - Throws: ``ReplicationError`` if the store can't be read, or doesn't answer within 30 seconds; if the first
    ///   copy isn't complete.
    /// - Complexity: One process is started, which lists the files of the replica.
    public func lag() async throws -> Duration {
        guard let transaction else {
            throw ReplicationError(.notReady, "The follower hasn't restored the database yet.")
        }
        let missing = try await replica.files().filter { $0.maximum > transaction }
        guard let oldest = missing.map(\.date).min() else { return .zero }
        return max(.zero, .seconds(Date().timeIntervalSince(oldest)))
    }

    // MARK: Life

    /// Follows the replica until the task is cancelled, or the graceful shutdown of a `ServiceGroup` begins.
    ///
    /// - Throws: ``ReplicationError`` if no suitable Litestream program is found, or if another follower uses the
    ///   folder.
    public func run() async throws {
        try replica.check()
        try ReplicationError.check(path: folderPath, "The folder of a follower")
        try await replica.engine.version()
        try FileManager.default.createPrivateDirectory(atPath: folder.path)
        guard let lock = try FileLock(path: folder.appendingPathComponent(FollowerFile.lockName).path) else {
            throw ReplicationError(.inUse, "Another follower uses \(folder.path).")
        }
        removeFiles(except: nil)
        let program = try replica.engine.locate()
        var pause = Duration.milliseconds(250)
        while !isEnding {
            let start = ContinuousClock.now
            do {
                try await follow(program)
            } catch {
                if !isEnding { logger.error("\(replica.redact("\(error)"))") }
            }
            if isEnding { break }
            if ContinuousClock.now - start > .seconds(60) { pause = .milliseconds(250) }
            try? await cancelWhenGracefulShutdown { [pause] in try await Task.sleep(for: pause) }
            pause = min(pause * 2, .seconds(30))
        }
        withExtendedLifetime(lock) {}
    }

    private var isEnding: Bool { Task.isCancelled || Task.isShuttingDownGracefully }

    /// Restores the database to a new file, and runs the process that keeps it current.
    private func follow(_ program: String) async throws {
        let path = newPath()
        let process = EngineProcess(
            program: program, arguments: arguments(path), environment: replica.environment,
            terminationTime: .seconds(5), isPrivate: true)
        let status = try await process.run { running in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.readLog(of: running, path) }
                group.addTask { try await self.watchProgress(of: path) }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
        checkFile(path)
        if !isEnding { throw ReplicationError(.engineFailed, "Litestream ended: \(status).") }
    }

    private func readLog(of process: EngineProcess.Running, _ path: String) async throws {
        try await withGracefulShutdownHandler {
            for try await line in process.log { try read(line, path) }
        } onGracefulShutdown: {
            Task { await process.end(.seconds(5)) }
        }
    }

    /// Compares the copy with the replica again and again. Litestream polls on without a word if the replica has lost the
    /// files that continue the copy. Throws an error, which kills the process, if the copy stands still: it was behind at
    /// the last check, and wasn't written since then. Litestream can't write during a read, and it downloads a file before it
    /// writes: a long read doesn't count, and a replica that has the next transaction has twenty times as long.
    private func watchProgress(of path: String) async throws {
        var (behind, date, count): (UInt64?, Date?, Int) = (nil, nil, 0)
        while true {
            try await Task.sleep(for: options.checkInterval)
            if state.withLock({ $0.reads.takeLongest() }) > options.checkInterval / 2 {
                (behind, date, count) = (nil, nil, 0)
                continue
            }
            // A store that is away isn't an error of the copy.
            guard let files = try? await replica.files(), let newest = files.map(\.maximum).max(),
                let own = Self.transaction(of: path)
            else { continue }
            let isUnchanged = own < newest && own == behind && Self.modificationDate(of: path) == date
            count = isUnchanged ? count + 1 : 0
            let isContinued = files.contains { $0.continues(own) }
            if count >= (isContinued ? 20 : 1) { throw standstill(own, newest, isContinued) }
            (behind, date) = (own < newest ? own : nil, Self.modificationDate(of: path))
        }
    }

    private func standstill(_ own: UInt64, _ newest: UInt64, _ isContinued: Bool) -> ReplicationError {
        let reason = isContinued ? "Litestream doesn't write it" : "it has lost what continues the copy"
        return ReplicationError(
            .engineFailed,
            "The copy stands still at the transaction \(own), but the replica \(replica) has \(newest): \(reason). "
                + "The database is restored again.")
    }

    private func arguments(_ path: String) -> [String] {
        ["restore", "-f", "-json", "-follow-interval", options.pollInterval.engineText, "-o", path, replica.url]
    }

    private func newPath() -> String {
        let number = state.withLock { state in
            state.fileCount += 1
            return state.fileCount
        }
        return folder.appendingPathComponent("\(FollowerFile.prefix)\(number).sqlite").path
    }

    private func removeFiles(except path: String?) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let kept = path.map { URL(fileURLWithPath: $0).lastPathComponent }
        for name in names where name.hasPrefix(FollowerFile.prefix) && !(kept.map(name.hasPrefix) ?? false) {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }

    /// Reacts to a line of the log.
    private func read(_ line: String, _ path: String) throws {
        if line.contains("msg=\"entering follow mode\"") { return try open(path) }
        if line.contains("msg=\"follow: applied updates\"") { return reportChange() }
        let text = replica.redact(line)
        let isError = line.contains("level=ERROR") || line.contains("level=WARN") || line.hasPrefix("Error: ")
        if isError { logger.error("\(text)") } else { logger.debug("\(text)") }
    }

    /// Opens a file that is restored and followed, and closes the previous one when its last read has ended.
    private func open(_ path: String) throws {
        // An open connection to a file in WAL mode holds a lock, which would block Litestream.
        var writing = AmalgamCore.Configuration()
        writing.busyMode = .timeout(10)
        try DatabaseQueue(path: path, configuration: writing).writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = DELETE")
        }
        let date = Self.modificationDate(of: path)
        var configuration = options.database
        configuration.readonly = true
        if case .immediateError = configuration.busyMode { configuration.busyMode = .timeout(10) }
        let copy = Copy(path: path, pool: try DatabasePool(path: path, configuration: configuration), date: date)
        let previous = state.withLock { state in
            state.isSuspect = false
            return (state.copy, state.copy = copy).0
        }
        withExtendedLifetime(previous) { removeFiles(except: path) }
        reportChange()
    }

    /// Looks, after the end of the process, whether it was writing to the file. After each write, it writes the
    /// number of the transaction to another file.
    private func checkFile(_ path: String) {
        let (file, number) = (Self.modificationDate(of: path), Self.modificationDate(of: path + "-txid"))
        guard let file, let number, file > number else { return }
        state.withLock { state in
            if let copy = state.copy, copy.path == path, copy.date != file { state.isSuspect = true }
        }
    }

    private static func modificationDate(of path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
}

extension ReplicaFile {
    /// Whether Litestream can apply the file to a copy of an earlier state. Snapshots, which are at level 9, replace a copy.
    fileprivate func continues(_ transaction: UInt64) -> Bool {
        level < 9 && minimum <= transaction + 1 && maximum > transaction
    }
}

extension Database {
    /// Empties the cache. SQLite wouldn't notice all writes of Litestream, which doesn't always write the first page.
    fileprivate func forgetPages() throws {
        var unused: CInt = 0
        try control("main", SQLITE_FCNTL_RESET_CACHE, &unused)
    }
}
#endif
