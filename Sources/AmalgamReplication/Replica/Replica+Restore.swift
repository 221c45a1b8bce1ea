#if Replication && (os(Linux) || os(macOS))
public import AmalgamConcurrency
public import AmalgamCore
public import Foundation

/// The state of a database that a restore produces.
public enum RestorePoint: Hashable, Sendable {
    /// The last transaction of the replica.
    case latest
    /// The last transaction that was uploaded at this time or before. The time must not be in the future.
    ///
    /// If all transactions of a replica in a store were uploaded within one second, times in this second are refused: a store
    /// lists uploads by seconds.
    case time(Date)
    /// The transaction with this number, which is 1 or more: see ``Replica/transactions()``.
    case transaction(UInt64)
}

/// The progress of a restore.
public struct RestoreProgress: Hashable, Sendable {
    /// The number of bytes that are written to the temporary file.
    public let writtenByteCount: Int

    /// The size of the database, in bytes. Nil before Litestream has written the first page, which contains the size.
    ///
    /// When all bytes are written, the integrity check begins.
    public let totalByteCount: Int?

    /// Reads the size of a file, or of the file that Litestream renames to it, and the size in its first page.
    init(of path: String) {
        let file = [path, path + ".tmp"].lazy.compactMap(FileHandle.init(forReadingAtPath:)).first
        defer { try? file?.close() }
        let header = file.flatMap { try? $0.read(upToCount: 100) } ?? Data()
        let written = Int((try? file?.seekToEnd()) ?? 0)
        writtenByteCount = written
        totalByteCount = Self.size(header).flatMap { $0 >= written ? $0 : nil }
    }

    /// The size of a database by its header: <https://www.sqlite.org/fileformat2.html#the_database_header>.
    private static func size(_ header: Data) -> Int? {
        guard header.count == 100, header.starts(with: Data("SQLite format 3\0".utf8)) else { return nil }
        func number(_ range: Range<Int>) -> Int { header[range].reduce(0) { $0 << 8 | Int($1) } }
        let (pageSize, pageCount) = (number(16..<18), number(28..<32))
        return pageCount == 0 ? nil : pageCount * (pageSize == 1 ? 65_536 : pageSize)
    }
}

/// The answer of `litestream restore -json`.
private struct RestoreAnswer: Decodable {
    let txid: String
}

extension Replica {
    /// Restores the database to a file that doesn't exist yet.
    ///
    /// ```swift
    /// let replica = Replica(url: "file:///Volumes/Backup/players")
    /// try await replica.restore(to: "/path/to/db.sqlite")
    /// try await replica.restore(to: "/path/to/yesterday.sqlite", at: .time(Date(timeIntervalSinceNow: -86_400)))
    /// ```
    ///
    /// The database is restored to a file in a temporary folder next to it, its integrity is checked, and the file is
    /// renamed. Only this user can read it (mode 0600). A restore that fails, or whose task is cancelled, leaves no file,
    /// and changes none. If the process is killed, Litestream ends, and the next restore to the path removes the
    /// temporary folder.
    ///
    /// The check of a table may need collations and functions of the application, which `DatabasePool(path:restoringFrom:)`
    /// has by its configuration. Here, such a table is checked by its pages only. So is a table with an index in the order
    /// of a collation that isn't SQLite's own, if the index differs from the table: the order may depend on the machine,
    /// and `REINDEX` corrects it.
    ///
    /// - Parameters:
    ///   - path: the path of the database.
    ///   - point: the state to restore.
    ///   - progress: called several times per second, on no particular thread.
    /// - Returns: the number of the restored transaction.
    /// - Throws: ``ReplicationError`` if there is a database at the path, or a WAL file or journal of an earlier one; if
    ///   another process replicates or restores the database at this moment; if the path is that of a follower's file, or
    ///   contains a NUL character; if the replica has no such state; if the store can't be read, or doesn't
    ///   answer within 30 seconds; with the code `verificationFailed` if the integrity check fails.
    /// - Complexity: The snapshot and all later transactions are read from the store; all pages are checked.
    @discardableResult
    public func restore(
        to path: String, at point: RestorePoint = .latest,
        progress: (@Sendable (RestoreProgress) -> Void)? = nil
    ) async throws -> UInt64 {
        try await restore(to: path, at: point, checkedWith: AmalgamCore.Configuration(), progress)
    }

    /// - Parameter configuration: the configuration of the connection that checks the file.
    @discardableResult
    fileprivate func restore(
        to path: String, at point: RestorePoint, checkedWith configuration: AmalgamCore.Configuration,
        _ progress: (@Sendable (RestoreProgress) -> Void)?
    ) async throws -> UInt64 {
        try ReplicationError.check(path: path, "The path of a restore")
        let file = URL(fileURLWithPath: path)
        let folder = file.deletingLastPathComponent().resolvingSymlinksInPath()
        let local = LocalState(database: folder.appendingPathComponent(file.lastPathComponent).path)
        if FollowerFile.isCopy(local.database) {
            throw ReplicationError(
                .inUse, "\(path) is the file of a follower, which deletes it after a restart. Restore to another path.")
        }
        try Self.checkIsFree(path)
        // Throws an error if the store doesn't answer.
        _ = try await files(level: 0)
        let temporary = try RestoreFolder(for: local.database)
        defer { temporary.remove() }
        let transaction = try await restoreFile(temporary.path, at: point, progress)
        try await RestoredFile(path: temporary.path, configuration: configuration).check()
        // Another process may have restored the database, and replicate it: nothing is changed without the lock.
        let lock = try await Self.lock(local)
        try withExtendedLifetime(lock) {
            try Self.checkIsFree(path)
            // A crash in between leaves no database with the facts of an earlier one.
            try local.forgetOwners()
            try local.forgetRestore()
            try local.removeEngineFiles()
            try temporary.move(to: path)
            try local.noteRestore(to: transaction)
        }
        return transaction
    }

    /// Acquires the lock of the database. Another restore may hold it for the moment in which it renames its file.
    private static func lock(_ local: LocalState) async throws -> FileLock {
        for _ in 0..<500 {
            do {
                return try local.lock()
            } catch let error as ReplicationError where error.code == .inUse {
                if FileManager.default.fileExists(atPath: local.database.path) { throw error }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        return try local.lock()
    }

    private static func checkIsFree(_ path: String) throws {
        for suffix in ["", "-wal", "-journal"] where FileManager.default.fileExists(atPath: path + suffix) {
            throw ReplicationError(
                .fileExists, "There is a file at \(path + suffix). Move it away, or restore to another path.")
        }
    }

    /// Restores the database to a file, and reports its size during the restore.
    func restoreFile(
        _ path: String, at point: RestorePoint, _ progress: (@Sendable (RestoreProgress) -> Void)?
    ) async throws -> UInt64 {
        try check()
        if point == .transaction(0) {
            // Litestream takes this number for the latest one.
            throw ReplicationError(
                .noBackup, "The replica \(self) has no transaction 0: the first one has the number 1.")
        }
        guard case .time(let date) = point else {
            return try await restoreFile(path, point.arguments, progress)
        }
        guard date.timeIntervalSince1970 > 0, date < Date(timeIntervalSinceNow: Self.clockTolerance) else {
            // The description of such a date may not exist.
            throw ReplicationError(
                .noBackup, "The replica \(self) has no state of \(date.timeIntervalSince1970) seconds after 1970.")
        }
        return try await restoreFile(path, date, progress)
    }

    /// Restores the state of a time. Litestream refuses a time after the last upload, whose state is the latest.
    private func restoreFile(
        _ path: String, _ date: Date, _ progress: (@Sendable (RestoreProgress) -> Void)?
    ) async throws -> UInt64 {
        var last: UInt64?
        while true {
            do {
                return try await restoreFile(path, ["-timestamp", date.engineText], progress)
            } catch let error as ReplicationError where error.code == .noBackup {
                // Litestream refuses a time before the first upload in the same way.
                let files = try await files()
                guard let number = files.map(\.maximum).max(),
                    let upload = files.filter({ $0.maximum == number }).map(\.date).min(), upload <= date
                else { throw error }
                // All uploads may have come after the time, in its second.
                guard let first = files.map(\.date).min(),
                    first.addingTimeInterval(1) <= date || has(files, before: date)
                else { throw address?.folder == nil ? undecided(date) : error }
                // An upload after the refusal may be one of the time, or not: Litestream decides again.
                if number == last {
                    return try await restoreFile(path, RestorePoint.transaction(number).arguments, progress)
                }
                last = number
            }
        }
    }

    /// Whether one of the files of a folder was uploaded at a time or before, by the milliseconds in the files. The listing
    /// has seconds. For a store, the answer is false.
    private func has(_ files: [ReplicaFile], before date: Date) -> Bool {
        guard let folder = address?.folder else { return false }
        let dates = files.compactMap { TransactionFile("\(folder)/ltx/\($0.level)/\($0.name)")?.milliseconds }
        return dates.contains { $0 <= date.milliseconds }
    }

    private func undecided(_ date: Date) -> ReplicationError {
        let text = date.formatted(.iso8601)
        return ReplicationError(
            .noBackup,
            "The replica \(self) has no transaction from before the second \(text), and the order of the time and of the "
                + "uploads in this second isn't known. Restore to the end of the second, or a transaction by its number."
        )
    }

    /// The clocks of the machines that write, store and restore may differ by this many seconds.
    private static var clockTolerance: TimeInterval { 60 }

    private func restoreFile(
        _ path: String, _ point: [String], _ progress: (@Sendable (RestoreProgress) -> Void)?
    ) async throws -> UInt64 {
        let arguments = ["restore", "-json", "-o", path] + point + [url]
        let output = try await withThrowingTaskGroup(of: Void.self) { group in
            if let progress {
                group.addTask {
                    while (try? await Task.sleep(for: .milliseconds(100))) != nil {
                        progress(RestoreProgress(of: path))
                    }
                }
            }
            defer { group.cancelAll() }
            return try await engine.run(arguments, environment, redact)
        }
        progress?(RestoreProgress(of: path))
        let answer = try JSONDecoder().decode(RestoreAnswer.self, from: Data(output.utf8))
        return UInt64(answer.txid, radix: 16) ?? 0
    }
}

extension RestorePoint {
    fileprivate var arguments: [String] {
        switch self {
        case .latest: []
        case .time(let date): ["-timestamp", date.engineText]
        case .transaction(let number): ["-txid", number.engineText]
        }
    }
}

extension Date {
    /// The next millisecond, as Litestream reads it: it restores what was uploaded before a time, and stores the times of
    /// uploads in milliseconds.
    fileprivate var engineText: String {
        let (seconds, fraction) = (milliseconds + 1).quotientAndRemainder(dividingBy: 1000)
        let digits = String(fraction + 1000).dropFirst()
        let text = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        return text.replacing("Z", with: ".\(digits)Z")
    }

    /// The complete milliseconds since 1970.
    fileprivate var milliseconds: Int { Int((timeIntervalSince1970 * 1000 + 0.001).rounded(.down)) }
}

extension UInt64 {
    /// The number of a transaction as Litestream reads it: 16 hexadecimal digits.
    var engineText: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension DatabasePool {
    /// Opens a database file. If there is none, restores it from a replica first. If the replica is empty, creates the
    /// file. If another process restores the file at the same time, opens the file of the first one.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.walPolicy = .replicated
    /// let replica = Replica(url: "file:///Volumes/Backup/players")
    /// let dbPool = try await DatabasePool(path: "/path/to/db.sqlite", restoringFrom: replica, configuration: config)
    /// let service = try ReplicationService(dbPool, to: replica)
    /// ```
    ///
    /// The restored file is checked on a read-only connection with the same configuration, on which the preparation closures
    /// run.
    ///
    /// - Parameters:
    ///   - path: the path of the database.
    ///   - replica: the replica.
    ///   - configuration: the configuration of the pool.
    /// - Throws: ``ReplicationError`` if the store can't be read, or has an error: see
    ///   ``Replica/restore(to:at:progress:)``; the errors of `init(path:configuration:)`.
    public convenience init(
        path: String, restoringFrom replica: Replica, configuration: Configuration = Configuration()
    ) async throws {
        try ReplicationError.check(path: path, "The path of a database")
        if !FileManager.default.fileExists(atPath: path) {
            do {
                try await replica.restore(to: path, at: .latest, checkedWith: configuration, nil)
            } catch let error as ReplicationError where error.code == .noBackup {
            } catch let error as ReplicationError
                where [.fileExists, .inUse].contains(error.code) && FileManager.default.fileExists(atPath: path)
            {
                // Another process has restored the database in the meantime.
            }
        }
        try self.init(path: path, configuration: configuration)
    }
}
#endif
