import Amalgam
import CAmalgam
import Foundation

/// Runs scenarios, and reports the defects that it finds afterwards.
struct ScenarioRunner {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(component: "amalgam-reentrancy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Opens the files that the process opens only once, so that they don't count as leaked.
        _ = try run(Scenario("file wal otherConnection; update; "))
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// - Returns: The defects; empty if there are none.
    func run(_ scenario: Scenario) throws -> [String] {
        let openFiles = Self.openFileCount
        let path = scenario.isInFile ? folder.appending(component: "stage.sqlite").path : nil
        defer { path.map(Self.removeFiles) }
        var defects: [String] = []
        do {
            let queue = try makeQueue(path, scenario)
            let other = path != nil && scenario.has(.otherConnection) ? try DatabaseQueue(path: path!) : nil
            let run = try queue.writeWithoutTransaction { db in try perform(scenario, db, other) }
            // Objects released on another thread end with the access: an interruption lasts until then.
            defects = try queue.writeWithoutTransaction { _ in
                try run.verify()
                return run.defects
            }
            try queue.close()
            try other?.close()
        } catch {
            defects.append("the connection can't be used or closed: \(error)")
        }
        let leftFiles = Self.openFileCount - openFiles
        if leftFiles > 0 { defects.append("\(leftFiles) files are still open") }
        return defects
    }

    private func makeQueue(_ path: String?, _ scenario: Scenario) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = scenario.has(.foreignKeys)
        configuration.journalMode = scenario.has(.wal) ? .wal : .default
        configuration.busyMode = .callback { numberOfTries in
            try? ScenarioRun.current?.call(.busy)
            return numberOfTries < 2
        }
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { db in
            try ScenarioRun.prepare(db)
            try db.execute(sql: "PRAGMA synchronous = OFF")
        }
        return try path.map { try DatabaseQueue(path: $0, configuration: configuration) }
            ?? DatabaseQueue(configuration: configuration)
    }

    private func perform(_ scenario: Scenario, _ db: Database, _ other: DatabaseQueue?) throws -> ScenarioRun {
        try db.execute(sql: ScenarioRun.schema)
        let run = try ScenarioRun(db, scenario, other: other)
        ScenarioRun.current = run
        defer { ScenarioRun.current = nil }
        run.setUp()
        run.useConnection()
        run.clear()
        // Even if an interruption has ended the transaction, because the connection waits for this ROLLBACK.
        run.attempt("the end") { try db.rollback() }
        return run
    }

    private static func removeFiles(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }

    /// The number of open descriptors of this process.
    private static var openFileCount: Int {
        #if os(Linux)
        let path = "/proc/self/fd"
        #else
        let path = "/dev/fd"
        #endif
        return (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
    }
}

extension Scenario {
    func has(_ fixture: Fixture) -> Bool { fixtures.contains(fixture) }

    var isInFile: Bool { has(.file) || has(.wal) || has(.otherConnection) }
}

extension ScenarioRun {
    /// Checks that the connection is usable, and has the expected content.
    func verify() throws {
        if db.isInsideTransaction { fail("a transaction is open") }
        // Checking the tables requires objects that a scenario may have removed.
        try Self.prepare(db)
        try checkIntegrity()
        checkStatements()
        try rowModel.compare(db)
        rowModel.contradictions.forEach(fail)
        try db.inTransaction {
            try db.execute(sql: "INSERT INTO u (n) VALUES (1); UPDATE t SET a = f(a); DELETE FROM child")
            return .rollback
        }
    }

    private func checkIntegrity() throws {
        for line in try String.fetchAll(db, sql: "PRAGMA integrity_check") where line != "ok" {
            // A row of FTS5 that fails in a transaction may be partially in the index, as documented.
            if line.contains("FTS5"), mayLeaveHalfADocument { continue }
            fail("integrity check: \(line)")
        }
    }

    private func checkStatements() {
        var statement = sqlite3_next_stmt(db.sqliteConnection, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0 { fail("a statement is busy: \(String(cString: sqlite3_sql(current)))") }
            statement = sqlite3_next_stmt(db.sqliteConnection, current)
        }
    }
}
