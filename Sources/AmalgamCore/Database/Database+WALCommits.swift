import CAmalgam

extension Database {
    /// The condition for a passive checkpoint that SQLite runs by itself:
    /// <https://sqlite.org/c3ref/wal_autocheckpoint.html>.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.automaticCheckpoint = .frames(10_000)
    /// ```
    public enum AutomaticCheckpoint: Hashable, Sendable {
        /// After a commit that leaves at least this many frames (of one page each) in the WAL file. SQLite's default is
        /// 1000.
        case frames(Int)
        /// Never.
        case off
    }

    /// A commit to the WAL file of a database: see ``Database/onWALCommit(_:)``.
    public struct WALCommit: Hashable, Sendable {
        /// The name of the database: `main`, or the name of an attached database.
        public let schemaName: String

        /// The number of frames (of one page each) in the WAL file after the commit.
        public let frameCount: Int
    }

    /// The condition for a passive checkpoint after a commit of this connection. It isn't stored in the file.
    public var automaticCheckpoint: AutomaticCheckpoint {
        guard let sqliteConnection else { return .off }
        let count = observation.walCommitHook?.automaticFrameCount ?? amalgam_wal_autocheckpoint(sqliteConnection)
        return count > 0 ? .frames(Int(count)) : .off
    }

    /// Sets the condition for a passive checkpoint after a commit of this connection.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     try db.setAutomaticCheckpoint(.frames(10_000))
    /// }
    /// ```
    ///
    /// `PRAGMA wal_autocheckpoint = 10000` has the same effect as `setAutomaticCheckpoint(.frames(10_000))`.
    /// `Configuration.automaticCheckpoint` sets the condition for all connections.
    ///
    /// While ``onWALCommit(_:)`` has a closure, `PRAGMA wal_autocheckpoint` without a value returns 0.
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access.
    public func setAutomaticCheckpoint(_ checkpoint: AutomaticCheckpoint) throws {
        try checkAccess()
        applyAutomaticCheckpoint(checkpoint)
    }

    func applyAutomaticCheckpoint(_ checkpoint: AutomaticCheckpoint) {
        let count: CInt =
            switch checkpoint {
            case .frames(let count): CInt(clamping: max(1, count))
            case .off: 0
            }
        if let walCommitHook = observation.walCommitHook {
            walCommitHook.automaticFrameCount = count
        } else {
            sqlite3_wal_autocheckpoint(sqliteConnection, count)
        }
    }

    /// Sets a closure that is called after each commit of this connection to a WAL file.
    ///
    /// ```swift
    /// try db.setAutomaticCheckpoint(.off)
    /// try db.onWALCommit { db, commit in
    ///     if commit.frameCount > 5000 { try db.checkpoint(.truncate, on: commit.schemaName) }
    /// }
    /// ```
    ///
    /// When the closure is called, SQLite has released the locks of the transaction, and transaction observers have
    /// been notified. The closure may use the connection. If the closure writes, it is called again for its own commit.
    /// The automatic checkpoint runs after the closure, unless it is `.off` as in this example.
    ///
    /// If the closure throws an error, the statement that committed throws this error. The transaction stays committed.
    ///
    /// A connection has one closure: a new closure replaces the previous one, and nil removes it. See
    /// <https://sqlite.org/c3ref/wal_hook.html>.
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access.
    public func onWALCommit(_ body: ((Database, WALCommit) throws -> Void)?) throws {
        try checkAccess()
        let automaticCheckpoint = automaticCheckpoint
        removeWALCommitHook()
        if let body {
            observation.walCommitHook = WALCommitHook(self, body)
            observersDidChange()
        }
        applyAutomaticCheckpoint(automaticCheckpoint)
    }

    func removeWALCommitHook() {
        guard observation.walCommitHook != nil else { return }
        sqlite3_wal_hook(sqliteConnection, nil, nil)
        observation.walCommitHook = nil
        observersDidChange()
    }
}

/// The WAL hook that calls the closure of ``Database/onWALCommit(_:)``. A connection has a single WAL hook. Without
/// this hook, SQLite uses its own WAL hook for the automatic checkpoint. Therefore, this hook also runs the automatic
/// checkpoint.
///
/// SQLite calls the hook in the middle of the statement that commits. So the hook only stores the commit. The closure
/// is called after the statement has returned and transaction observers have been notified.
final class WALCommitHook {
    private unowned let database: Database
    private let body: (Database, Database.WALCommit) throws -> Void
    private var commits: [Database.WALCommit] = []

    /// The number of frames in the WAL file that triggers a checkpoint; 0 for none.
    var automaticFrameCount: CInt = 0

    var hasPendingNotifications: Bool { !commits.isEmpty }

    init(_ database: Database, _ body: @escaping (Database, Database.WALCommit) throws -> Void) {
        self.database = database
        self.body = body
        install()
    }

    private func install() {
        sqlite3_wal_hook(
            database.sqliteConnection,
            { context, _, schema, frameCount in
                let hook = Unmanaged<WALCommitHook>.fromOpaque(context!).takeUnretainedValue()
                hook.commits.append(
                    Database.WALCommit(schemaName: String(cString: schema!), frameCount: Int(frameCount)))
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Installs this hook again. When SQLite compiles `PRAGMA wal_autocheckpoint = 500`, it replaces this hook with its
    /// own. The method stores the new number of frames, 500.
    func takeSlotBack() {
        guard let connection = database.sqliteConnection else { return }
        let count = amalgam_wal_autocheckpoint(connection)
        if count < 0 { return }
        automaticFrameCount = count
        install()
    }

    private func checkpoint(after commit: Database.WALCommit) {
        guard automaticFrameCount > 0, commit.frameCount >= automaticFrameCount,
            !database.access.interrupter.isSuspended,
            let connection = database.sqliteConnection
        else { return }
        // As with SQLite's own hook, an error of the checkpoint doesn't make the commit fail.
        sqlite3_wal_checkpoint(connection, commit.schemaName)
    }

    /// Calls the closure for each stored commit.
    func notify() throws {
        var failure: (any Error)?
        while hasPendingNotifications {
            let commit = commits.removeFirst()
            do {
                // The transaction has ended, so a cancellation of its access must not stop this closure.
                try database.access.interrupter.withoutInterruption { try body(database, commit) }
            } catch {
                failure = failure ?? error
            }
            checkpoint(after: commit)
        }
        if let failure { throw failure }
    }
}
