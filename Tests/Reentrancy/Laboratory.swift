import Amalgam
import CAmalgam
import Foundation

/// Runs experiments, and says what is wrong afterwards.
struct Laboratory {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(component: "amalgam-reentrancy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // What the process opens once isn't left by an experiment.
        _ = try run(Experiment("file wal otherConnection; update; "))
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// - Returns: the defects; none when all is well.
    func run(_ experiment: Experiment) throws -> [String] {
        let openFiles = Self.openFileCount
        let path = experiment.isInFile ? folder.appending(component: "stage.sqlite").path : nil
        defer { path.map(Self.removeFiles) }
        var defects: [String] = []
        do {
            let queue = try makeQueue(path, experiment)
            let other = path != nil && experiment.has(.otherConnection) ? try DatabaseQueue(path: path!) : nil
            let stage = try queue.writeWithoutTransaction { db in try perform(experiment, db, other) }
            // Objects that were released on another thread end with the access: an interruption stays until then.
            defects = try queue.writeWithoutTransaction { _ in
                try stage.verify()
                return stage.defects
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

    private func makeQueue(_ path: String?, _ experiment: Experiment) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = experiment.has(.foreignKeys)
        configuration.journalMode = experiment.has(.wal) ? .wal : .default
        configuration.busyMode = .callback { numberOfTries in
            try? Stage.current?.call(.busy)
            return numberOfTries < 2
        }
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { db in
            try Stage.prepare(db)
            try db.execute(sql: "PRAGMA synchronous = OFF")
        }
        return try path.map { try DatabaseQueue(path: $0, configuration: configuration) }
            ?? DatabaseQueue(configuration: configuration)
    }

    private func perform(_ experiment: Experiment, _ db: Database, _ other: DatabaseQueue?) throws -> Stage {
        try db.execute(sql: Stage.schema)
        let stage = try Stage(db, experiment, other: other)
        Stage.current = stage
        defer { Stage.current = nil }
        stage.setUp()
        stage.useConnection()
        stage.clear()
        // Also when an interruption has ended the transaction: the connection waits for this ROLLBACK.
        stage.attempt("the end") { try db.rollback() }
        return stage
    }

    private static func removeFiles(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }

    /// The descriptors of this process.
    private static var openFileCount: Int {
        #if os(Linux)
        let path = "/proc/self/fd"
        #else
        let path = "/dev/fd"
        #endif
        return (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
    }
}

extension Experiment {
    func has(_ circumstance: Circumstance) -> Bool { circumstances.contains(circumstance) }

    var isInFile: Bool { has(.file) || has(.wal) || has(.otherConnection) }
}

extension Stage {
    /// Looks whether the connection is as good as new, and its content is what it must be.
    func verify() throws {
        if db.isInsideTransaction { fail("a transaction is open") }
        // What an experiment has removed is needed to look at the tables.
        try Self.prepare(db)
        try checkIntegrity()
        checkStatements()
        try witness.compare(db)
        witness.contradictions.forEach(fail)
        try db.inTransaction {
            try db.execute(sql: "INSERT INTO u (n) VALUES (1); UPDATE t SET a = f(a); DELETE FROM child")
            return .rollback
        }
    }

    private func checkIntegrity() throws {
        for line in try String.fetchAll(db, sql: "PRAGMA integrity_check") where line != "ok" {
            // A row of FTS5 that fails in a transaction leaves half of it in the index, as documented.
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
