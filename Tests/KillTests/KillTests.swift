import Amalgam
import ChildProcesses
import Foundation
import Testing

/// If a process is killed during its work, no acknowledged commit is lost, and no transaction is partially stored.
///
/// `scripts/proof/kill-test` runs many rounds. A failure reports its seed: `scripts/proof/kill-test --seed N` starts
/// with it.
@Suite(.serialized) struct KillTests {
    @Test(arguments: ["journal", "persist", "wal", "fullPool", "pool"])
    func kill(kind: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("amalgam-kill-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("db.sqlite").path
        try createTables(path)
        var seeds = Seeds()
        var acknowledged = 0
        for round in 1...Self.rounds {
            let seed = seeds.next()
            let writer = try Writer(kind: kind, path: path, seed: seed)
            // Sometimes before the first commit of the process, or while it opens the database.
            if round % 3 != 0 { writer.waitForCommit() }
            writer.kill(afterMilliseconds: Double(seed % 1000) / 1000 * Self.longestLife)
            acknowledged = max(acknowledged, try writer.lastAcknowledgedBatch())
            // In every other round, the next process recovers the database.
            if round % 2 == 1 && round != Self.rounds { continue }
            try check(path, acknowledged: acknowledged, "\(kind), round \(round), seed \(seed)")
        }
        print("kill: \(kind): \(Self.rounds) rounds, \(acknowledged) transactions")
        #expect(acknowledged > 0)
    }

    static let rounds = ProcessInfo.processInfo.environment["AMALGAM_KILL_ROUNDS"].flatMap { Int($0) } ?? 8

    /// In milliseconds: by then, the writer has opened the database, and committed some transactions.
    static let longestLife = ProcessInfo.processInfo.environment["AMALGAM_KILL_LIFE"].flatMap { Double($0) } ?? 60

    private func createTables(_ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA auto_vacuum = INCREMENTAL;
                    CREATE TABLE batch (number INTEGER PRIMARY KEY, size INTEGER NOT NULL);
                    CREATE TABLE entry (batch INTEGER, position INTEGER, content BLOB, PRIMARY KEY (batch, position));
                    CREATE TABLE total (entries INTEGER NOT NULL);
                    INSERT INTO total VALUES (0);
                    """)
        }
        try queue.close()
    }

    /// Opens the database, which recovers it, and checks all of its content.
    private func check(_ path: String, acknowledged: Int, _ story: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.read { db in
            let integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            #expect(integrity == ["ok"], "\(story)")
            let last = try Int.fetchOne(db, sql: "SELECT MAX(number) FROM batch") ?? 0
            #expect(last >= acknowledged, "\(story): transactions are lost")
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM batch")
            #expect(count == last, "\(story): there are gaps")
            let broken = try Int.fetchAll(
                db,
                sql: """
                    SELECT number FROM batch
                    WHERE size != (SELECT COUNT(*) FROM entry WHERE entry.batch = number AND position < 1000)
                    """)
            #expect(broken == [], "\(story): batches are incomplete")
            let strays = try Int.fetchOne(
                db, sql: "SELECT COUNT(*) FROM entry WHERE batch NOT IN (SELECT number FROM batch) OR position >= 1000")
            #expect(strays == 0, "\(story): entries of no batch")
            let total = try Int.fetchOne(db, sql: "SELECT entries - (SELECT COUNT(*) FROM entry) FROM total")
            #expect(total == 0, "\(story): the running total is another one")
        }
        try queue.close()
    }
}

/// The seeds of the rounds, from one that the environment may set.
private struct Seeds {
    private var seed =
        ProcessInfo.processInfo.environment["AMALGAM_KILL_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 1...1_000_000)

    mutating func next() -> UInt64 {
        defer { seed = (seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407) >> 20 }
        return seed
    }
}

/// The process that writes.
private final class Writer {
    private let process: ChildProcess

    init(kind: String, path: String, seed: UInt64) throws {
        process = try ChildProcess("amalgam-kill-writer", [kind, path, "\(seed)"])
    }

    /// Waits until the process writes output, or ends.
    func waitForCommit() { process.waitForOutput() }

    func kill(afterMilliseconds delay: Double) {
        Thread.sleep(forTimeInterval: delay / 1000)
        process.kill()
    }

    /// Returns the last number that the process has written completely.
    func lastAcknowledgedBatch() throws -> Int {
        #expect(process.wait() == .signal(SIGKILL), "the writer ended before it was killed")
        return process.remainingLines().last.flatMap { Int($0) } ?? 0
    }
}
