#if Encryption
import Amalgam
import AmalgamCore
import CFaults
import Foundation
import TestSupport
import Testing

/// A string that is nowhere but in the tests' databases.
let needle = "needle-in-clear-text"

/// A configuration that sets a pass phrase.
func keyed(_ passphrase: String = "secret", _ pragmas: String...) -> Configuration {
    var config = Configuration()
    config.prepareDatabase { db in
        try db.usePassphrase(passphrase)
        for pragma in pragmas { try db.execute(sql: "PRAGMA \(pragma)") }
    }
    return config
}

/// Runs a test with a plan of the faults that this thread meets.
func withFaults(_ test: (OpaquePointer) throws -> Void) rethrows {
    let plan = faults_create()!
    let previous = faults_exchange(plan)
    defer {
        faults_exchange(previous)
        faults_free(plan)
    }
    try test(plan)
}

extension Folder {
    /// Creates an encrypted database with a table of strings that contain the needle.
    @discardableResult
    func makeEncrypted(
        _ name: String = "secret.sqlite", _ configuration: Configuration = keyed(), rowCount: Int = 100
    ) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: path(name), configuration: configuration)
        try queue.write { db in try db.fill(rowCount: rowCount) }
        return queue
    }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }

    func contains(_ text: String, in name: String) -> Bool {
        let bytes = (try? Data(contentsOf: url.appendingPathComponent(name))) ?? Data()
        return bytes.range(of: Data(text.utf8)) != nil
    }

    func beginsLikeADatabase(_ name: String) -> Bool {
        let bytes = (try? Data(contentsOf: url.appendingPathComponent(name))) ?? Data()
        return bytes.starts(with: Data("SQLite format 3".utf8))
    }
}

extension Database {
    func fill(rowCount: Int = 100) throws {
        try execute(
            literal: """
                CREATE TABLE note (id INTEGER PRIMARY KEY, content TEXT);
                WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < \(rowCount))
                INSERT INTO note (content) SELECT \(needle) || '-' || i FROM k;
                """)
    }
}

extension DatabaseQueue {
    func filled() throws -> DatabaseQueue {
        try write { db in try db.fill() }
        return self
    }
}

extension DatabaseReader {
    func noteCount() throws -> Int { try read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note")! } }
}
#endif
