public import AmalgamCore
import CAmalgam

extension Database {
    /// The mode of a checkpoint, which determines how much the checkpoint copies, and what it waits for. See
    /// <https://sqlite.org/c3ref/wal_checkpoint_v2.html>.
    ///
    /// ```swift
    /// try dbQueue.writeWithoutTransaction { db in _ = try db.checkpoint(.passive) }
    /// ```
    public enum CheckpointMode: CInt, Sendable {
        /// `SQLITE_CHECKPOINT_NOOP`: copies nothing, and only counts the frames.
        case noop = -1
        /// `SQLITE_CHECKPOINT_PASSIVE`: copies as many frames as possible without waiting for other connections.
        case passive = 0
        /// `SQLITE_CHECKPOINT_FULL`: waits for writers, and for readers of older snapshots, and copies all frames.
        case full = 1
        /// `SQLITE_CHECKPOINT_RESTART`: as `full`, and then waits until no reader uses the WAL file, so that the next
        /// write restarts the file from its beginning.
        case restart = 2
        /// `SQLITE_CHECKPOINT_TRUNCATE`: as `restart`, and then truncates the WAL file to zero bytes.
        case truncate = 3
    }

    /// Copies frames of the WAL file into the database file.
    ///
    /// ```swift
    /// try dbPool.writeWithoutTransaction { db in
    ///     let frames = try db.checkpoint(.truncate)
    ///     print(frames.checkpointedFrameCount, "of", frames.walFrameCount)    // 0 of 0: the file is empty
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - kind: the mode of the checkpoint.
    ///   - dbName: `main`, or the name of an attached database. If nil, all databases are checkpointed, and the result
    ///     is that of `main`.
    /// - Returns: the number of frames in the WAL file, and how many of them are in the database file. Both are −1 if
    ///   the database isn't in WAL mode.
    /// - Throws: `SQLITE_BUSY` if other connections block the checkpoint for longer than the busy mode waits. The
    ///   frames that could be copied are copied. A `.passive` checkpoint is only blocked by another checkpoint.
    ///   `SQLITE_LOCKED` inside a transaction; `SQLITE_ERROR` if the schema doesn't exist; `CancellationError` if the
    ///   database access was cancelled; I/O errors.
    @discardableResult
    public func checkpoint(
        _ kind: CheckpointMode = .passive, on dbName: String? = "main"
    ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
        try checkAccess()
        try dbName.map { try Self.checkName($0) }
        try kind == .noop ? checkMayRead() : checkMayWrite()
        forgetInterruption()
        var frameCount: CInt = -1
        var checkpointedCount: CInt = -1
        let code = sqlite3_wal_checkpoint_v2(
            sqliteConnection, dbName, kind.rawValue, &frameCount, &checkpointedCount)
        guard code == SQLITE_OK else { throw checkpointError(code) }
        return (Int(frameCount), Int(checkpointedCount))
    }

    private func checkpointError(_ code: CInt) -> any Error {
        if let stop = cancellation(code) ?? suspension(code, error(code)) { return stop }
        let isOwnTransaction =
            ResultCode(rawValue: code) == .SQLITE_LOCKED && transactionState() != TransactionState.none
        guard isOwnTransaction else { return error(code) }
        return DatabaseError(
            code: code, message: "A checkpoint cannot run while its connection is in a transaction, or reads.")
    }

    // MARK: WAL policy and metrics

    /// The content of the WAL file, including commits of other connections. Nil if the connection has no WAL file.
    package var walState: WALState? {
        guard let sqliteConnection else { return nil }
        var state = amalgam_wal_state()
        guard amalgam_wal_get_state(sqliteConnection, "main", &state) != 0 else { return nil }
        return WALState(
            frameCount: Int(state.frames), checkpointedFrameCount: Int(state.checkpointed),
            pageSize: Int(state.page_size), salts: withUnsafeBytes(of: state.salts) { Array($0) })
    }

    /// The size of the WAL file in bytes. 0 if it doesn't exist.
    package var walFileSize: Int {
        guard let sqliteConnection else { return 0 }
        return max(0, Int(amalgam_wal_file_size(sqliteConnection, "main")))
    }

    /// The locks that readers of all processes hold on WAL snapshots. Empty if the VFS doesn't report locks.
    package var walHolders: [WALHolder] {
        guard let sqliteConnection else { return [] }
        let holders = [amalgam_wal_holder](unsafeUninitializedCapacity: 64) { buffer, count in
            count = max(0, Int(amalgam_wal_holders(sqliteConnection, "main", buffer.baseAddress, 64)))
        }
        return holders.map { holder in
            WALHolder(
                connection: UInt(holder.connection), processID: holder.process, mark: holder.mark,
                isInTheWay: holder.is_in_the_way != 0)
        }
    }

    /// The identity of the connection in ``walHolders``. 0 before its first read in WAL mode.
    package var walConnection: UInt {
        guard let sqliteConnection else { return 0 }
        return UInt(amalgam_wal_connection(sqliteConnection, "main"))
    }

    /// Runs a checkpoint that doesn't wait for other connections, whatever the busy mode is.
    ///
    /// - Throws: `SQLITE_BUSY` where ``checkpoint(_:on:)`` would wait; `SQLITE_ABORT` while the connection is
    ///   suspended.
    package func checkpointNow(_ kind: CheckpointMode) throws -> (frameCount: Int, checkpointedFrameCount: Int) {
        try checkAccess()
        try checkMayWrite()
        forgetInterruption()
        var frameCount: CInt = 0
        var checkpointedCount: CInt = 0
        let code = amalgam_checkpoint_now(sqliteConnection, "main", kind.rawValue, &frameCount, &checkpointedCount)
        if code != SQLITE_OK { throw error(code) }
        return (Int(frameCount), Int(checkpointedCount))
    }

    /// Sets the size to which SQLite truncates the WAL file when a write restarts the file. Has no effect if the
    /// application has set such a limit: <https://sqlite.org/pragma.html#pragma_journal_size_limit>.
    package func limitWALFile(to size: Int) throws {
        guard walState != nil else { return }
        if try Int.fetchOne(self, sql: "PRAGMA journal_size_limit") ?? -1 >= 0 { return }
        try execute(sql: "PRAGMA journal_size_limit = \(size)")
    }
}

/// The content of a WAL file.
package struct WALState {
    package let frameCount: Int
    /// The number of frames that are in the database file.
    package let checkpointedFrameCount: Int
    package let pageSize: Int
    /// The bytes 16 to 23 of the file's header, which change when SQLite writes to the file from its start again.
    package let salts: [UInt8]

    package var isCheckpointed: Bool { checkpointedFrameCount >= frameCount }

    /// The size of the header and all frames, in bytes. The WAL file may be larger: SQLite overwrites it from the start
    /// without shortening it, see <https://sqlite.org/fileformat2.html#walformat>.
    package var size: Int { frameCount == 0 ? 0 : 32 + frameCount * (24 + pageSize) }

    /// The size of the frames that aren't in the database file, in bytes.
    package var pendingSize: Int { (frameCount - checkpointedFrameCount) * (24 + pageSize) }
}

/// A lock that a reader holds on a WAL snapshot.
package struct WALHolder: Sendable {
    /// The ``Database/walConnection`` of the connection that holds the lock. 0 for a connection of another process.
    package let connection: UInt

    /// The other process that holds the lock. 0 for a connection of this process.
    package let processID: Int32

    /// The last frame of the reader's snapshot.
    package let mark: UInt32

    /// Whether the lock prevents a checkpoint from copying all frames. If all frames are already copied: whether the
    /// lock prevents the next write from restarting the WAL file.
    package let isInTheWay: Bool
}
