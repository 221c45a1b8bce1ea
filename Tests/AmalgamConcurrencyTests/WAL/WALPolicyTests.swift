import Amalgam
import Foundation
import TestSupport
import Testing

/// A policy checkpoints the WAL file when it is large or old, and sends reports.
@Suite(.watchdog)
struct WALPolicyTests {
    // MARK: When

    @Test func withoutAPolicyNothingChanges() async throws {
        try await withPool { pool, _ in
            let writer = try await pool.writeWithoutTransaction { db in
                try (Int.fetchOne(db, sql: "PRAGMA journal_size_limit")!, db.automaticCheckpoint == .frames(1000))
            }
            #expect(writer.0 == -1)
            #expect(writer.1)
            #expect(pool.lastWALReport == nil)
            for await report in pool.walReports() { Issue.record("\(report)") }
        }
    }

    @Test func beyondItsSize() throws {
        let reports = Reports()
        try withPool(.tested(reports.policy(size: 200_000))) { pool, folder in
            #expect(pool.lastWALReport == nil)
            for _ in 1...100 {
                try pool.fillWAL(50_000)
                // The checkpoint is enqueued before the next write.
                #expect(folder.size("db.sqlite-wal")! < 300_000)
            }
            let report = try reports.wait(for: "size")
            #expect(report.trigger == .size)
            #expect(report.isComplete)
            #expect(report.frameCount >= 200_000 / 4120)
            #expect(report.frameCount == report.checkpointedFrameCount)
            #expect(report.readers == [])
            #expect(report.error?.resultCode == nil)
            #expect(report.duration > .zero)
            #expect(pool.lastWALReport?.trigger == .size)
            #expect(try pool.read { try $0.playerCount() } == 100)
        }
    }

    @Test func afterItsAge() throws {
        let reports = Reports()
        try withPool(.tested(reports.policy(size: 1 << 30, age: .milliseconds(5)))) { pool, folder in
            let report = try reports.wait(for: "age")
            #expect(report.trigger == .age)
            #expect(report.isComplete)
            try pool.fillWAL(10)
            try eventually("checkpoint") { try pool.walReport().isComplete }
            #expect(try pool.walReport().trigger == .request)
        }
    }

    @Test func sizesAndAgesThatMakeNoSense() throws {
        let reports = Reports()
        let policy = reports.policy(
            size: -1, age: .seconds(-5), backpressure: .init(size: -1, maximumWait: .seconds(-1)))
        try withPool(.tested(policy)) { pool, _ in
            try pool.fillWAL(10)
            #expect(try reports.wait(for: "report").isComplete)
        }
        try withPool(.tested(reports.policy(size: .max, age: .seconds(Int64.max)))) { pool, _ in
            try pool.fillWAL(10)
        }
    }

    @Test func theApplicationsSettingsAreKept() throws {
        let reports = Reports()
        var configuration = Configuration.tested(reports.policy())
        configuration.automaticCheckpoint = .frames(7)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_size_limit = 12345") }
        try withPool(configuration) { pool, _ in
            let settings = try pool.writeWithoutTransaction { db in
                try (db.automaticCheckpoint, Int.fetchOne(db, sql: "PRAGMA journal_size_limit"))
            }
            #expect(settings.0 == .frames(7))
            #expect(settings.1 == 12345)
        }
        try withPool(.tested(reports.policy())) { pool, _ in
            let settings = try pool.writeWithoutTransaction { db in
                try (db.automaticCheckpoint, Int.fetchOne(db, sql: "PRAGMA journal_size_limit"))
            }
            #expect(settings.0 == .off)
            #expect(settings.1 == 100_000)
        }
    }

    // MARK: The reports

    @Test func aQueueInWALMode() throws {
        let (folder, reports) = (Folder(), Reports())
        var configuration = Configuration.tested(reports.policy())
        configuration.journalMode = .wal
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: configuration)
        try queue.write { try $0.createPlayers() }
        try queue.fillWAL(200_000)
        #expect(try reports.wait(for: "size").isComplete)
        #expect(try queue.walReport().isComplete)
        #expect(queue.lastWALReport?.trigger == .size)
        try queue.close()
        try databaseError(.SQLITE_MISUSE) { try queue.walReport() }
    }

    @Test func withoutAWALFile() throws {
        let (folder, reports) = (Folder(), Reports())
        let policy = Configuration.tested(reports.policy(age: .zero))
        for queue in [
            try DatabaseQueue(configuration: policy),
            try DatabaseQueue(path: folder.path("db.sqlite"), configuration: policy),
        ] {
            try queue.write { try $0.createPlayers() }
            try queue.fillWAL(200_000)
            try databaseError(.SQLITE_ERROR) { try queue.walReport() }
            try queue.close()
        }
        #expect(reports.all.isEmpty)
    }

    @Test func aReadOnlyPool() throws {
        let reports = Reports()
        try withPool { pool, folder in
            var configuration = Configuration.tested(reports.policy(size: 1, age: .zero))
            configuration.readonly = true
            let reader = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
            #expect(try reader.read { try $0.playerCount() } == 0)
            try reader.close()
        }
        #expect(reports.all.isEmpty)
    }

    @Test func transactionsLeftOpenOnPurpose() throws {
        let reports = Reports()
        var configuration = Configuration.tested(reports.policy())
        configuration.allowsUnsafeTransactions = true
        try withPool(configuration) { pool, _ in
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO player (name) VALUES (zeroblob(200000)); BEGIN IMMEDIATE")
            }
            try pool.writeWithoutTransaction { try $0.addPlayer() }
            #expect(reports.all.isEmpty)
            try pool.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            #expect(try reports.wait(for: "size").isComplete)
        }
    }

    // MARK: Reports

    @Test func aSequenceOfReports() async throws {
        let reports = Reports()
        let folder = Folder()
        let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: .tested(reports.policy()))
        let (stream, other) = (pool.walReports(), pool.walReports())
        try await pool.write { try $0.createPlayers() }
        for _ in 1...3 { try pool.fillWAL(150_000) }
        var triggers: [WALReport.Trigger] = []
        for await report in stream {
            triggers.append(report.trigger)
            if triggers.count == 3 { break }
        }
        #expect(triggers == [.size, .size, .size])
        try pool.close()
        // Closing the pool ends the loop.
        var count = 0
        for await _ in other { count += 1 }
        #expect(count == 3)
        for await _ in pool.walReports() { Issue.record("a report of a closed pool") }
    }

    @Test func aHandlerMayUseTheDatabase() throws {
        let counts = Log<Int>()
        let (pool, done) = (Box<DatabasePool?>(nil), Signal())
        let policy = WALPolicy(maximumSize: 100_000, maximumAge: nil) { _ in
            guard let pool = pool.value else { return }
            counts.append((try? pool.write { try $0.playerCount() }) ?? -1)
            done.fire()
        }
        try withPool(.tested(policy)) { newPool, _ in
            pool.value = newPool
            try newPool.fillWAL(150_000)
            try done.wait()
            pool.value = nil
        }
        #expect(counts.elements == [1])
    }

    @Test func whatAReportSays() throws {
        let reports = Reports()
        try withPool(.tested(reports.policy())) { pool, _ in
            try pool.fillWAL(150_000)
            let text = try reports.wait(for: "size").description
            #expect(text.hasPrefix("size: "))
            #expect(text.contains(" frames, "))
            #expect(!text.contains("held back"))
        }
    }

    /// A checkpoint fails because another connection runs a checkpoint, which waits for the end of the write.
    @Test func errorsAreReported() throws {
        let reports = Reports()
        try withPool(.tested(reports.policy())) { pool, _ in
            let (waits, goOn) = (Signal("waits"), Signal("goOn"))
            let others = try DatabaseQueue(
                path: pool.path,
                configuration: .tested {
                    $0.busyMode = .callback { _ in
                        waits.fire()
                        try? goOn.wait()
                        return false
                    }
                })
            let checkpoint = try pool.write { db in
                try db.execute(sql: "INSERT INTO player (name) VALUES (zeroblob(150000))")
                let checkpoint = Worker {
                    try others.inDatabase { db in _ = try databaseError(.SQLITE_BUSY) { try db.checkpoint(.full) } }
                }
                try waits.wait()
                return checkpoint
            }
            let report = try reports.wait(for: "error")
            #expect(report.error?.resultCode == .SQLITE_BUSY)
            #expect(!report.isComplete)
            #expect(report.checkpointedFrameCount < report.frameCount)
            #expect(report.description.contains("locked"))
            goOn.fire()
            try checkpoint.join()
            try others.close()
            // The next attempt comes when the file has grown. The other connection has copied the earlier frames.
            try pool.fillWAL(300_000)
            #expect(try reports.wait(for: "success") { $0.isComplete }.trigger == .size)
        }
    }

    /// An interruption stops running statements, but no later checkpoint.
    @Test func interruptionsDoNotStopTheNextCheckpoint() throws {
        let reports = Reports()
        try withPool(.tested(reports.policy())) { pool, _ in
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO player (name) VALUES (zeroblob(150000))")
                pool.interrupt()
            }
            #expect(try reports.wait(for: "size").isComplete)
        }
    }

    // MARK: Suspension

    /// Commits the content of a WAL file, and suspends the pool before the end of the access: a commit is allowed.
    private func fillAndSuspend(_ pool: DatabasePool) throws {
        try pool.write { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES (zeroblob(200000))")
            pool.suspend()
        }
    }

    @Test func aSuspendedPoolIsCheckpointedWhenItIsResumed() throws {
        let reports = Reports()
        try withPool(.tested(reports.policy())) { pool, _ in
            try fillAndSuspend(pool)
            // Reads and refused writes have no effect.
            #expect(try pool.read { try $0.playerCount() } == 1)
            #expect(throws: DatabaseError.self) { try pool.fillWAL(10) }
            _ = try pool.writeWithoutTransaction { try $0.playerCount() }
            #expect(try pool.walReport().checkpointedFrameCount == 0)
            #expect(reports.all.isEmpty)
            pool.resume()
            let report = try reports.wait(for: "size")
            #expect(report.trigger == .size)
            #expect(report.isComplete)
        }
    }

    /// The checkpoint was already enqueued.
    @Test func aCheckpointThatFindsThePoolSuspendedComesLater() throws {
        let reports = Reports()
        try withPool(.tested(reports.policy())) { pool, _ in
            let goOn = Signal("goOn")
            pool.asyncWriteWithoutTransaction { _ in try? goOn.wait() }
            pool.asyncWriteWithoutTransaction { db in
                try? db.execute(sql: "INSERT INTO player (name) VALUES (zeroblob(200000))")
            }
            // Enqueued before the checkpoint.
            pool.asyncWriteWithoutTransaction { _ in pool.suspend() }
            goOn.fire()
            let wal = try pool.walReport()
            #expect(wal.frameCount > 40)
            #expect(wal.checkpointedFrameCount == 0)
            #expect(reports.all.isEmpty)
            pool.resume()
            let report = try reports.wait(for: "size")
            #expect(report.isComplete)
        }
    }

    @Test func framesAgeWhileThePoolIsSuspended() throws {
        let reports = Reports()
        try withPool(.tested(reports.policy(size: 1 << 30, age: .milliseconds(20)))) { pool, _ in
            try fillAndSuspend(pool)
            #expect(try pool.walReport().checkpointedFrameCount < pool.walReport().frameCount)
            Signal.giveOthersAChance()
            let count = reports.all.count
            pool.resume()
            try eventually("age") { reports.all.count > count && reports.all.last?.isComplete == true }
            #expect(reports.all.last?.trigger == .age)
        }
    }

    /// The end of a read makes a checkpoint due, which is deferred.
    @Test func aReadEndsWhileThePoolIsSuspended() throws {
        let reports = Reports()
        try withPool(.tested(reports.policy())) { pool, _ in
            try pool.fillWAL(10)
            try pool.read { db in
                #expect(try db.playerCount() == 1)
                try pool.fillWAL(200_000)
                try reports.wait(for: "size") { $0.readers.count == 1 }
                pool.suspend()
            }
            #expect(try !pool.walReport().isComplete)
            pool.resume()
            #expect(try reports.wait(for: "end") { $0.isComplete }.trigger == .readEnded)
        }
    }

    @Test func closingASuspendedPool() throws {
        let (folder, reports) = (Folder(), Reports())
        let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: .tested(reports.policy()))
        try pool.write { try $0.createPlayers() }
        try fillAndSuspend(pool)
        try pool.close()
        pool.resume()
        pool.suspend()
        #expect(reports.all.isEmpty)
    }

    // MARK: Closing

    @Test func closingWhileACheckpointIsInLine() async throws {
        let (folder, reports) = (Folder(), Reports())
        let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: .tested(reports.policy()))
        try await pool.write { try $0.createPlayers() }
        let stream = pool.walReports()
        let (isWriting, isClosing) = (Signal("writing"), Signal("closing"))
        pool.asyncWriteWithoutTransaction { db in
            try? db.execute(sql: "INSERT INTO player (name) VALUES (zeroblob(200000))")
            isWriting.fire()
            try? isClosing.wait()
        }
        try await isWriting.value()
        let closer = Worker { try pool.close() }
        // The call of `close` waits in the queue: the checkpoint comes after it.
        try eventually("close") { pool.metrics.writer.waiting == 1 }
        isClosing.fire()
        try closer.join()
        for await report in stream { Issue.record("\(report)") }
        #expect(pool.lastWALReport == nil)
        try databaseError(.SQLITE_MISUSE) { try pool.walReport() }
    }

    @Test func releasingAPoolWithATimer() throws {
        let (folder, reports) = (Folder(), Reports())
        for _ in 1...20 {
            let policy = reports.policy(size: 10_000, age: .microseconds(100))
            let pool = try DatabasePool(path: folder.path("\(UUID()).sqlite"), configuration: .tested(policy))
            try pool.write { try $0.createPlayers() }
            try pool.fillWAL(20_000)
        }
        #expect(reports.all.allSatisfy { $0.error?.resultCode == nil })
    }
}
