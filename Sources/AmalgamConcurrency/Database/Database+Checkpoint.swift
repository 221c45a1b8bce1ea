public import AmalgamCore
import CAmalgam

extension Database {
    /// How much a checkpoint does, and what it waits for: <https://sqlite.org/c3ref/wal_checkpoint_v2.html>.
    public enum CheckpointMode: CInt, Sendable {
        /// `SQLITE_CHECKPOINT_NOOP`: nothing is copied. The frames are counted.
        case noop = -1
        /// `SQLITE_CHECKPOINT_PASSIVE`: as many frames as possible, without waiting for anybody.
        case passive = 0
        /// `SQLITE_CHECKPOINT_FULL`: all frames. It waits for writers, and for readers of an earlier state.
        case full = 1
        /// `SQLITE_CHECKPOINT_RESTART`: all frames, then it waits until no reader needs the WAL file, so that the next
        /// write starts at the beginning of the file.
        case restart = 2
        /// `SQLITE_CHECKPOINT_TRUNCATE`: as with restart, and the WAL file is truncated to no byte.
        case truncate = 3
    }

    /// Copies frames of the WAL file into the database file.
    ///
    /// ```swift
    /// try dbPool.writeWithoutTransaction { db in
    ///     let frames = try db.checkpoint(.truncate)
    ///     print(frames.checkpointedFrameCount, "of", frames.walFrameCount)    // 0 of 0: the file is empty now
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - kind: how much is done, and what the checkpoint waits for.
    ///   - dbName: `main`, or the name of an attached database; with nil, all of them, and the numbers of `main`.
    /// - Returns: the number of frames in the WAL file, and how many of them are in the database file. Both are −1 when
    ///   the database is not in WAL mode.
    /// - throws: `SQLITE_BUSY` when others stood in the way for longer than the busy mode waits. What could
    ///   be copied is copied, then. `.passive` is never busy, unless another checkpoint runs. `SQLITE_LOCKED` inside a
    ///   transaction; `SQLITE_ERROR` when there is no such schema; `CancellationError` when the access was cancelled;
    ///   errors of the files.
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

    // MARK: The policy of a WAL file, and metrics

    /// What the WAL file holds, with the commits of other connections; nil when the connection has none.
    package var walState: WALState? {
        guard let sqliteConnection else { return nil }
        var state = amalgam_wal_state()
        guard amalgam_wal_get_state(sqliteConnection, "main", &state) != 0 else { return nil }
        return WALState(
            frameCount: Int(state.frames), checkpointedFrameCount: Int(state.checkpointed),
            pageSize: Int(state.page_size))
    }

    /// The bytes of the WAL file; 0 when there is none.
    package var walFileSize: Int {
        guard let sqliteConnection else { return 0 }
        return max(0, Int(amalgam_wal_file_size(sqliteConnection, "main")))
    }

    /// The locks on states of the database that checkpoints need. None when the file layer doesn't know them.
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

    /// What identifies the connection among ``walHolders``; 0 before its first read in WAL mode.
    package var walConnection: UInt {
        guard let sqliteConnection else { return 0 }
        return UInt(amalgam_wal_connection(sqliteConnection, "main"))
    }

    /// Runs a checkpoint that waits for nobody, whatever the busy mode is.
    ///
    /// - throws: `SQLITE_BUSY` where ``checkpoint(_:on:)`` would wait; `SQLITE_ABORT` while the connection is suspended.
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

    /// Makes SQLite cut the WAL file when it begins it anew, unless the application has chosen a size:
    /// <https://sqlite.org/pragma.html#pragma_journal_size_limit>.
    package func limitWALFile(to size: Int) throws {
        guard walState != nil else { return }
        if try Int.fetchOne(self, sql: "PRAGMA journal_size_limit") ?? -1 >= 0 { return }
        try execute(sql: "PRAGMA journal_size_limit = \(size)")
    }
}

/// What the WAL file of a database holds.
package struct WALState {
    package let frameCount: Int
    /// How many of the frames are in the database file.
    package let checkpointedFrameCount: Int
    package let pageSize: Int

    package var isCheckpointed: Bool { checkpointedFrameCount >= frameCount }

    /// The bytes that the frames take. The file is larger when SQLite has started at its beginning again:
    /// <https://sqlite.org/fileformat2.html#walformat>.
    package var size: Int { frameCount == 0 ? 0 : 32 + frameCount * (24 + pageSize) }
}

/// A lock on a state of the database that a checkpoint, or a new start of the WAL file, would need.
package struct WALHolder: Sendable {
    /// The connection of this process that holds the lock, as ``Database/walConnection`` identifies it; 0 for another process.
    package let connection: UInt

    /// The other process that holds the lock; 0 for a connection of this process.
    package let processID: Int32

    /// The last frame that the reader sees.
    package let mark: UInt32

    /// Whether the lock keeps frames from being copied or, once all are copied, the file from being begun again.
    package let isInTheWay: Bool
}
