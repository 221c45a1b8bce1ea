import Amalgam
import Foundation
import TestSupport
import Testing

/// The clients of the bank: each function adds one.
extension Bank {
    // MARK: Threads

    func addWritingThread(_ group: inout Group) {
        addThread(&group) { [self] dice in
            switch dice.number(0...3) {
            case 0: pay(&dice) { payment in try writer.barrierWriteWithoutTransaction { try $0.transaction(payment) } }
            case 1: pay(&dice) { payment in try writer.unsafeReentrantWrite { try $0.transaction(payment) } }
            default: pay(&dice) { payment in try writer.write(payment) }
            }
        }
    }

    func addReadingThread(_ group: inout Group) {
        addThread(&group) { [self] dice in
            inspect { check in try writer.read(check) }
        }
    }

    func addSchedulingThread(_ group: inout Group) {
        addThread(&group) { [self] dice in
            let ended = Signal("scheduled access")
            if dice.once(in: 2) {
                let payment = ledger.makePayment(&dice)
                writer.asyncWrite(payment.run) { _, result in
                    self.note(payment, result)
                    ended.fire()
                }
            } else {
                let floor = ledger.acknowledgedCount
                writer.asyncRead { result in
                    self.tolerating { try self.ledger.check(result.get(), atLeast: floor) }
                    ended.fire()
                }
            }
            try ended.wait()
        }
    }

    // MARK: Tasks

    /// Adds a task that is sometimes cancelled: before, during or after its access.
    func addWritingTask(_ group: inout Group) {
        addTask(&group) { [self] dice in
            let payment = ledger.makePayment(&dice)
            let writer = writer
            let task = Task { try await writer.write(payment.run) }
            await cancel(task, &dice)
            note(payment, await task.result)
        }
    }

    func addReadingTask(_ group: inout Group) {
        addTask(&group) { [self] dice in
            let (writer, floor) = (writer, ledger.acknowledgedCount)
            let task = Task { _ = try await writer.read { db in try self.ledger.check(db, atLeast: floor) } }
            await cancel(task, &dice)
            if case .failure(let error) = await task.result { judge(error) }
        }
    }

    private func cancel(_ task: Task<Void, any Error>, _ dice: inout Dice) async {
        guard dice.once(in: 2) else { return }
        for _ in 0..<dice.number(0...20) { await Task.yield() }
        task.cancel()
    }

    // MARK: Snapshots

    /// Adds a thread that checks that a snapshot always sees one total, and one number of payments.
    func addSnapshotThread(_ group: inout Group) {
        addThread(&group) { [self] dice in
            guard let pool = writer as? DatabasePool else { return }
            let floor = ledger.acknowledgedCount
            tolerating {
                let snapshot = try pool.makeSnapshot()
                let count = try snapshot.read { try ledger.check($0, atLeast: floor) }
                for _ in 0..<4 { try snapshot.read { try self.ledger.checkSnapshot($0, count) } }
            }
        }
    }

    func addSnapshotPoolThread(_ group: inout Group) {
        addThread(&group) { [self] dice in
            // A truncated WAL file can't be pinned.
            guard let pool = writer as? DatabasePool, let snapshot = try? pool.makeSnapshotPool() else { return }
            let count = try snapshot.read { try ledger.check($0, atLeast: 0) }
            try onThreads(2) { _ in try snapshot.read { try self.ledger.checkSnapshot($0, count) } }
            _ = snapshot
        }
    }

    func addSnapshotTask(_ group: inout Group) {
        addTask(&group) { [self] dice in
            guard let pool = writer as? DatabasePool, let snapshot = try? pool.makeSnapshotPool() else { return }
            let count = try await snapshot.read { try self.ledger.check($0, atLeast: 0) }
            let task = Task { try await snapshot.read { try self.ledger.checkSnapshot($0, count) } }
            await cancel(task, &dice)
            if case .failure(let error) = await task.result, !(error is CancellationError) { throw error }
        }
    }

    // MARK: Versions

    /// Adds a thread that checks versions: a version with more payments is newer, and a read at a version sees its
    /// content, or throws because it is lost.
    func addVersionThread(_ group: inout Group) {
        addThread(&group) { [self] dice in
            guard let pool = writer as? DatabasePool else { return }
            tolerating {
                let (earlier, count) = try pool.read { try ($0.snapshotVersion(), ledger.check($0, atLeast: 0)) }
                let (later, laterCount) = try pool.read { try ($0.snapshotVersion(), ledger.check($0, atLeast: count)) }
                ledger.checkOrder(later.order(relativeTo: earlier), count, laterCount)
                do {
                    try pool.read(at: earlier) { try self.ledger.checkSnapshot($0, count) }
                } catch DatabaseError.SQLITE_ERROR_SNAPSHOT {
                }
            }
        }
    }

    /// Adds a thread that checks that concurrent reads see what the write has committed.
    func addConcurrentReadThread(_ group: inout Group) {
        addThread(&group) { [self] dice in
            let ended = Signal("concurrent read")
            let payment = ledger.makePayment(&dice)
            let writer = writer
            let result = writer.writeWithoutTransaction { db in
                let result = Result { try db.transaction(payment.run) }
                let isCommitted = (try? result.get()) != nil
                writer.spawnConcurrentRead { read in
                    self.tolerating {
                        try self.ledger.check(read.get(), atLeast: 0)
                        let isThere = try Bool.fetchOne(
                            read.get(), sql: "SELECT EXISTS (SELECT 1 FROM payment WHERE id = ?)",
                            arguments: [payment.id])
                        if isThere != isCommitted { self.ledger.complain("payment \(payment.id) is not told rightly") }
                    }
                    ended.fire()
                }
                return result
            }
            note(payment, result)
            try ended.wait()
        }
    }

    // MARK: Disturbances

    /// Adds operations without an effect on the content: checkpoints, barriers, releases of memory.
    func addDisturbance(_ group: inout Group) {
        addThread(&group) { [self] dice in
            let pool = writer as? DatabasePool
            switch dice.number(0...7) {
            case 0:
                // With a busy timeout, checkpoints other than passive ones wait for all readers, including snapshots.
                let kinds =
                    trouble.contains(.externalWriter) ? ["PASSIVE"] : ["PASSIVE", "FULL", "RESTART", "TRUNCATE"]
                let kind = kinds.randomElement(using: &dice)!
                writer.writeWithoutTransaction { _ = try? Row.fetchOne($0, sql: "PRAGMA wal_checkpoint(\(kind))") }
            case 1: inspect { check in try writer.barrierWriteWithoutTransaction { try $0.transaction(check) } }
            case 2: pool?.invalidateReadOnlyConnections()
            case 3: pool?.releaseMemory()
            case 4: pool?.releaseMemoryEventually()
            case 5: ledger.check((writer as? any Metered)?.metrics)
            default: inspect { check in try writer.read(check) }
            }
            if trouble.contains(.interrupts), dice.once(in: 4) { writer.interrupt() }
            if trouble.contains(.closes), dice.once(in: 60) { try reopen() }
            if trouble.contains(.suspensions), dice.once(in: 4) {
                let writer = writer
                writer.suspend()
                inspect { check in try writer.read(check) }
                writer.resume()
            }
        }
    }

    /// Adds a separate connection to the same database, like that of another program.
    func addExternalWriter(_ group: inout Group, _ queue: DatabaseQueue) {
        addThread(&group) { [self] dice in
            pay(&dice) { payment in try queue.write(payment) }
            inspect { check in try queue.read(check) }
        }
    }

    /// Adds a separate pool that can't write to the file.
    func addExternalReaders(_ group: inout Group, path: String) throws {
        var configuration = Configuration.hasty(waits: true)
        configuration.readonly = true
        let pool = try DatabasePool(path: path, configuration: configuration)
        addThread(&group) { [self] dice in
            inspect { check in try pool.read(check) }
        }
        addTask(&group) { [self] dice in
            do {
                try await pool.read { _ = try self.ledger.check($0, atLeast: 0) }
            } catch {
                judge(error)
            }
        }
    }
}

/// A database with metrics.
private protocol Metered {
    var metrics: DatabaseMetrics { get }
}

extension DatabaseQueue: Metered {}
extension DatabasePool: Metered {}

extension Configuration {
    /// Returns a configuration that doesn't wait for the disk.
    ///
    /// - Parameter waits: Whether connections wait for locks of others.
    static func hasty(waits: Bool) -> Configuration {
        tested {
            if waits { $0.busyMode = .timeout(600) }
            $0.maximumReaderCount = 3
            $0.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        }
    }

    static func hasty(_ trouble: Bank.Trouble) -> Configuration {
        var configuration = hasty(waits: trouble.contains(.externalWriter) && !trouble.contains(.impatience))
        if trouble.contains(.walPolicy) {
            configuration.walPolicy = WALPolicy(
                maximumSize: 20_000, maximumAge: .milliseconds(2),
                backpressure: .init(size: 200_000, maximumWait: .milliseconds(5)))
        }
        return configuration
    }
}

extension Database {
    /// Runs a closure in a separate transaction.
    fileprivate func transaction(_ body: (Database) throws -> Void) throws {
        try inTransaction {
            try body(self)
            return .commit
        }
    }
}

extension Ledger {
    /// Checks that a snapshot still has the same number of payments.
    fileprivate func checkSnapshot(_ db: Database, _ count: Int) throws {
        let newCount = try check(db, atLeast: count)
        if newCount != count { complain("a snapshot of \(count) payments has \(newCount)") }
    }

    /// Checks that a newer version has at least as many payments, and the same version has equally many. Commits
    /// contain payments only, but opening a pool may write an empty commit.
    fileprivate func checkOrder(_ order: SnapshotVersion.Order?, _ count: Int, _ laterCount: Int) {
        switch order {
        case .newer where laterCount >= count, .same where laterCount == count, nil: break
        default: complain("\(laterCount) payments after \(count), and the version is \(String(describing: order))")
        }
    }

    fileprivate func check(_ metrics: DatabaseMetrics?) {
        guard let metrics else { return }
        if metrics.writer.running > 1 || metrics.readers.running > 3 { complain("too many accesses: \(metrics)") }
    }
}
