import Amalgam
import AmalgamCore
import CAmalgam
import ChildProcesses
import Foundation
import TestSupport
import Testing

@testable import AmalgamFullText

/// Two full-text tables of one file, which four connections of this process and another process write.
///
/// Rows, order and the bits of ranks have to be those of FTS5's own search, and the terms for typos complete, in each
/// connection and after each step.
@Suite("Random states of ranked searches")
struct RandomRankedStates {
    enum Step: CustomStringConvertible {
        case write(Int, String, seed: UInt64), search(Int, String), savepoint(Int, String, seed: UInt64)
        case recreate(Int, String, seed: UInt64), swap(Int, isInTransaction: Bool), restore(Int), vacuum(Int)
        case checkpoint(Int, String), command(Int, String, String), other(String), snapshot, schema(Int)
        case restart(Int, seed: UInt64)

        var description: String {
            switch self {
            case .write(let at, let name, let seed): "write(\(at), \(name), \(seed))"
            case .search(let at, let name): "search(\(at), \(name))"
            case .savepoint(let at, let name, let seed): "savepoint(\(at), \(name), \(seed))"
            case .recreate(let at, let name, let seed): "recreate(\(at), \(name), \(seed))"
            case .swap(let at, let isInTransaction): "swap(\(at), \(isInTransaction))"
            case .restore(let at): "restore(\(at))"
            case .vacuum(let at): "vacuum(\(at))"
            case .checkpoint(let at, let mode): "checkpoint(\(at), \(mode))"
            case .restart(let at, let seed): "restart(\(at), \(seed))"
            case .command(let at, let name, let command): "command(\(at), \(name), \(command))"
            case .other(let sql): "other(\(sql))"
            case .snapshot: "snapshot"
            case .schema(let at): "schema(\(at))"
            }
        }
    }

    @Test("have the ranks of FTS5's functions, and all terms", arguments: seeds(12))
    func states(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let mode = ["WAL", "WAL", "DELETE"].randomElement(using: &random)!
        let isSparse = Int.random(in: 0..<3, using: &random) == 0
        // With small pages, the lengths and the index of these few rows are on several levels of pages.
        let pageSize = [512, 512, 4_096].randomElement(using: &random)!
        let steps = (0..<70).map { _ in step(&random) }
        let run = { steps in try RankedProgram.run(steps, mode, isSparse, pageSize) }
        guard let failure = try run(steps) else { return }
        let shortest = shrunk(steps) { steps in (try? run(steps)) ?? nil != nil }
        Issue.record("\(mode), sparse: \(isSparse), pages of \(pageSize) bytes: \(failure); \(shortest)")
    }

    private func step(_ random: inout SeededGenerator) -> Step {
        let at = Int.random(in: 0..<4, using: &random)
        let name = ["t0", "t1"].randomElement(using: &random)!
        let seed = random.next() % 1_000_000
        switch Int.random(in: 0..<36, using: &random) {
        case 0..<9: return .write(at, name, seed: seed)
        case 9..<18: return .search(at, name)
        case 18, 19: return .savepoint(at, name, seed: seed)
        case 20: return .recreate(at, name, seed: seed)
        case 21, 22: return .swap(at, isInTransaction: seed % 2 == 0)
        case 23: return seed % 2 == 0 ? .restore(at) : .vacuum(at)
        case 24: return .checkpoint(at, ["PASSIVE", "RESTART", "TRUNCATE"].randomElement(using: &random)!)
        case 25: return .command(at, name, ["optimize", "rebuild", "merge"].randomElement(using: &random)!)
        case 26: return .schema(at)
        case 27: return .snapshot
        case 28..<32: return .restart(at, seed: seed)
        default: return .other(RankedProgram.sql(name, seed: seed))
        }
    }
}

/// Runs steps, and finds the first difference.
private final class RankedProgram {
    private let folder = Folder()
    private let queues: [DatabaseQueue]
    private let backup: DatabaseQueue
    private let process: ChildProcess
    private let mode: String
    private let factor: Int64
    private var failure: String?
    private var isInSnapshot = false

    /// - Returns: A description of the difference; nil if there is none.
    static func run(
        _ steps: [RandomRankedStates.Step], _ mode: String, _ isSparse: Bool, _ pageSize: Int
    ) throws -> String? {
        let program = try RankedProgram(mode, isSparse, pageSize)
        for (number, step) in steps.enumerated() where program.failure == nil {
            do {
                try program.run(step)
            } catch let error as DatabaseError
                where error.resultCode == .SQLITE_BUSY || error.resultCode == .SQLITE_LOCKED
            {
                // The snapshot is in the way.
            }
            if let failure = program.failure { program.failure = "step \(number), \(step): \(failure)" }
        }
        try program.close()
        return program.failure
    }

    private init(_ mode: String, _ isSparse: Bool, _ pageSize: Int) throws {
        let path = folder.url.appending(path: "t.sqlite").path
        self.mode = mode
        factor = isSparse ? 7_919_000_000_007 : 1
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        configuration.allowsUnsafeTransactions = true
        backup = try DatabaseQueue()
        queues = try (0..<4).map { _ in try DatabaseQueue(path: path, configuration: configuration) }
        let process = try ChildProcess("amalgam-external-writer", [path])
        // The process has opened the file when it answers.
        try process.say("SELECT 1")
        _ = process.readLine()
        self.process = process
        for queue in [backup, queues[0]] {
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA page_size = \(pageSize)")
                try db.execute(sql: queue === backup ? "SELECT 1" : "PRAGMA journal_mode = \(mode)")
                for name in ["t0", "t1"] { try create(db, name) }
                for seed in 1...3 as ClosedRange<UInt64> {
                    try write(db, "t0", seed: seed + (queue === backup ? 9 : 0))
                }
            }
        }
    }

    private func close() throws {
        process.kill()
        _ = process.wait()
        for queue in queues {
            try queue.writeWithoutTransaction { db in if db.isInsideTransaction { try db.rollback() } }
            try queue.close()
        }
    }

    private func run(_ step: RandomRankedStates.Step) throws {
        switch step {
        case .write(let at, let name, let seed):
            try access(at) { db in
                try db.inTransaction {
                    try write(db, name, seed: seed)
                    if seed % 3 == 0 { try check(db, name) }
                    if seed % 4 == 0 { try write(db, seed % 8 == 0 ? "t0" : "t1", seed: seed + 1) }
                    if seed % 5 == 0 { try check(db, name) }
                    return seed % 7 == 0 ? .rollback : .commit
                }
            }
        case .search(let at, let name): try access(at, writes: false) { db in try check(db, name) }
        case .savepoint(let at, let name, let seed):
            try access(at) { db in
                try db.inTransaction {
                    try write(db, name, seed: seed)
                    try check(db, name)
                    try db.inSavepoint {
                        try write(db, name, seed: seed + 2)
                        try check(db, name)
                        return seed % 2 == 0 ? .rollback : .commit
                    }
                    try check(db, name)
                    return seed % 5 == 0 ? .rollback : .commit
                }
                try check(db, name)
            }
        case .recreate(let at, let name, let seed):
            try access(at) { db in
                try db.inTransaction {
                    try db.execute(sql: "DROP TABLE \(name)")
                    try create(db, name)
                    try write(db, name, seed: seed)
                    if seed % 2 == 0 { try check(db, name) }
                    try write(db, name, seed: seed + 1)
                    return seed % 5 == 0 ? .rollback : .commit
                }
            }
        case .swap(let at, let isInTransaction):
            try access(at) { db in
                if isInTransaction { try db.beginTransaction() }
                if isInTransaction { try write(db, "t0", seed: UInt64(at)) }
                try db.execute(
                    sql: "ALTER TABLE t0 RENAME TO other; ALTER TABLE t1 RENAME TO t0; ALTER TABLE other RENAME TO t1")
                if isInTransaction { try check(db, "t1") }
                if isInTransaction { try db.commit() }
            }
        case .restore(let at): if !isInSnapshot || at != 3 { try backup.backup(to: queues[at]) }
        case .vacuum(let at): try access(at) { db in try db.execute(sql: "VACUUM") }
        case .checkpoint(let at, let kind):
            try access(at) { db in try db.execute(sql: "PRAGMA wal_checkpoint(\(kind))") }
        case .restart(let at, let seed): try restart(at, seed: seed)
        case .command(let at, let name, let command):
            try access(at) { db in
                try db.execute(
                    sql: "INSERT INTO \(name)(\(name), rank) VALUES (?, ?)",
                    arguments: [command, command == "merge" ? 50 : nil])
            }
        case .other(let sql): try say(sql)
        case .schema(let at):
            try access(at) { db in
                try db.execute(sql: "CREATE TABLE IF NOT EXISTS o (x); INSERT INTO o VALUES (randomblob(5000))")
            }
        case .snapshot: try toggleSnapshot()
        }
    }

    /// Lets the next write begin a new WAL file. This may be a write of a connection or of the other process, of a table that
    /// was searched at the end of the old file or before it.
    private func restart(_ at: Int, seed: UInt64) throws {
        let name = seed % 2 == 0 ? "t0" : "t1"
        if seed % 3 == 0 { try access((at + 1) % 3, writes: false) { db in try check(db, name) } }
        if seed % 4 == 0 { try access(at) { db in try write(db, name, seed: seed) } }
        let mode = seed % 5 == 0 ? "TRUNCATE" : seed % 5 == 1 ? "PASSIVE" : "RESTART"
        try access(at) { db in try db.execute(sql: "PRAGMA wal_checkpoint(\(mode))") }
        let writesOtherTable = seed % 7 == 0
        let sql = writesOtherTable ? "CREATE TABLE IF NOT EXISTS o (x)" : Self.sql(name, seed: seed)
        if seed % 11 < 3 {
            try say(sql)
        } else {
            try access((at + 1) % 4) { db in try db.execute(sql: sql.replacing("$", with: "\(factor)")) }
        }
        try access((at + 2) % 4, writes: false) { db in try check(db, name) }
    }

    /// Runs a statement in the other process.
    private func say(_ sql: String) throws {
        try process.say(sql.replacing("$", with: "\(factor)"))
        _ = process.readLine()
    }

    /// In WAL mode, the last connection may keep its snapshot while others write.
    private func toggleSnapshot() throws {
        if mode != "WAL" { return }
        try queues[3].writeWithoutTransaction { db in
            try db.execute(sql: isInSnapshot ? "COMMIT" : "BEGIN; SELECT count(*) FROM t0")
        }
        isInSnapshot.toggle()
    }

    private func access(_ at: Int, writes: Bool = true, _ body: (Database) throws -> Void) throws {
        if isInSnapshot && writes && at == 3 { return }
        try queues[at].writeWithoutTransaction { db in
            do { try body(db) } catch {
                if db.isInsideTransaction && !(isInSnapshot && at == 3) { try db.rollback() }
                throw error
            }
        }
    }

    private func create(_ db: Database, _ name: String) throws {
        try db.execute(sql: "CREATE VIRTUAL TABLE \(name) USING fts5(x)")
    }

    /// A statement of the other process.
    static func sql(_ name: String, seed: UInt64) -> String {
        let rowID = "\(seed % 300 + 1) * $"
        let text = "'a b' || replace(hex(zeroblob(\(seed % 30))), '00', ' c') || ' w\(seed % 50)'"
        return switch seed % 4 {
        case 0: "DELETE FROM \(name) WHERE rowid = \(rowID)"
        case 1: "UPDATE \(name) SET x = \(text) WHERE rowid = \(rowID)"
        default: "INSERT OR REPLACE INTO \(name)(rowid, x) VALUES (\(rowID), \(text))"
        }
    }

    private func write(_ db: Database, _ name: String, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 1...40, using: &random) {
            let sql = Self.sql(name, seed: random.next() % 1_000_000)
            try db.execute(sql: sql.replacing("$", with: "\(factor)"))
        }
    }

    private func check(_ db: Database, _ name: String) throws {
        for query in ["a OR c", "a AND c", "w1"] {
            let sql = "SELECT rowid, rank FROM \(name) WHERE \(name) MATCH ? ORDER BY rank, rowid"
            let found = try RankedRow.fetchAll(db, sql: sql, arguments: [query])
            let expected = try db.withoutRankedSearches { try RankedRow.fetchAll(db, sql: sql, arguments: [query]) }
            if found != expected {
                failure = "\(name) MATCH '\(query)': \(found.count) rows, \(expected.count) expected"
            }
        }
        let terms = try FullTextIndex(db: db, table: name).terms()
        try db.execute(
            sql: "CREATE VIRTUAL TABLE IF NOT EXISTS temp.\(name)_term USING fts5vocab(main, '\(name)', 'row')")
        for term in try String.fetchAll(db, sql: "SELECT term FROM temp.\(name)_term")
        where terms.frequencyClass(of: term) == nil {
            failure = "\(name) has no term \(term)"
        }
    }
}
