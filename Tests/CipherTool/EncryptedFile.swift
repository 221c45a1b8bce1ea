#if Encryption
import Amalgam
import Foundation

/// The commands of the program. Tests/EncryptionFiles/builds.py writes and reads the same content in Python.
struct EncryptedFile {
    let path: String
    let key: Key
    let pragmas: [String]

    private struct Content: Encodable {
        let rows: Int
        let last: String
        let matches: Int?
        let version: Int
        let integrity: String
    }

    var configuration: Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { [key, pragmas] db in
            try key.use(in: db)
            for pragma in pragmas { try db.execute(sql: pragma) }
        }
        return configuration
    }

    func queue() throws -> DatabaseQueue { try DatabaseQueue(path: path, configuration: configuration) }

    func create(inWALMode: Bool) throws {
        let writer: any DatabaseWriter =
            inWALMode ? try DatabasePool(path: path, configuration: configuration) : try queue()
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a TEXT);
                    INSERT INTO t
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                        SELECT 'row ' || i FROM n;
                    CREATE VIRTUAL TABLE search USING fts5(a);
                    INSERT INTO search SELECT a FROM t;
                    PRAGMA user_version = 7;
                    """)
        }
        try writer.close()
    }

    func read() throws {
        let content = try queue().read { db in
            let integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            return Content(
                rows: try Int.fetchOne(db, sql: "SELECT count(*) FROM t") ?? 0,
                last: try String.fetchOne(db, sql: "SELECT max(a) FROM t") ?? "",
                matches: try db.tableExists("search")
                    ? Int.fetchOne(db, sql: "SELECT count(*) FROM search WHERE search MATCH '1999'") : nil,
                version: try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0,
                integrity: integrity.joined(separator: "\n"))
        }
        FileHandle.standardOutput.write(try JSONEncoder().encode(content))
    }

    func write() throws {
        let queue = try queue()
        try queue.write { db in try addRow(db) }
        try queue.close()
    }

    private func addRow(_ db: Database) throws { try db.execute(sql: "INSERT INTO t VALUES ('row of Amalgam')") }

    func holdCommit() throws {
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { db in try addRow(db) }
        wait()
        try pool.close()
    }

    /// The page cache is so small that SQLite writes most of the changed pages to the file before the commit.
    func holdTransaction() throws {
        try queue().writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA cache_size = 5")
            try db.inTransaction {
                try db.execute(sql: "UPDATE t SET a = 'changed ' || a")
                wait()
                return .rollback
            }
        }
    }

    private func wait() {
        FileHandle.standardOutput.write(Data("ready\n".utf8))
        while readLine() != nil {}
    }

    func migrate() throws {
        var configuration = configuration
        configuration.prepareDatabase { db in
            let result = try Int32.fetchOne(db, sql: "PRAGMA cipher_migrate")
            if result != 0 { throw DatabaseError(resultCode: .SQLITE_ERROR, message: "cipher_migrate failed.") }
        }
        try DatabaseQueue(path: path, configuration: configuration).close()
    }

    func changePassphrase(_ passphrase: String) throws {
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.changePassphrase(passphrase)
        try pool.close()
    }

    func export(to path: String, passphrase: String?) throws {
        try queue().export(to: path, passphrase: passphrase)
    }
}
#endif
