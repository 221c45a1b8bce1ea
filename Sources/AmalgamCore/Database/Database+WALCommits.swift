import CAmalgam

extension Database {
    /// When SQLite runs a passive checkpoint by itself: <https://sqlite.org/c3ref/wal_autocheckpoint.html>.
    public enum AutomaticCheckpoint: Hashable, Sendable {
        /// After a commit that leaves at least this many frames (of one page each) in the WAL file. The default is
        /// 1000.
        case frames(Int)
        /// Never.
        case off
    }

    /// A commit to the WAL file of a database.
    public struct WALCommit: Hashable, Sendable {
        /// `main`, or the name of an attached database.
        public let schemaName: String

        /// How many frames (of one page each) the WAL file has now.
        public let frameCount: Int
    }

    /// When this connection runs a passive checkpoint by itself. It is not stored in the file.
    public var automaticCheckpoint: AutomaticCheckpoint {
        guard let sqliteConnection else { return .off }
        let count = observation.walCommitHook?.automaticFrameCount ?? amalgam_wal_autocheckpoint(sqliteConnection)
        return count > 0 ? .frames(Int(count)) : .off
    }

    /// Sets when this connection runs a passive checkpoint by itself.
    ///
    /// ```swift
    /// config.prepareDatabase { db in
    ///     try db.setAutomaticCheckpoint(.frames(10_000))
    /// }
    /// ```
    ///
    /// `Configuration.automaticCheckpoint` does it for all connections. `PRAGMA wal_autocheckpoint` does the same, also
    /// beside ``onWALCommit(_:)``, but answers 0 then.
    ///
    /// - throws: `SQLITE_MISUSE` outside of an access.
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

    /// Calls a closure after each commit of this connection to a WAL file.
    ///
    /// ```swift
    /// try db.setAutomaticCheckpoint(.off)
    /// try db.onWALCommit { db, commit in
    ///     if commit.frameCount > 5000 { try db.checkpoint(.truncate, on: commit.schemaName) }
    /// }
    /// ```
    ///
    /// The closure is called when the transaction is committed, its locks are released, and transaction observers were
    /// told; before the automatic checkpoint, if there is to be one. It may use the connection. When it writes, it is
    /// called for that, too.
    ///
    /// An error it throws comes out of the statement that committed, although the commit stands.
    ///
    /// There is one closure per connection: another one replaces it, and nil removes it. See
    /// <https://sqlite.org/c3ref/wal_hook.html>.
    ///
    /// - throws: `SQLITE_MISUSE` outside of an access.
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

/// Stands in SQLite's WAL slot, which has one tenant: the automatic checkpoint, or a hook.
///
/// SQLite calls it in the middle of the statement that commits. So commits are only noted there, and told when the
/// statement has returned and the observers of the transaction were told.
final class WALCommitHook {
    private unowned let database: Database
    private let body: (Database, Database.WALCommit) throws -> Void
    private var commits: [Database.WALCommit] = []

    /// How many frames the WAL file must have for a checkpoint; 0 for none.
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

    /// `PRAGMA wal_autocheckpoint` puts SQLite's own hook into the slot, as soon as it is compiled: it means the
    /// number.
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
        // As with SQLite's own hook, the commit does not fail when the checkpoint does.
        sqlite3_wal_checkpoint(connection, commit.schemaName)
    }

    /// Tells the commits that were noted.
    func notify() throws {
        var failure: (any Error)?
        while hasPendingNotifications {
            let commit = commits.removeFirst()
            do {
                // The transaction has ended: a cancellation of the access that made it must not stop this.
                try database.access.interrupter.withoutInterruption { try body(database, commit) }
            } catch {
                failure = failure ?? error
            }
            checkpoint(after: commit)
        }
        if let failure { throw failure }
    }
}
