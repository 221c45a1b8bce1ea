import Amalgam
import Foundation
import Testing

@Suite("Guide: Damaged files", .enabled(if: SQLiteBuild.hasRecovery, "this SQLite has no recover.c"))
struct DamagedFiles {
    let folder: TemporaryFolder
    let path: String
    let config = Configuration()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("app.sqlite")
        let dbQueue = try DatabaseQueue(path: path)
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE INDEX player_name ON player (name);
                    INSERT INTO player (name) VALUES ('Anna'), ('Ben');
                    """)
        }
        try dbQueue.close()
    }

    @Test("A check in words")
    func check() throws {
        // guide: check
        let dbQueue = try DatabaseQueue(path: path, configuration: config)
        let report = try dbQueue.inDatabase { db in try db.integrityReport() }
        if !report.isIntact { print(report) }
        // end
        #expect(report.isIntact)
    }

    @Test("An index that can be built again")
    func repair() throws {
        let dbQueue = try DatabaseQueue(path: path)
        try dbQueue.writeWithoutTransaction { db in try db.makeIndexStale() }
        // guide: repair
        try dbQueue.inDatabase { db in
            let report = try db.integrityReport()
            for statement in report.repairStatements {
                print(statement)  // REINDEX "player_name"
                try db.execute(sql: statement)
            }
        }
        // end
        #expect(try dbQueue.inDatabase { db in try db.integrityReport().isIntact })
        #expect(try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT id FROM player WHERE name = 'Zoe'") } == 3)
    }

    @Test("A recovery into a new file")
    func recover() async throws {
        let newPath = folder.path("recovered.sqlite")
        // guide: recover
        let recovery = DatabaseRecovery(of: path, configuration: config)
        let report = try await recovery.recover(into: newPath) { progress in
            print(progress.phase, progress.savedRowCount, "rows")
        }
        print(report)  // player: 2 rows saved
        // end
        #expect("\(report)" == "player: 2 rows saved")
        // guide: lost
        if let lost = report.lostAndFound {
            let dbQueue = try DatabaseQueue(path: newPath, configuration: config)
            let names = try await dbQueue.read { db in
                try String.fetchAll(db, sql: "SELECT c1 FROM \(lost.tableName) WHERE rootpgno = 2 ORDER BY id")
            }
            print(names)
        }
        // end
        let dbQueue = try DatabaseQueue(path: newPath)
        let count = try await dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") }
        #expect(count == 2)
    }

    @Test("The new file takes the place of the damaged one")
    func replace() throws {
        let newPath = folder.path("recovered.sqlite")
        try DatabaseRecovery(of: path).recover(into: newPath)
        // guide: replace
        let dbPool = try DatabasePool(path: path, configuration: config)
        let recovered = try DatabaseQueue(path: newPath, configuration: config)
        try recovered.backup(to: dbPool)
        try recovered.close()
        // end
        #expect(try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") } == 2)
    }
}

extension Database {
    /// Inserts a row while the schema lacks the index.
    fileprivate func makeIndexStale() throws {
        let sql = "CREATE INDEX player_name ON player (name)"
        let page = try Int.fetchOne(self, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'player_name'")
        try execute(sql: "PRAGMA writable_schema = ON")
        try execute(sql: "DELETE FROM sqlite_schema WHERE name = 'player_name'")
        try execute(sql: "PRAGMA writable_schema = RESET")
        try execute(sql: "INSERT INTO player (name) VALUES ('Zoe')")
        try execute(sql: "PRAGMA writable_schema = ON")
        try execute(
            sql: "INSERT INTO sqlite_schema VALUES ('index', 'player_name', 'player', ?, ?)", arguments: [page, sql])
        try execute(sql: "PRAGMA writable_schema = RESET")
    }
}
