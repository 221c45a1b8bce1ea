public import AmalgamCore
import CAmalgam

extension Database {
    /// How much a checkpoint does, and for whom it waits: <https://sqlite.org/c3ref/wal_checkpoint_v2.html>.
    public enum CheckpointMode: CInt, Sendable {
        /// `SQLITE_CHECKPOINT_NOOP`: nothing is copied. The frames are counted.
        case noop = -1
        /// `SQLITE_CHECKPOINT_PASSIVE`: as many frames as possible, without waiting for anybody.
        case passive = 0
        /// `SQLITE_CHECKPOINT_FULL`: all frames. It waits for writers, and for readers of an earlier state.
        case full = 1
        /// `SQLITE_CHECKPOINT_RESTART`: all frames, then it waits until no reader needs the WAL file, so that the next
        /// write begins it anew.
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
    ///   - kind: how much is done, and for whom the checkpoint waits.
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
}
