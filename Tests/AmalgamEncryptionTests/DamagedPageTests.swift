#if Encryption
import Amalgam
import Foundation
import TestSupport
import Testing

/// Encrypted files with one damaged page: its code (HMAC) fails when it is read.
@Suite("Damaged pages")
struct DamagedPageTests {
    enum Kind: String, CaseIterable {
        case queue, pool
    }

    private let folder = Folder()
    private let configuration = keyed("secret", "kdf_iter = 1000")
    private let tables = ["large", "small", "text"]

    /// Creates a database with pages of tables, of an index, and of values that are longer than a page.
    private func makeDatabase() throws {
        let queue = try DatabaseQueue(path: folder.path("backup.sqlite"), configuration: configuration)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE small (a);
                    INSERT INTO small VALUES (1);
                    CREATE TABLE large (a);
                    INSERT INTO large VALUES (randomblob(10000)), (randomblob(9000));
                    CREATE TABLE text (a);
                    CREATE INDEX textOnA ON text (a);
                    WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < 40)
                    INSERT INTO text SELECT hex(randomblob(100)) FROM k;
                    """)
        }
        try queue.close()
    }

    private func root(of table: String) throws -> Int {
        let backup = try DatabaseQueue(path: folder.path("backup.sqlite"), configuration: configuration)
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        return try backup.read { db in try Int.fetchOne(db, sql: sql, arguments: [table])! }
    }

    private func damage(_ page: Int) throws {
        try? FileManager.default.removeItem(atPath: folder.path("secret.sqlite"))
        try FileManager.default.copyItem(
            atPath: folder.path("backup.sqlite"), toPath: folder.path("secret.sqlite"))
        let file = try FileHandle(forUpdating: folder.url.appendingPathComponent("secret.sqlite"))
        try file.seek(toOffset: UInt64(page - 1) * 4096 + 100)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 40))
        try file.close()
    }

    private func open(_ kind: Kind) throws -> any DatabaseWriter {
        let path = folder.path("secret.sqlite")
        return switch kind {
        case .queue: try DatabaseQueue(path: path, configuration: configuration)
        case .pool: try DatabasePool(path: path, configuration: configuration)
        }
    }

    private func rows(_ reader: any DatabaseReader, _ table: String) throws -> [Row] {
        try reader.read { db in try Row.fetchAll(db, sql: "SELECT a FROM \(table) NOT INDEXED") }
    }

    /// The tables that can't be read. The others have their rows.
    private func damagedTables(_ reader: any DatabaseReader, _ backup: DatabaseQueue) throws -> [String] {
        try tables.filter { table in try isDamaged(table, reader, backup) }
    }

    private func isDamaged(_ table: String, _ reader: any DatabaseReader, _ backup: DatabaseQueue) throws -> Bool {
        do {
            let rows = try rows(reader, table)
            #expect(try rows == self.rows(backup, table))
            return false
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return true
        }
    }

    @Test(arguments: Kind.allCases)
    func onlyReadsOfTheDamagedPageThrow(kind: Kind) throws {
        try makeDatabase()
        let backup = try DatabaseQueue(path: folder.path("backup.sqlite"), configuration: configuration)
        let pageCount = try backup.read { db in try Int.fetchOne(db, sql: "PRAGMA page_count")! }
        #expect(pageCount >= 10)
        var damagedTables: Set<String> = []
        for page in 2...pageCount {
            try damage(page)
            let writer = try open(kind)
            let damaged = try self.damagedTables(writer, backup)
            #expect(damaged.count <= 1, "page \(page)")
            damagedTables.formUnion(damaged)
            if kind == .queue {
                let problems = try writer.read { db in try db.checkCipherIntegrity() }
                #expect(problems == ["HMAC verification failed for page \(page)"])
            }
            // The connection can write.
            try writer.write { db in try db.execute(sql: "CREATE TABLE other (a); INSERT INTO other VALUES (1)") }
            #expect(try rows(writer, "other") == [["a": 1]])
            // The same tables are damaged.
            #expect(try self.damagedTables(writer, backup) == damaged)
            try writer.close()
        }
        #expect(damagedTables == Set(tables))
    }

    @Test(arguments: Kind.allCases, [true, false])
    func aBackupReplacesADamagedDatabase(kind: Kind, isReadBefore: Bool) throws {
        try makeDatabase()
        let backup = try DatabaseQueue(path: folder.path("backup.sqlite"), configuration: configuration)
        let pageCount = try backup.read { db in try Int.fetchOne(db, sql: "PRAGMA page_count")! }
        for page in 2...pageCount {
            try damage(page)
            let writer = try open(kind)
            if isReadBefore { _ = try damagedTables(writer, backup) }
            try backup.backup(to: writer, pagesPerStep: 3)
            #expect(try damagedTables(writer, backup) == [])
            #expect(try writer.read { db in try db.integrityCheck() } == [])
            try writer.close()
        }
    }

    @Test(arguments: Kind.allCases)
    func aDamagedDatabaseIsErased(kind: Kind) throws {
        try makeDatabase()
        try damage(root(of: "text"))
        let writer = try open(kind)
        try writer.erase()
        #expect(try writer.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_schema") } == 0)
        try writer.write { db in try db.execute(sql: "CREATE TABLE other (a)") }
        try writer.close()
    }

    /// A backup that is stopped rolls back.
    @Test(arguments: Kind.allCases)
    func aBackupThatStopsKeepsTheOtherTables(kind: Kind) throws {
        struct Stop: Error {}
        try makeDatabase()
        let backup = try DatabaseQueue(path: folder.path("backup.sqlite"), configuration: configuration)
        try damage(root(of: "text"))
        let writer = try open(kind)
        #expect(throws: Stop.self) {
            try backup.backup(to: writer, pagesPerStep: 1) { progress in
                if progress.remainingPageCount <= 1 { throw Stop() }
            }
        }
        #expect(try damagedTables(writer, backup) == ["text"])
        try writer.close()
        let reopened = try open(kind)
        #expect(try damagedTables(reopened, backup) == ["text"])
        try backup.backup(to: reopened)
        #expect(try damagedTables(reopened, backup) == [])
        try reopened.close()
    }

    /// The copy would have zeros in place of the damaged page.
    @Test(arguments: Kind.allCases)
    func copiesOfADamagedPageThrow(kind: Kind) throws {
        try makeDatabase()
        try damage(root(of: "text"))
        let writer = try open(kind)
        expectCode(.SQLITE_CORRUPT) { try writer.backup(to: DatabaseQueue()) }
        expectCode(.SQLITE_CORRUPT) { try writer.vacuum() }
        expectCode(.SQLITE_CORRUPT) { _ = try writer.read { db in try db.serialize() } }
        try writer.write { db in try db.execute(sql: "INSERT INTO small VALUES (2)") }
        try writer.close()
    }
}
#endif
