#if Replication && (os(Linux) || os(macOS))
import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

@testable import AmalgamReplication

/// A tokenizer of the application.
private final class PlainTokenizer: FTS5WrapperTokenizer {
    static let name = "plain"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws { wrappedTokenizer = try db.makeTokenizer(.unicode61()) }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws { try tokenCallback(token, flags) }
}

extension Configuration {
    /// A configuration with a collation, a function and a tokenizer of the application.
    fileprivate static var ofApplication: Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(
                collation: DatabaseCollation("by_length") { lhs, rhs in
                    lhs.count == rhs.count
                        ? lhs.compare(rhs) : lhs.count < rhs.count ? .orderedAscending : .orderedDescending
                })
            db.add(
                function: DatabaseFunction("shout", argumentCount: 1, pure: true) { values in
                    String.fromDatabaseValue(values[0])?.uppercased()
                })
            db.add(tokenizer: PlainTokenizer.self)
        }
        return configuration
    }

    fileprivate static var ofReplicatedApplication: Configuration {
        var configuration = ofApplication
        configuration.walPolicy = .replicated
        return configuration
    }
}

/// The check of a restored file. Litestream's SQLite has no collation, function or tokenizer of the application.
@Suite(.limited) struct RestoredFileTests {
    static let schemas = [
        "CREATE INDEX i ON player(name COLLATE by_length)",
        "CREATE TABLE t (a PRIMARY KEY COLLATE by_length) WITHOUT ROWID; INSERT INTO t VALUES ('bb'), ('a')",
        "CREATE INDEX i ON player(shout(name))",
        "CREATE INDEX i ON player(id) WHERE shout(name) = 'ANNA'",
        "CREATE TABLE t (a CHECK (shout(a) IS NOT NULL)); INSERT INTO t VALUES ('a')",
        "CREATE TABLE t (a, b AS (shout(a)) NOT NULL, c AS (shout(a)) STORED); INSERT INTO t VALUES ('a')",
        "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = plain); INSERT INTO t VALUES ('a')",
        "CREATE INDEX i ON player(name COLLATE \(DatabaseCollation.localizedCaseInsensitiveCompare.name))",
    ]

    @Test(arguments: schemas)
    func schemasThatNeedTheApplicationAreVerifiedAndRestored(schema: String) async throws {
        let world = World()
        try await world.replicating(.ofReplicatedApplication) { pool, service in
            try pool.insert("Ben", "Anna")
            try await pool.write { db in try db.execute(sql: schema) }
            try await pool.insertReplicated("Cora")
            try await service.verify(pool)
        }
        #expect(try await world.restoredPlayers() == ["Ben", "Anna", "Cora"])
        let pool = try await DatabasePool(
            path: world.folder.path("next.sqlite"), restoringFrom: world.replica,
            configuration: .ofReplicatedApplication)
        #expect(try await pool.read(players) == ["Ben", "Anna", "Cora"])
        #expect(try await pool.read { db in try db.integrityCheck() } == [])
    }

    /// Creates a file with a table that needs the application, and runs SQL that damages the file.
    private func file(
        _ folder: Folder, damagedBy sql: String, checkedWith configuration: Configuration = Configuration()
    ) throws -> RestoredFile {
        let path = folder.path("db.sqlite")
        let queue = try DatabaseQueue(path: path, configuration: .ofApplication)
        try queue.writeWithoutTransaction { db in
            db.set(SQLITE_DBCONFIG_DEFENSIVE, false)
            try db.execute(
                sql: """
                    CREATE TABLE needy (a, b AS (shout(a)) NOT NULL);
                    INSERT INTO needy VALUES ('a');
                    CREATE TABLE t (a, b TEXT);
                    CREATE INDEX i ON t(b COLLATE by_length);
                    INSERT INTO t VALUES (NULL, 'aa'), (1, 'b');
                    CREATE TABLE u (a);
                    INSERT INTO u VALUES (1);
                    PRAGMA writable_schema = ON;
                    """ + sql)
        }
        try queue.close()
        return RestoredFile(path: path, configuration: configuration)
    }

    private static func definition(_ name: String, _ sql: String) -> String {
        "UPDATE sqlite_master SET sql = '\(sql)' WHERE name = '\(name)'"
    }

    static let configurations = [Configuration(), .ofApplication]

    @Test(arguments: configurations)
    func intactFilesPass(configuration: Configuration) async throws {
        let folder = Folder()
        try await file(folder, damagedBy: "", checkedWith: configuration).check()
    }

    @Test("damage is found next to tables that need the application", arguments: configurations)
    func damage(configuration: Configuration) async throws {
        let folders = (Folder(), Folder())
        let page =
            "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 't') WHERE name = 'u'"
        let error = await expectReplicationError(.verificationFailed) {
            try await file(folders.0, damagedBy: page, checkedWith: configuration).check()
        }
        #expect(error?.message.contains("2nd reference to page") == true, "\(String(describing: error))")
        let null = Self.definition("u", "CREATE TABLE u (b, a NOT NULL)")
        let other = await expectReplicationError(.verificationFailed) {
            try await file(folders.1, damagedBy: null, checkedWith: configuration).check()
        }
        #expect(other?.message.contains("NULL value in u.a") == true, "\(String(describing: other))")
    }

    @Test func anIndexInAnotherOrderIsNoDamage() async throws {
        let folder = Folder()
        let index = Self.definition("i", "CREATE INDEX i ON t(b COLLATE \(DatabaseCollation.localizedCompare.name))")
        try await file(folder, damagedBy: index, checkedWith: .ofApplication).check()
    }

    @Test func aFileThatIsNotADatabaseFails() async throws {
        let folder = Folder()
        let path = folder.path("db.sqlite")
        try Data(repeating: 65, count: 8192).write(to: URL(fileURLWithPath: path))
        await expectReplicationError(.verificationFailed) { try await RestoredFile(path: path).check() }
    }

    @Test func closuresThatThrowDoNotPreventTheCheck() async throws {
        let folder = Folder()
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.execute(sql: "CREATE TABLE IF NOT EXISTS later (a)") }
        try await file(folder, damagedBy: "", checkedWith: configuration).check()
    }
}
#endif
