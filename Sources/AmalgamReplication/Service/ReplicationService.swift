#if Replication && (os(Linux) || os(macOS))
public import AmalgamConcurrency
import Foundation
public import Logging
public import ServiceLifecycle
import Synchronization

/// A database and its replica.
///
/// ```swift
/// let database = ReplicatedDatabase(dbPool, to: Replica(url: "file:///Volumes/Backup/players"))
/// ```
public struct ReplicatedDatabase: Sendable {
    /// The pool that writes the database. Its WAL policy is ``WALPolicy/replicated``.
    public var pool: DatabasePool

    /// The replica of the database.
    public var replica: Replica

    /// Creates a value.
    public init(_ pool: DatabasePool, to replica: Replica) {
        self.pool = pool
        self.replica = replica
    }
}

/// A service that keeps replicas of databases up to date, by a Litestream process.
///
/// ```swift
/// var config = Configuration()
/// config.walPolicy = .replicated
/// let dbPool = try DatabasePool(path: "/path/to/db.sqlite", configuration: config)
/// let service = try ReplicationService(dbPool, to: Replica(url: "file:///Volumes/Backup/players"))
///
/// let group = ServiceGroup(services: [service], logger: Logger(label: "app"))
/// try await group.run()
/// ```
///
/// The service starts Litestream as a child process, and starts it again, after a pause, when it ends. A process that is
/// killed leaves no Litestream process: the child notices, uploads the last transactions, and ends.
///
/// The service must be the last one that stops, and so the first one in a `ServiceGroup`: after the graceful shutdown
/// has begun, it uploads the last transactions.
///
/// If the store doesn't answer at the start, the property ``ReplicationStatus/lastError`` says so, and the replication
/// begins when the store answers. Writes go on.
///
/// A replica has one owner. At its start, and every 30 seconds, the service compares the replica with Litestream's local
/// files. If the replica is ahead, or has other transactions, the service kills Litestream, and ends with an error. It
/// can't prevent the uploads of a second process until then: this is the task of the deployment.
///
/// At its start, the service also refuses a database that was replaced, erased, or overwritten by a backup while no
/// service ran, and one that has lost transactions of the replica in a crash of the machine. If this database shall win,
/// call ``Replica/takeOver(by:)``. While a service runs, the application may erase or overwrite the database. If the
/// process is killed before the next check of owners, 30 seconds later at most, the next service refuses the database.
///
/// Litestream adds two small tables to the database, `_litestream_seq` and `_litestream_lock`. The service adds
/// `_amalgam_replication`, and writes its row when it starts, at a check that follows commits, and when it ends. The row
/// shows who owns the replica. Its transactions aren't counted in ``ReplicationStatus``.
public final class ReplicationService: Service, Sendable {
    /// The options of a service. Durations of more than a hundred years count as a hundred years.
    ///
    /// ```swift
    /// var configuration = ReplicationService.Configuration()
    /// configuration.uploadInterval = .milliseconds(500)
    /// ```
    public struct Configuration: Hashable, Sendable {
        /// The time between two uploads, if there are transactions: one second by default. A crash of the machine
        /// loses at most the transactions of this time and of one upload.
        public var uploadInterval = Duration.seconds(1)

        /// The time between two snapshots of the whole database in the replica: a day by default.
        public var snapshotInterval = Duration.seconds(86_400)

        /// The time for which the replica can restore earlier states: a day by default.
        public var snapshotRetention = Duration.seconds(86_400)

        /// The maximum time for which the last transactions are uploaded at a shutdown: 30 seconds by default.
        public var shutdownTimeout = Duration.seconds(30)

        /// The time between two checks that no other owner uploads to a replica: 30 seconds by default. Each is a
        /// request to the store.
        public var ownerCheckInterval = Duration.seconds(30)

        /// Creates the default options.
        public init() {}

        /// The options that the service uses. Litestream and timers can't represent all durations.
        var clamped: Configuration {
            var copy = self
            copy.uploadInterval = uploadInterval.clampedInterval
            copy.snapshotInterval = snapshotInterval.clampedInterval
            copy.snapshotRetention = snapshotRetention.clamped
            copy.shutdownTimeout = shutdownTimeout.clamped
            copy.ownerCheckInterval = ownerCheckInterval.clampedInterval
            return copy
        }
    }

    let databases: [DatabaseReplication]
    private let reports = StatusReports()
    let configuration: Configuration
    private let logger: Logger
    private let hasStarted = Atomic<Bool>(false)
    private let currentSocket = Mutex<ControlSocket?>(nil)

    /// The control socket of the engine. Nil if the service doesn't run.
    var socket: ControlSocket? { currentSocket.withLock { $0 } }

    /// Creates a service for one database.
    ///
    /// - Throws: ``ReplicationError`` if the database can't be replicated: see ``init(_:configuration:logger:)``.
    public convenience init(
        _ pool: DatabasePool, to replica: Replica, configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "Amalgam.replication")
    ) throws {
        try self.init([ReplicatedDatabase(pool, to: replica)], configuration: configuration, logger: logger)
    }

    /// Creates a service for databases whose replicas are in one store. One Litestream process replicates all of them.
    ///
    /// ```swift
    /// let service = try ReplicationService([
    ///     ReplicatedDatabase(playerPool, to: Replica(url: "file:///Volumes/Backup/players")),
    ///     ReplicatedDatabase(gamePool, to: Replica(url: "file:///Volumes/Backup/games")),
    /// ])
    /// ```
    ///
    /// - Parameters:
    ///   - databases: the databases.
    ///   - configuration: the options.
    ///   - logger: receives the messages of Litestream.
    /// - Throws: ``ReplicationError`` if a pool has another WAL policy than `replicated`, is encrypted, or is replicated
    ///   by another service; if the address of a replica isn't valid, or two of them are the same path, such as
    ///   `file:///r` and `file:///r/`; if replicas have different credentials or engines.
    public init(
        _ databases: [ReplicatedDatabase], configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "Amalgam.replication")
    ) throws {
        let replicas = databases.map(\.replica)
        if Set(replicas.map(\.credentials)).count != 1 || Set(replicas.map(\.engine)).count != 1 {
            throw ReplicationError(
                .invalidConfiguration,
                "A service replicates one database or more, with the same credentials and engine. "
                    + "Use a service for each store.")
        }
        for replica in replicas { try replica.check() }
        if Set(replicas.map(\.address)).count != replicas.count {
            throw ReplicationError(.invalidConfiguration, "Two databases can't replicate to the same path.")
        }
        let reports = reports
        self.databases = try databases.map { try DatabaseReplication($0, reports) }
        self.configuration = configuration.clamped
        self.logger = logger
    }

    // MARK: Status

    /// A sequence of the states of all databases, which are reported at least once per upload interval.
    ///
    /// Each iteration has its own buffer of the 100 latest states.
    public var statuses: AsyncStream<ReplicationStatus> { reports.makeStream() }

    /// Returns the current state of a database. Nil if the service doesn't replicate the pool.
    ///
    /// ```swift
    /// let count = service.status(of: dbPool)?.pendingTransactionCount
    /// ```
    public func status(of pool: DatabasePool) -> ReplicationStatus? {
        databases.first { $0.pool === pool }?.status
    }

    // MARK: Life

    /// Replicates the databases until the task is cancelled, or the graceful shutdown of a `ServiceGroup` begins.
    ///
    /// - Throws: ``ReplicationError`` if no suitable Litestream program is found, if another process replicates a
    ///   database, if a replica has transactions of another owner, if a local file of Litestream is damaged, or if the last transactions couldn't be uploaded
    ///   before the end.
    public func run() async throws {
        if hasStarted.exchange(true, ordering: .relaxed) {
            throw ReplicationError(.inUse, "A ReplicationService runs once.")
        }
        defer { databases.forEach { $0.end() } }
        let engine = databases[0].replica.engine
        let version = try await engine.version()
        if version != ReplicationEngine.testedVersion {
            logger.warning(
                "Litestream is newer than the tested version",
                metadata: ["version": "\(version)", "tested": "\(ReplicationEngine.testedVersion)"])
        }
        let locks = try databases.map { try $0.local.lock() }
        let folder = try PrivateFolder()
        currentSocket.withLock { $0 = folder.socket }
        defer { currentSocket.withLock { $0 = nil } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for database in databases {
                group.addTask { await database.upload(by: folder.socket, every: self.configuration.uploadInterval) }
            }
            defer { group.cancelAll() }
            try await supervise(try engine.locate(), folder)
        }
        withExtendedLifetime(locks) {}
        try checkUploads()
    }

    /// Throws an error if transactions are pending at the end.
    private func checkUploads() throws {
        for database in databases where database.pendingCount > 0 {
            let (path, status) = (database.pool.path, database.status)
            let fact =
                status.pendingTransactionCount > 0
                ? "\(status.pendingTransactionCount) transactions are committed in \(path), and weren't uploaded"
                : "The content of \(path) isn't known to be in the replica: no upload was complete"
            throw ReplicationError(
                .notReplicated,
                fact + " before the end of the service." + (status.lastError.map { " The last error is: \($0)" } ?? ""))
        }
    }

    private var isEnding: Bool { Task.isCancelled || Task.isShuttingDownGracefully }

    /// Runs Litestream processes, one after the other.
    private func supervise(_ program: String, _ folder: PrivateFolder) async throws {
        var (pause, hasRun) = (Duration.milliseconds(250), false)
        while !isEnding {
            let start = ContinuousClock.now
            do {
                try await cancelWhenGracefulShutdown { [hasRun] in try await self.prepare(folder, isFirst: !hasRun) }
                if isEnding { break }
                if hasRun { databases.forEach { $0.noteRestart() } }
                hasRun = true
                try await runEngine(program, folder)
            } catch {
                if !isEnding { databases.forEach { $0.note(error: "\(error)") } }
                if let error = error as? ReplicationError, error.code != .engineFailed { throw error }
            }
            if isEnding { break }
            logger.warning("Litestream isn't running, and is started again", metadata: ["pause": "\(pause)"])
            if ContinuousClock.now - start > .seconds(60) { pause = .milliseconds(250) }
            try? await cancelWhenGracefulShutdown { [pause] in try await Task.sleep(for: pause) }
            pause = min(pause * 2, .seconds(30))
        }
        databases.forEach { $0.local.forgetEngine() }
    }

    /// Checks what must hold before a Litestream process starts.
    ///
    /// - Parameter isFirst: whether the service hasn't started a process yet. Later, the application may have erased
    ///   the database, or overwritten it by a backup, so that the row of the owner is missing until its replacement.
    private func prepare(_ folder: PrivateFolder, isFirst: Bool) async throws {
        for database in databases {
            try await database.local.endEarlierEngine(configuration.shutdownTimeout + .seconds(5), folder)
            let files = try await files(of: database)
            try database.local.checkLineage(files, database.replica)
            if isFirst { try await database.owner.check(files, database.replica) }
            try database.local.noteEngine(folder)
            await database.noteOwner()
        }
    }

    /// Lists the files of a replica, and reports a store that doesn't answer soon.
    private func files(of database: DatabaseReplication) async throws -> [ReplicaFile] {
        let report = Task {
            try await Task.sleep(for: .seconds(5))
            database.note(error: database.replica.isAway.message)
        }
        defer { report.cancel() }
        return try await database.replica.files()
    }

    private func runEngine(_ program: String, _ folder: PrivateFolder) async throws {
        let path = folder.path + "/litestream.yml"
        try EngineSettings(databases, configuration, socket: folder.socket.path).write(to: path)
        let process = EngineProcess(
            program: program, arguments: ["replicate", "-no-expand-env", "-config", path],
            environment: databases[0].replica.environment,
            terminationTime: configuration.shutdownTimeout + .seconds(5))
        defer { databases.forEach { $0.noteEngine(isRunning: false) } }
        let status = try await process.run { running in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.readLog(of: running, folder.socket) }
                group.addTask { try await self.watchOwners(running) }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
        if !isEnding { throw ReplicationError(.engineFailed, "Litestream ended: \(status).") }
    }

    /// Reads the log of a process until the process ends.
    private func readLog(of process: EngineProcess.Running, _ socket: ControlSocket) async throws {
        try await withGracefulShutdownHandler {
            for try await line in process.log { self.read(.parse(line)) }
        } onGracefulShutdown: {
            Task { await self.end(process, socket) }
        }
    }

    /// Compares the replicas with the databases again and again. Kills the process and throws an error if there is
    /// another owner. The process would upload once more before an orderly end.
    private func watchOwners(_ process: EngineProcess.Running) async throws {
        while true {
            try await Task.sleep(for: configuration.ownerCheckInterval)
            for database in databases {
                await database.noteOwner()
                // The uploads report that the store is away.
                guard let files = try? await database.replica.files(level: 0) else { continue }
                do {
                    try database.local.checkLineage(files, database.replica)
                } catch {
                    await process.kill()
                    throw error
                }
            }
        }
    }

    /// Uploads the last transactions, and ends the process.
    private func end(_ process: EngineProcess.Running, _ socket: ControlSocket) async {
        let timeout = max(1, Int(configuration.shutdownTimeout / .seconds(1)))
        let areUploaded = await withTaskGroup(of: Bool.self) { group in
            for database in databases {
                group.addTask {
                    await database.noteOwner(isLast: true)
                    return await database.upload(by: socket, timeout: timeout)
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        await process.end(areUploaded ? configuration.shutdownTimeout + .seconds(5) : .seconds(2))
    }

    private func read(_ line: EngineProcess.LogLine) {
        if line.msg == "control socket listening" { databases.forEach { $0.noteEngine(isRunning: true) } }
        let text = databases[0].replica.redact(line.text)
        guard line.isError else { return logger.debug("\(text)") }
        logger.error("\(text)", metadata: ["database": "\(line.path ?? line.db ?? "")"])
        for database in databases where line.concerns(database.local) { database.note(error: text) }
    }
}

extension EngineProcess.LogLine {
    /// The path of a line is that of the database, or of a local file of Litestream.
    fileprivate func concerns(_ local: LocalState) -> Bool {
        if let path { return path == local.database.path || local.isEngineFile(path) }
        return db == nil || db == local.database.lastPathComponent
    }
}
#endif
