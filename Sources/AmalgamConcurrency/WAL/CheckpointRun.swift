import AmalgamCore
import Dispatch
import Foundation

/// One checkpoint of a ``WALPolicy``, with what it waits for if writes are to wait for reads.
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
    /// Whether the file could not be truncated, because it is still read from.
    private var isRefused = false
    /// The beginning of the oldest read that held the checkpoint back just before the last try; nil when there was none.
    private var oldestStart: UInt64?
    /// The number of tries held back by a reader that isn't one of the pool.
    private var unknownReads = 0
    private var error: DatabaseError?

    init(_ trigger: WALReport.Trigger, _ db: Database, _ policy: WALPolicy, _ readers: WALReaders) {
        self.trigger = trigger
        self.db = db
        self.policy = policy
        self.readers = readers
        before = db.walState
    }

    /// Whether there is something to copy, or to cut.
    var hasWork: Bool {
        guard let before else { return false }
        return !before.isCheckpointed || (trigger == .readEnded && isTooLarge)
    }

    /// Whether to cut the file. While writes go on, the next of them cuts one that is a little too large: see
    /// `limitWALFile(to:)`.
    private var isTooLarge: Bool {
        let tolerance = trigger == .size ? policy.maximumSize / 2 : 0
        return db.walFileSize > policy.maximumSize + tolerance
    }

    private var isHeldBack: Bool { error == nil && (checkpointedFrameCount < frameCount || isRefused) }

    mutating func run() {
        checkpoint()
        // Who was in the way may be gone already.
        for _ in 1...5 where isHeldBack && !db.walHolders.contains(where: \.isInTheWay) { checkpoint() }
        guard isHeldBack, let backpressure = policy.backpressure, let before, before.size > backpressure.size else {
            return
        }
        let deadline = DispatchTime.now() + backpressure.maximumWait.dispatchInterval
        // Nobody writes meanwhile, and reads that begin now do not need the WAL file once all of it is copied.
        while isHeldBack, waitForRead(deadline) { checkpoint() }
    }

    /// - Returns: whether it is worth trying again: a read has ended, or one that nobody knows may have.
    private mutating func waitForRead(_ deadline: DispatchTime) -> Bool {
        if let awaitedStart { return waitForEnd(ofReadsBegunBy: awaitedStart, deadline) }
        // Reads come and go while they are looked at, one after the other: none was there each time that its place was
        // looked at. Or it is a read of another connection, which tells nobody of its end.
        unknownReads += 1
        return unknownReads <= 5
    }

    /// The beginning of the read whose end is to be awaited: the oldest one that held the checkpoint back, which may have
    /// ended since. A younger one may be in the way only if there was none.
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

    /// Cuts the file to nothing if nobody reads from it. All frames are copied: it takes no time.
    private mutating func truncate() throws {
        do {
            (frameCount, checkpointedFrameCount) = try db.checkpointNow(.truncate)
            isTruncated = true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            isRefused = true
        }
    }

    // MARK: Afterwards

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

    /// Before the file has grown by a quarter of its allowance, trying again is not worth the while; unless writes are
    /// to wait, then.
    private var dueSize: Int {
        let size = db.walState?.size ?? 0
        let grown = max(size, policy.maximumSize) + max(1, policy.maximumSize / 4)
        guard let limit = policy.backpressure?.size, size <= limit else { return grown }
        return min(grown, max(limit, policy.maximumSize))
    }
}

extension WALReaders {
    /// The reads that decide how far a checkpoint may go: those of the oldest state in use. The oldest read comes
    /// first. When only other connections or processes read this state, the end of no read of the pool helps.
    func holdingBack(_ db: Database) -> [Read] {
        let holders = db.walHolders.filter(\.isInTheWay)
        guard let mark = holders.map(\.mark).min() else { return [] }
        let connections = Set(holders.filter { $0.mark == mark }.map(\.connection))
        return underWay.filter { connections.contains($0.connection) }
    }

    /// The readers that hold locks, the reader of the oldest state first.
    ///
    /// A connection of this process that isn't one of the pool is named once for each state, where no connection of the pool
    /// reads the same state: the readers of a snapshot pool have no names here.
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
