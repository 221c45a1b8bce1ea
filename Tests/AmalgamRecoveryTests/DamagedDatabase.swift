import Amalgam
import Foundation
import TestSupport
import Testing

/// A database file that a test damages and recovers.
final class DamagedDatabase {
    let folder = Folder()
    var configuration = Configuration()
    var path: String { folder.path("damaged.sqlite") }
    var newPath: String { folder.path("recovered.sqlite") }

    /// Creates the file, with the content of a closure.
    init(
        configuration: Configuration = Configuration(), pageSize: Int? = nil, encoding: String? = nil,
        _ content: (Database) throws -> Void
    ) throws {
        self.configuration = configuration
        var creation = configuration
        creation.prepareDatabase { db in
            if let encoding { try db.execute(sql: "PRAGMA encoding = '\(encoding)'") }
            if let pageSize { try db.execute(sql: "PRAGMA page_size = \(pageSize)") }
        }
        let queue = try DatabaseQueue(path: path, configuration: creation)
        try queue.writeWithoutTransaction(content)
        try queue.close()
    }

    convenience init(_ sql: String) throws { try self.init { db in try db.execute(sql: sql) } }

    // MARK: Damage

    /// Changes the bytes of the file, while no connection is open.
    func damage(_ change: (inout [UInt8]) -> Void) throws {
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        change(&bytes)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// Overwrites a part of a page, 4,096 bytes unless the test has asked for others.
    func overwrite(page: Int, from start: Int = 0, count: Int, pageSize: Int = 4096, with byte: UInt8 = 0) throws {
        try damage { bytes in
            for index in start..<start + count { bytes[(page - 1) * pageSize + index] = byte }
        }
    }

    /// The root page of a table or an index.
    func rootPage(of name: String) throws -> Int {
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        return try queue.read { db in
            try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [name])!
        }
    }

    // MARK: Recovery

    /// Recovers the file, and checks that the damaged file is unchanged, that the new one is intact, and that nothing else
    /// is left.
    @discardableResult
    func recover(
        _ change: (inout DatabaseRecovery) -> Void = { _ in }, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RecoveryReport {
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        var recovery = DatabaseRecovery(of: path, configuration: configuration)
        change(&recovery)
        let report = try recovery.recover(into: newPath)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before, sourceLocation: sourceLocation)
        #expect(leftovers == [], sourceLocation: sourceLocation)
        #expect(try read { db in try db.integrityCheck() } == [], sourceLocation: sourceLocation)
        return report
    }

    /// The files of the folder that are neither the damaged database nor the new one.
    var leftovers: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []
        return names.filter { !$0.hasPrefix("damaged.sqlite") && $0 != "recovered.sqlite" }
    }

    func read<T>(_ body: (Database) throws -> T) throws -> T {
        let queue = try DatabaseQueue(path: newPath, configuration: configuration)
        defer { try? queue.close() }
        return try queue.inDatabase(body)
    }

    func strings(_ sql: String) throws -> [String] { try read { db in try String.fetchAll(db, sql: sql) } }
    func integer(_ sql: String) throws -> Int? { try read { db in try Int.fetchOne(db, sql: sql) } }
}

/// The suites of recovery need a build that has it.
let hasRecovery = ConditionTrait.enabled(if: SQLiteBuild.hasRecovery, "this SQLite has no recover.c")
