import Amalgam
import Foundation
import Testing

@Suite("Guide: Backups")
struct Backups {
    let folder: TemporaryFolder
    let dbPool: DatabasePool

    init() throws {
        folder = try TemporaryFolder()
        let path = folder.path("app.sqlite")
        // guide: pool
        let dbPool = try DatabasePool(path: path)
        // end
        self.dbPool = dbPool
        try dbPool.write { try $0.execute(sql: "CREATE TABLE player (name TEXT); INSERT INTO player VALUES ('Anna')") }
    }

    private func names(_ database: some DatabaseReader) throws -> [String] {
        try database.read { try String.fetchAll($0, sql: "SELECT name FROM player") }
    }

    @Test("A backup while the database is in use, and a restore from it")
    func backup() throws {
        let backupPath = folder.path("backup.sqlite")
        // guide: backup
        let backup = try DatabaseQueue(path: backupPath)
        try dbPool.backup(to: backup, pagesPerStep: 100) { progress in
            print(progress.completedPageCount, "of", progress.totalPageCount, "pages")
        }
        try backup.close()
        // end
        try dbPool.write { try $0.execute(sql: "DELETE FROM player") }
        // guide: restore
        let saved = try DatabaseQueue(path: backupPath)
        try saved.backup(to: dbPool)
        // end
        #expect(try names(dbPool) == ["Anna"])
    }

    @Test("A copy without free pages")
    func vacuum() throws {
        let copyPath = folder.path("copy.sqlite")
        // guide: vacuum
        try dbPool.vacuum(into: copyPath)
        // end
        #expect(try names(DatabaseQueue(path: copyPath)) == ["Anna"])
    }

    @Test("A database as bytes")
    func bytes() throws {
        // guide: bytes
        let bytes = try dbPool.read { try $0.serialize() }
        let copy = try DatabaseQueue(deserializing: bytes)
        // end
        #expect(try names(copy) == ["Anna"])
    }

    @Test("Is it intact?")
    func integrity() throws {
        // guide: integrity
        try dbPool.read { db in
            let problems = try db.integrityCheck()
            assert(problems.isEmpty)
        }
        // end
    }
}
