import Amalgam
import CAmalgam
import Foundation
import Testing

@Suite("Guides: The WAL file, several processes")
struct Files {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("app.sqlite")
    }

    @Test("A bound for the WAL file")
    func policy() throws {
        // guide: policy
        var config = Configuration()
        config.walPolicy = WALPolicy(maximumSize: 32 << 20, maximumAge: .seconds(30)) { report in
            if let reader = report.oldestReader {
                print("The WAL file can't be reset because of", reader)
            }
        }
        let dbPool = try DatabasePool(path: path, configuration: config)
        // end
        try dbPool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        #expect(try walSize() > 0)
        // guide: checkpoint
        try dbPool.writeWithoutTransaction { db in
            _ = try db.checkpoint(.truncate)
        }
        // end
        #expect(try walSize() == 0)
        #expect(dbPool.configuration.walPolicy?.maximumSize == 32 << 20)
    }

    private func walSize() throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
    }

    @Test("A database that other processes open as well")
    func shared() throws {
        // guide: shared
        var config = Configuration()
        config.busyMode = .timeout(5)  // seconds
        config.observesSuspensionNotifications = true  // iOS: see below
        config.prepareDatabase { db in
            // The WAL file stays when the last connection closes, so that processes that can't write can read.
            if !db.configuration.readonly {
                var flag: CInt = 1
                let code = withUnsafeMutablePointer(to: &flag) { flag in
                    sqlite3_file_control(db.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, flag)
                }
                guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
            }
        }
        let dbPool = try DatabasePool(path: path, configuration: config)
        // end
        try dbPool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        try dbPool.close()
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        // guide: reader
        func openForReading(migrator: DatabaseMigrator) throws -> DatabasePool? {
            var config = Configuration()
            config.readonly = true
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            let dbPool = try DatabasePool(path: path, configuration: config)
            let isUsable = try dbPool.read { db in
                try migrator.hasCompletedMigrations(db) && !migrator.hasBeenSuperseded(db)
            }
            return isUsable ? dbPool : nil
        }
        // end
        #expect(try openForReading(migrator: DatabaseMigrator()) != nil)
    }

    @Test("A database that comes with the application")
    func bundled() throws {
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let bundledPath = path
        // guide: bundled
        var readonlyConfig = Configuration()
        readonlyConfig.readonly = true
        let dictionary = try DatabaseQueue(path: bundledPath, configuration: readonlyConfig)
        // end
        #expect(try dictionary.read { try $0.tableExists("t") })
    }
}
