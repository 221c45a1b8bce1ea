#if Encryption
import Amalgam
import Foundation
import TestSupport
import Testing

@Suite("Recovery of encrypted files", hasRecovery)
struct EncryptedRecoveryTests {
    private static func keyed(_ passphrase: String = "secret") -> Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.usePassphrase(passphrase) }
        return configuration
    }

    private func makeDatabase() throws -> DamagedDatabase {
        try DamagedDatabase(configuration: Self.keyed()) { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);
                    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 400)
                    INSERT INTO t SELECT n, 'value ' || n || hex(zeroblob(100)) FROM number;
                    INSERT INTO t VALUES (1000, hex(zeroblob(20000)));
                    CREATE VIRTUAL TABLE f USING fts5 (x); INSERT INTO f VALUES ('a word');
                    """)
        }
    }

    @Test("The new file has the same key, and nothing is written in clear text")
    func intact() throws {
        let database = try makeDatabase()
        let report = try database.recover()
        #expect(report.savedRowCount == 401)
        #expect(try database.integer("SELECT length(a) FROM t WHERE id = 1000") == 40_000)
        #expect(try database.integer("SELECT rowid FROM f WHERE f MATCH 'word'") == 1)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: database.newPath))
        #expect(bytes.range(of: Data("value 7".utf8)) == nil)
        #expect(bytes.prefix(15) != Data("SQLite format 3".utf8))
        expectCode(.SQLITE_NOTADB) { try DatabaseQueue(path: database.newPath) }
    }

    @Test("A wrong key opens nothing")
    func wrongKey() throws {
        let database = try makeDatabase()
        for configuration in [Self.keyed("wrong"), Self.keyed("")] {
            #expect(throws: DatabaseError.self) {
                try DatabaseRecovery(of: database.path, configuration: configuration).recover(into: database.newPath)
            }
            #expect(!FileManager.default.fileExists(atPath: database.newPath))
            #expect(database.leftovers == [])
        }
    }

    @Test("One changed byte costs the rows of its page only")
    func damagedPage() throws {
        let database = try makeDatabase()
        try database.overwrite(page: 5, from: 77, count: 1, with: 0)
        try database.damage { bytes in bytes[4 * 4096 + 78] ^= 1 }
        let report = try database.recover()
        #expect(report.undecryptablePageCount == 1)
        #expect((350..<401).contains(report.savedRowCount))
        #expect(report.description.contains("pages couldn't be decrypted"))
    }

    @Test("Without the first page, all rows are lost rows")
    func firstPage() throws {
        let database = try makeDatabase()
        try database.damage { bytes in bytes[200] ^= 1 }
        let report = try database.recover()
        #expect(report.hasLostFirstPage)
        #expect(report.tables == [])
        #expect(try database.integer("SELECT COUNT(*) FROM lost_and_found WHERE c1 LIKE 'value %'") == 400)
    }

    @Test("Rows in the WAL file are saved")
    func wal() throws {
        let folder = Folder()
        let pool = try DatabasePool(path: folder.path("app.sqlite"), configuration: Self.keyed())
        try pool.write { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('in the WAL file')") }
        let newPath = folder.path("recovered.sqlite")
        try DatabaseRecovery(of: pool.path, configuration: Self.keyed()).recover(into: newPath)
        let recovered = try DatabaseQueue(path: newPath, configuration: Self.keyed())
        #expect(try recovered.read { db in try String.fetchAll(db, sql: "SELECT a FROM t") } == ["in the WAL file"])
    }
}
#endif
