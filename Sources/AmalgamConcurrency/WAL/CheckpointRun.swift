import AmalgamCore
import Dispatch
import Foundation

/// One checkpoint of a ``WALPolicy``. With ``WALPolicy/backpressure``, waits for the reads that block the checkpoint.
struct CheckpointRun {
    private let trigger: WALReport.Trigger
    private let db: Database
    private let policy: WALPolicy
    private let readers: WALReaders
    private let start = ContinuousClock.now
    private let before: WALState?

    private var frameCount = 0
    private var checkpointedFrameCount = 0
    private var isTruncated = false
    /// Whether the file couldn't be truncated, because a reader still uses it.
    private var isRefused = false
    /// The start of the oldest read that blocked the checkpoint just before the last attempt. Nil if no read did.
    private var oldestStart: UInt64?
    /// The number of attempts blocked by a reader outside of the pool.
    private var unknownReads = 0
    private var error: DatabaseError?

    init(_ trigger: WALReport.Trigger, _ db: Database, _ policy: WALPolicy, _ readers: WALReaders) {
        self.trigger = trigger
        self.db = db
        self.policy = policy
        self.readers = readers
        before = db.walState
    }

    /// Whether there are frames to copy, or the file is to be truncated.
    var hasWork: Bool {
        guard let before else { return false }
        return !before.isCheckpointed || (trigger == .readEnded && isTooLarge)
    }

    /// Whether the checkpoint is to truncate the WAL file. With the trigger `size`, a file up to 50 % above
    /// `maximumSize` isn't truncated here, but by SQLite, when the next write restarts the file: see
    /// `limitWALFile(to:)`.
    private var isTooLarge: Bool {
        let tolerance = trigger == .size ? policy.maximumSize / 2 : 0
        return db.walFileSize > policy.maximumSize + tolerance
    }

    private var isHeldBack: Bool { error == nil && (checkpointedFrameCount < frameCount || isRefused) }

    mutating func run() {
        checkpoint()
        // If no lock blocks the checkpoint now, the blocking reader has ended during the checkpoint.
        for _ in 1...5 where isHeldBack && !db.walHolders.contains(where: \.isInTheWay) { checkpoint() }
        guard isHeldBack, let backpressure = policy.backpressure, let before, before.size > backpressure.size else {
            return
        }
        let deadline = DispatchTime.now() + backpressure.maximumWait.dispatchInterval
        // The writer waits here, so it adds no frames. When all frames are checkpointed, new reads use only the
        // database file, so the WAL file can be truncated when the earlier reads have ended.
        while isHeldBack, waitForRead(deadline) { checkpoint() }
    }

    /// - Returns: whether to try again, because a blocking read has ended, or may have ended.
    private mutating func waitForRead(_ deadline: DispatchTime) -> Bool {
        if let awaitedStart { return waitForEnd(ofReadsBegunBy: awaitedStart, deadline) }
        // No read of the pool was found. Either a short read ended while the start times of the reads were collected
        // one by one, or a connection outside of the pool reads. The end of a read outside of the pool isn't reported.
        // So up to five more attempts follow.
        unknownReads += 1
        return unknownReads <= 5
    }

    /// The start time of the read whose end is awaited. This read is the oldest one that blocked the last attempt to
    /// checkpoint, even if the read has ended since. If no read blocked that attempt, it is the oldest read that blocks
    /// a checkpoint now.
    private var awaitedStart: UInt64? { oldestStart ?? readers.holdingBack(db).first?.since }

    private func waitForEnd(ofReadsBegunBy start: UInt64, _ deadline: DispatchTime) -> Bool {
        let end = DispatchSemaphore(value: 0)
        readers.whenReadEnds(begunBy: start) { end.signal() }
        return end.wait(timeout: deadline) == .success
    }

    private mutating func checkpoint() {
        oldestStart = readers.holdingBack(db).first?.since
        do {
            (frameCount, checkpointedFrameCount) = try db.checkpointNow(.passive)
            isRefused = false
            if checkpointedFrameCount == frameCount && isTooLarge { try truncate() }
        } catch {
            self.error = error as? DatabaseError ?? DatabaseError(message: "\(error)")
        }
    }

    /// Truncates the file if no reader uses it. This is fast, because all frames are copied.
    private mutating func truncate() throws {
        do {
            (frameCount, checkpointedFrameCount) = try db.checkpointNow(.truncate)
            isTruncated = true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            isRefused = true
        }
    }

    // MARK: Result

    var report: WALReport {
        let state = db.walState
        return WALReport(
            trigger: trigger, frameCount: state?.frameCount ?? frameCount,
            checkpointedFrameCount: state?.checkpointedFrameCount ?? checkpointedFrameCount,
            fileSize: db.walFileSize, duration: ContinuousClock.now - start, isTruncated: isTruncated,
            readers: isHeldBack ? readers.report(db, db.walHolders.filter(\.isInTheWay)) : [], error: error)
    }

    var next: Checkpointer.Next {
        if !isHeldBack && error == nil { return .nothing }
        return .again(dueSize: dueSize, readStart: isHeldBack ? awaitedStart : nil)
    }

    /// The size of all frames, in bytes, beyond which the next checkpoint is due.
    ///
    /// It is the current size of the frames or `maximumSize`, whichever is larger, plus a quarter of `maximumSize`. If
    /// the frames don't exceed the size of ``WALPolicy/backpressure`` yet, it is at most that size, or `maximumSize` if
    /// `maximumSize` is larger.
    private var dueSize: Int {
        let size = db.walState?.size ?? 0
        let grown = max(size, policy.maximumSize) + max(1, policy.maximumSize / 4)
        guard let limit = policy.backpressure?.size, size <= limit else { return grown }
        return min(grown, max(limit, policy.maximumSize))
    }
}

extension WALReaders {
    /// Returns the reads of the pool that limit the current checkpoint: those that see the oldest snapshot in use,
    /// sorted by their start. Empty if only other connections or processes use the oldest snapshot.
    func holdingBack(_ db: Database) -> [Read] {
        let holders = db.walHolders.filter(\.isInTheWay)
        guard let mark = holders.map(\.mark).min() else { return [] }
        let connections = Set(holders.filter { $0.mark == mark }.map(\.connection))
        return underWay.filter { connections.contains($0.connection) }
    }

    /// Returns the readers that hold the given locks, those of the oldest snapshot first.
    ///
    /// Connections of this process outside of the pool, such as those of a snapshot pool, are listed as one unknown
    /// reader per snapshot, unless a reader of the pool is listed for that snapshot.
    func report(_ db: Database, _ holders: [WALHolder]) -> [WALReader] {
        let reads = underWay
        var readers: [WALReader] = []
        for (_, holders) in Dictionary(grouping: holders, by: \.mark).sorted(by: { $0.key < $1.key }) {
            let connections = Set(holders.map(\.connection)).subtracting([0])
            let own = reads.filter { connections.contains($0.connection) }
            readers += own.map { WALReader($0, now: WALReaders.now) }
            if own.isEmpty && !connections.isEmpty { readers.append(.unknownConnection) }
            for process in Set(holders.map(\.processID)).subtracting([0]).sorted()
            where !readers.contains(where: { $0.processID == process }) {
                readers.append(WALReader(name: "process \(process)", processID: process, since: nil, age: nil))
            }
        }
        return readers
    }
}

extension WALReader {
    fileprivate init(_ read: WALReaders.Read, now: UInt64) {
        let age = Duration.nanoseconds(Int64(clamping: now > read.since ? now - read.since : 0))
        self.init(
            name: read.name, processID: ProcessInfo.processInfo.processIdentifier,
            since: Date() - age / .seconds(1), age: age)
    }

    fileprivate static var unknownConnection: WALReader {
        WALReader(
            name: "another connection of this process", processID: ProcessInfo.processInfo.processIdentifier,
            since: nil, age: nil)
    }
}
