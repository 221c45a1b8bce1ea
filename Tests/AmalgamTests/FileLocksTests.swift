#if os(Linux)
import Amalgam
import Foundation
import TestSupport
import Testing

private struct Nothing: TextOutputStream {
    mutating func write(_ string: String) {}
}

/// No feature opens and closes a descriptor of a database file: the close would release the locks of all connections of the
/// process, and another process could then delete the WAL file with its commits.
@Suite struct FileLocksTests {
    /// What an application does with a pool whose file stays open.
    enum Feature: String, CaseIterable {
        case access, checkpoint, secondPool, readonlyQueue, attachment
        case backup, backupFrom, copyInMemory, temporaryCopy, serialization, vacuum, vacuumInto
        case snapshot, snapshotPool, externalChanges, observation
        case integrity, dump, blob, session, difference, fullText
        case migration, dryRun, verification, audit
        #if Encryption
        case export, exportOntoTheFile
        #endif
    }

    private func perform(_ feature: Feature, _ pool: DatabasePool, _ folder: Folder) async throws {
        let (path, other) = (pool.path, folder.path("other.sqlite"))
        switch feature {
        case .access:
            try await pool.write { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
            _ = try await pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        case .checkpoint: _ = try await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        case .secondPool:
            let second = try DatabasePool(path: path)
            try await second.write { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
            try second.close()
        case .readonlyQueue:
            var configuration = Configuration()
            configuration.readonly = true
            try DatabaseQueue(path: path, configuration: configuration).close()
        case .attachment:
            let queue = try DatabaseQueue()
            try await queue.writeWithoutTransaction { db in
                try db.execute(sql: "ATTACH ? AS other", arguments: [path])
                _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM other.t")
                try db.execute(sql: "DETACH other")
            }
        default: try await copy(feature, pool, other)
        }
    }

    private func copy(_ feature: Feature, _ pool: DatabasePool, _ other: String) async throws {
        switch feature {
        case .backup: try pool.backup(to: DatabaseQueue(path: other))
        case .backupFrom:
            let source = try DatabaseQueue(path: other)
            try await source.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, content)") }
            try source.backup(to: pool)
        case .copyInMemory: _ = try DatabaseQueue.inMemoryCopy(fromPath: pool.path)
        case .temporaryCopy: _ = try DatabaseQueue.temporaryCopy(fromPath: pool.path)
        case .serialization: _ = try await pool.serialize()
        case .vacuum: try await pool.vacuum()
        case .vacuumInto: try await pool.vacuum(into: other)
        #if Encryption
        case .export: try pool.export(to: other, passphrase: "secret")
        case .exportOntoTheFile:
            #expect(throws: DatabaseError.self) { try pool.export(to: pool.path, passphrase: nil) }
        #endif
        default: try await read(feature, pool, other)
        }
    }

    private func read(_ feature: Feature, _ pool: DatabasePool, _ other: String) async throws {
        let count: @Sendable (Database) throws -> Int? = { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        switch feature {
        case .snapshot: _ = try await pool.makeSnapshot().read(count)
        case .snapshotPool: _ = try await pool.makeSnapshotPool().read(count)
        case .externalChanges:
            let changes = try await pool.externalChanges()
            let writer = try DatabaseQueue(path: pool.path)
            try await writer.write { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
            for try await _ in changes { break }
            try writer.close()
        case .observation:
            for try await _ in ValueObservation.tracking(count).values(in: pool) { break }
        case .integrity: _ = try await pool.read { try $0.integrityCheck() }
        case .dump: try pool.dumpContent(to: Nothing())
        default: try await record(feature, pool, other)
        }
    }

    private func record(_ feature: Feature, _ pool: DatabasePool, _ other: String) async throws {
        switch feature {
        case .blob:
            try await pool.write { db in
                try db.execute(sql: "INSERT INTO t (id, content) VALUES (1, zeroblob(10))")
                _ = try db.withBlob(table: "t", column: "content", rowID: 1) { try $0.readAll() }
            }
        case .session:
            _ = try await pool.write { db in
                try db.recordChanges { try db.execute(sql: "INSERT INTO t DEFAULT VALUES") }
            }
        case .difference:
            try await pool.writeWithoutTransaction { db in
                try db.execute(sql: "ATTACH ? AS other", arguments: [db.filePath()])
                _ = try db.difference(from: "other")
                try db.execute(sql: "DETACH other")
            }
        case .fullText: try await pool.write { try $0.execute(sql: "CREATE VIRTUAL TABLE f USING fts5(content)") }
        case .migration, .dryRun, .verification:
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1") { try $0.execute(sql: "CREATE TABLE u (id INTEGER PRIMARY KEY)") }
            if feature == .dryRun { return _ = try migrator.dryRun(pool) }
            try migrator.migrate(pool)
            // The schema differs: the pool has another table.
            if feature == .verification {
                #expect(throws: MigrationVerificationError.self) { try migrator.verify(pool) }
            }
        default:
            try await pool.write { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
            _ = try await pool.read { try AuditLog.missingTables($0) }
        }
    }

    @Test(arguments: Feature.allCases)
    func aFeatureReleasesNoLock(feature: Feature) async throws {
        let folder = Folder()
        var configuration = Configuration()
        if feature == .audit { configuration.audit("t") }
        let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
        try await pool.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, content)") }
        _ = try await pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        try await expectLocksOfAPool(pool.path, "before")
        try await perform(feature, pool, folder)
        try await expectLocksOfAPool(pool.path, "after \(feature)")
        try pool.close()
    }

    /// A second descriptor does what the others must not do.
    @Test func aSecondDescriptorReleasesTheLocks() async throws {
        let folder = Folder()
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        try await pool.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, content)") }
        try await expectLocksOfAPool(pool.path, "before")
        _ = try Data(contentsOf: URL(fileURLWithPath: pool.path))
        #expect(try fileLocks(pool.path) == [])
    }
}
#endif
