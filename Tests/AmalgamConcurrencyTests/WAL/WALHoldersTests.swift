import Amalgam
import Foundation
import TestSupport
import Testing

/// Reads prevent a reuse of the WAL file: a policy reports them, and continues when they end.
@Suite(.watchdog)
struct WALHoldersTests {
    /// A read that runs until `end()`.
    private struct LongRead {
        private let goOn = Signal("goOn")
        private let thread: Worker

        init(_ pool: DatabasePool) throws {
            let (reads, goOn) = (Signal("reads"), goOn)
            thread = Worker {
                let counts = try pool.read { db in
                    let before = try db.playerCount()
                    reads.fire()
                    try goOn.wait()
                    // Checkpoints have run, and the snapshot is unchanged.
                    return try (before, db.playerCount())
                }
                #expect(counts.0 == counts.1)
            }
            try reads.wait()
        }

        func end() throws {
            goOn.fire()
            try thread.join()
        }
    }

    /// Runs a closure during a read, and ends the read.
    private func duringRead(_ pool: DatabasePool, _ body: () throws -> Void) throws {
        let read = try LongRead(pool)
        let result = Result { try body() }
        try read.end()
        try result.get()
    }

    private func expectTruncated(_ report: WALReport) {
        #expect(report.isComplete)
        #expect(report.isTruncated)
        #expect(report.readers == [])
        #expect(report.fileSize == 0)
    }

    private func expectHeldBack(_ report: WALReport) {
        #expect(report.trigger == .size)
        #expect(report.frameCount > report.checkpointedFrameCount)
        #expect(!report.isComplete)
        #expect(report.error?.resultCode == nil)
        #expect(report.readers.count == 1)
        #expect(report.description.contains("held back by pool.reader.1 since "))
        let reader = report.oldestReader
        #expect(reader?.name == "pool.reader.1")
        #expect(reader?.processID == ProcessInfo.processInfo.processIdentifier)
        #expect((reader?.age).map { $0 > .zero && $0 < .seconds(600) } == true)
        #expect((reader?.since).map { abs($0.timeIntervalSinceNow) < 600 } == true)
    }

    @Test func aLongReadIsNamed() throws {
        let reports = Reports()
        try withPool(.tested(reports.policy())) { pool, folder in
            try duringRead(pool) {
                try pool.fillWAL(200_000)
                expectHeldBack(try reports.wait(for: "size"))
                // The file still grows.
                try pool.fillWAL(200_000)
                #expect(folder.size("db.sqlite-wal")! > 400_000)
            }
            // The trigger is the end of the read or, if the check comes after that end, the growth of the file.
            expectTruncated(try reports.wait(for: "truncation") { $0.isTruncated })
            #expect(folder.size("db.sqlite-wal") == 0)
        }
    }

    @Test func theOldestReadComesFirst() throws {
        let reports = Reports()
        try withPool(.tested(reports.policy())) { pool, _ in
            try duringRead(pool) {
                try pool.fillWAL(10)
                try duringRead(pool) {
                    try pool.fillWAL(200_000)
                    let report = try reports.wait(for: "size")
                    #expect(report.readers.map(\.name) == ["pool.reader.1", "pool.reader.2"])
                    #expect(try pool.walReport().readers.map(\.name) == ["pool.reader.1", "pool.reader.2"])
                }
            }
            let report = try reports.wait(for: "end of reads") { $0.isComplete }
            #expect(report.trigger == .readEnded)
            #expect(try pool.walReport().readers == [])
        }
    }

    /// All frames are copied, but the file can't be truncated while a connection reads from it.
    @Test func aReadOfTheLastCommit() throws {
        let reports = Reports()
        try withPool(.tested(reports.policy())) { pool, folder in
            try pool.fillWAL(100)
            let first = try LongRead(pool)
            try pool.fillWAL(200_000)
            try reports.wait(for: "first") { $0.readers.map(\.name) == ["pool.reader.1"] && !$0.isComplete }
            let second = try LongRead(pool)
            try first.end()
            try reports.wait(for: "second") { $0.readers.map(\.name) == ["pool.reader.2"] && $0.isComplete }
            #expect(folder.size("db.sqlite-wal")! > 200_000)
            try second.end()
            try reports.wait(for: "truncation") { $0.isTruncated && $0.isComplete }
            #expect(folder.size("db.sqlite-wal") == 0)
        }
    }

    @Test(arguments: [true, false])
    func snapshotsAreNamed(closes: Bool) throws {
        let reports = Reports()
        try withPool(.tested(reports.policy())) { pool, folder in
            try pool.fillWAL(100)
            var snapshot: DatabaseSnapshot? = try pool.makeSnapshot()
            try pool.fillWAL(200_000)
            let report = try reports.wait(for: "size")
            #expect(report.oldestReader?.name == "pool.snapshot.1")
            #expect(report.readers.count == 1)
            #expect(try snapshot?.read { try $0.playerCount() } == 1)
            if closes { try snapshot?.close() }
            snapshot = nil
            #expect(try reports.wait(for: "end") { $0.trigger == .readEnded }.isTruncated)
        }
    }

    @Test func snapshotPoolsAreNamed() throws {
        let reports = Reports()
        try withPool(.tested(reports.policy())) { pool, _ in
            try pool.fillWAL(100)
            let snapshot = try pool.makeSnapshotPool()
            let other = try pool.read { db in try DatabaseSnapshotPool(db) }
            try pool.fillWAL(200_000)
            #expect(try reports.wait(for: "size").readers.map(\.name) == ["pool.snapshot.0", "pool.snapshot.0"])
            try snapshot.close()
            try reports.wait(for: "end of one") { $0.trigger == .readEnded && $0.readers.count == 1 }
            try other.close()
            #expect(try reports.wait(for: "end") { $0.isComplete }.trigger == .readEnded)
        }
    }

    /// The policy reports reads of another pool in the process, and reads outside of pools.
    @Test func connectionsThatThePoolDoesNotKnow() throws {
        let reports = Reports()
        try withPool(.tested(reports.policy(age: .milliseconds(5)))) { pool, folder in
            try pool.fillWAL(100)
            let other = try DatabaseQueue(path: folder.path("db.sqlite"))
            try other.read { db in
                #expect(try db.playerCount() == 1)
                try pool.fillWAL(200_000)
                let report = try reports.wait(for: "reader") { !$0.readers.isEmpty }
                #expect(report.oldestReader?.name == "another connection of this process")
                #expect(report.oldestReader?.since == nil)
                #expect(report.description.hasSuffix("held back by another connection of this process"))
            }
            // The end of that read isn't reported: the age of the frames triggers the checkpoint.
            #expect(try reports.wait(for: "age") { $0.isTruncated }.trigger == .age)
            try other.close()
        }
    }

    /// Reads of the pool that see the last commit don't block a checkpoint: no checkpoint runs when they end, and no
    /// report names them first.
    @Test func readsThatAreNotInTheWay() async throws {
        let reports = Reports()
        try await withPool(.tested(reports.policy(size: 20_000))) { pool, folder in
            try pool.fillWAL(100)
            let other = try DatabaseQueue(path: folder.path("db.sqlite"))
            let (isReading, goOn, stops) = (Signal("isReading"), Signal("goOn"), Box(false))
            let outsider = Worker {
                try other.read { db in
                    _ = try db.playerCount()
                    isReading.fire()
                    try goOn.wait()
                }
            }
            try await isReading.value()
            // From now on, reads of the pool see a different snapshot.
            try pool.fillWAL(100)
            let readers = (0..<2).map { _ in
                Worker { while !stops.value { _ = try pool.read { try $0.playerCount() } } }
            }
            let writer = Worker { for _ in 1...300 { try pool.fillWAL(200) } }
            try await writer.value()
            stops.value = true
            for reader in readers { try await reader.value() }
            let held = reports.all.filter { !$0.readers.isEmpty }
            #expect(!held.isEmpty)
            #expect(Set(held.map { $0.oldestReader?.name }) == ["another connection of this process"])
            #expect(reports.all.count { $0.trigger == .readEnded } == 0)
            goOn.fire()
            try await outsider.value()
            try other.close()
        }
    }

    @Test func anotherProcessIsNamed() async throws {
        let (folder, reports) = (Folder(), Reports())
        let path = folder.path("db.sqlite")
        let pool = try DatabasePool(path: path, configuration: .tested(reports.policy(age: .milliseconds(20))))
        try await pool.write { try $0.createPlayers() }
        let parent = Worker {
            try eventually("other process") { folder.size("reads") != nil }
            try pool.fillWAL(200_000)
            let report = try reports.wait(for: "reader") { !$0.readers.isEmpty }
            let identifier = try #require(Int32(String(contentsOfFile: folder.path("reads"), encoding: .utf8)))
            #expect(report.readers.map(\.processID) == [identifier])
            #expect(report.oldestReader?.name == "process \(identifier)")
            #expect(report.oldestReader?.age == nil)
            try Data().write(to: URL(fileURLWithPath: folder.path("goOn")))
            #expect(try reports.wait(for: "age") { $0.isTruncated }.trigger == .age)
            #expect(try pool.read { try $0.playerCount() } == 1)
        }
        await #expect(processExitsWith: .success) { [path = path as String] in
            let other = try DatabasePool(path: path)
            try endingDeadlocks {
                try other.read { db in
                    _ = try db.playerCount()
                    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
                    let identifier = "\(ProcessInfo.processInfo.processIdentifier)"
                    try Data(identifier.utf8).write(to: folder.appendingPathComponent("reads"), options: .atomic)
                    let goOn = folder.appendingPathComponent("goOn").path
                    try eventually("go on") { FileManager.default.fileExists(atPath: goOn) }
                }
            }
        }
        try parent.join()
        try pool.close()
    }

    // MARK: Backpressure

    /// Two threads read without a pause, and each read runs until the other thread has begun its next one: SQLite alone
    /// could never restart the file. On a busy machine, any thread may pause at any point, for many writes.
    @Test(arguments: [false, true])
    func writesWaitForOverlappingReads(isBusy: Bool) throws {
        let end = Box(false)
        let load = (0..<(isBusy ? 6 : 0)).map { _ in Worker { while !end.value {} } }
        defer {
            end.value = true
            for thread in load { try? thread.join() }
        }
        let reports = Reports()
        let policy = reports.policy(backpressure: .init(size: 300_000, maximumWait: .seconds(20)))
        try withPool(.tested(policy)) { pool, folder in
            let (stops, begun) = (Box(false), [Box(0), Box(0)])
            let readers = (0..<2).map { index in
                Worker {
                    while !stops.value {
                        try pool.read { db in
                            _ = try db.playerCount()
                            let number = begun[index].increment()
                            let other = begun[1 - index]
                            try eventually("next read") { other.value >= number + index || stops.value }
                        }
                    }
                }
            }
            for _ in 1...200 {
                try pool.fillWAL(20_000)
                #expect(folder.size("db.sqlite-wal")! < 400_000)
            }
            stops.value = true
            for reader in readers { try reader.join() }
            #expect(begun[0].value > 1)
        }
    }

    @Test func writesDoNotWaitForever() throws {
        let reports = Reports()
        let policy = reports.policy(backpressure: .init(size: 150_000, maximumWait: .milliseconds(10)))
        try withPool(.tested(policy)) { pool, _ in
            try duringRead(pool) {
                try pool.fillWAL(200_000)
                let report = try reports.wait(for: "size")
                #expect(report.duration >= .milliseconds(10))
                #expect(report.oldestReader?.name == "pool.reader.1")
            }
            #expect(try reports.wait(for: "end") { $0.isTruncated }.trigger == .readEnded)
        }
    }

    /// A read that waits for a write of its pool waits for itself, up to the time limit of the policy.
    @Test func aReadThatWrites() throws {
        let reports = Reports()
        let policy = reports.policy(backpressure: .init(size: 150_000, maximumWait: .milliseconds(10)))
        try withPool(.tested(policy)) { pool, _ in
            try pool.read { db in
                #expect(try db.playerCount() == 0)
                for _ in 1...3 { try pool.fillWAL(200_000) }
            }
            // The read may end during the last attempt.
            #expect(try reports.wait(for: "end") { $0.isTruncated }.isComplete)
        }
    }

    @Test func noReadWaitsForAnything() throws {
        let reports = Reports()
        let policy = reports.policy(backpressure: .init(size: 150_000, maximumWait: .seconds(20)))
        try withPool(.tested(policy)) { pool, _ in
            try duringRead(pool) {
                let writer = Worker { try pool.fillWAL(200_000) }
                try writer.join()
                // The writer waits for the long read only: other reads begin and end.
                for _ in 1...10 { #expect(try pool.read { try $0.playerCount() } == 1) }
                #expect(reports.all.isEmpty)
            }
            #expect(try reports.wait(for: "size").isComplete)
        }
    }
}
