#if Encryption
import Amalgam
import Foundation
import Synchronization
import Testing

/// The application's store of secrets, such as a wrapper of the keychain.
private final class Secrets: Sendable {
    private let values = Mutex<[String: String]>([
        "database": "secret", "archive": "another secret", "salt": String(repeating: "0f", count: 16),
    ])

    func load(_ name: String) throws -> String {
        struct Missing: Error {}
        guard let value = values.withLock({ $0[name] }) else { throw Missing() }
        return value
    }

    func loadData(_ name: String) throws -> Data {
        let value = try load(name)
        return Data(base64Encoded: value) ?? Data(value.utf8)
    }

    func save(_ value: String, as name: String) throws { values.withLock { $0[name] = value } }

    func save(_ value: Data, as name: String) throws { try save(value.base64EncodedString(), as: name) }

    func remove(_ name: String) throws { values.withLock { $0[name] = nil } }
}

@Suite("Guide: Encryption")
struct Encryption {
    private let folder: TemporaryFolder
    private let secrets = Secrets()
    private let path: String
    private let config: Configuration
    private let dbPool: DatabasePool

    init() throws {
        folder = try TemporaryFolder()
        let path = folder.path("app.sqlite")
        let secrets = secrets
        // guide: open
        var config = Configuration()
        config.prepareDatabase { db in
            try db.usePassphrase(secrets.load("database"))
        }
        let dbPool = try DatabasePool(path: path, configuration: config)
        try dbPool.write { db in
            try db.execute(sql: "CREATE TABLE note (content TEXT)")
        }
        // end
        self.path = path
        self.config = config
        self.dbPool = dbPool
        try dbPool.write { db in try db.execute(sql: "INSERT INTO note VALUES ('clear text')") }
    }

    private func notes(_ database: some DatabaseReader) throws -> [String] {
        try database.read { try String.fetchAll($0, sql: "SELECT content FROM note") }
    }

    private func contains(_ text: String, _ path: String) -> Bool {
        FileManager.default.contents(atPath: path)?.range(of: Data(text.utf8)) != nil
    }

    private func isClear(_ path: String) -> Bool {
        contains("clear text", path) || contains("clear text", path + "-wal")
    }

    private func expect<T>(
        _ code: ResultCode, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T
    ) {
        let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { _ = try body() }
        #expect(error?.resultCode == code, sourceLocation: sourceLocation)
    }

    private func configuration(_ passphrase: String, _ pragmas: String = "") -> Configuration {
        var config = Configuration()
        config.prepareDatabase { db in
            try db.usePassphrase(passphrase)
            try db.execute(sql: pragmas)
        }
        return config
    }

    @Test("The file is encrypted, and the build says with what")
    func open() throws {
        #expect(!isClear(path))
        // guide: build
        if let cipher = SQLiteBuild.cipher {
            print("SQLCipher", cipher.version, cipher.provider, cipher.providerVersion)
        }
        // end
        #expect(SQLiteBuild.cipher?.version == "4.19.0")
    }

    @Test("Pass phrases as bytes")
    func bytes() throws {
        let secrets = secrets
        // guide: bytes
        var config = Configuration()
        config.prepareDatabase { db in
            var passphrase = try secrets.loadData("database")
            defer { passphrase.resetBytes(in: 0..<passphrase.count) }
            try db.usePassphrase(passphrase)
        }
        // end
        #expect(try notes(DatabaseQueue(path: path, configuration: config)) == ["clear text"])
    }

    @Test("Raw keys")
    func rawKey() throws {
        let secrets = secrets
        let path = folder.path("raw.sqlite")
        // guide: raw-key
        // Once:
        let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        try secrets.save(key, as: "key")

        // For each connection:
        var config = Configuration()
        config.prepareDatabase { db in
            try db.useRawKey(secrets.loadData("key"))
        }
        // end
        try DatabaseQueue(path: path, configuration: config).write { try $0.execute(sql: "CREATE TABLE t(a)") }
        #expect(try DatabaseQueue(path: path, configuration: config).read { try $0.tableExists("t") })
    }

    @Test("The pass phrase, the settings, and the rest")
    func order() throws {
        let secrets = secrets
        let path = folder.path("settings.sqlite")
        // guide: order
        var config = Configuration()
        config.prepareDatabase { db in
            try db.usePassphrase(secrets.load("database"))
            try db.execute(sql: "PRAGMA cipher_page_size = 8192")
            try db.execute(sql: "PRAGMA cache_size = -20000")
        }
        // end
        let queue = try DatabaseQueue(path: path, configuration: config)
        #expect(try queue.read { try Int.fetchOne($0, sql: "PRAGMA page_size") } == 8192)
    }

    @Test("A wrong pass phrase")
    func wrongPassphrase() throws {
        let config = configuration("wrong")
        var isReported = false
        // guide: wrong
        do {
            _ = try DatabasePool(path: path, configuration: config)
        } catch DatabaseError.SQLITE_NOTADB {
            print("The database can't be read with this pass phrase.")
            // end
            isReported = true
            // guide: wrong
        }
        // end
        #expect(isReported)
    }

    @Test("A change of the pass phrase")
    func change() throws {
        // guide: change
        let openSnapshots = try dbPool.changePassphrase("a new pass phrase")
        // end
        #expect(openSnapshots == [])
        let changed = configuration("a new pass phrase")
        #expect(try notes(DatabaseQueue(path: path, configuration: changed)) == ["clear text"])
    }

    @Test("A change that an end of the process doesn't harm")
    func rotation() throws {
        let other = try DatabaseQueue(path: path, configuration: config)
        #expect(try notes(other) == ["clear text"])
        let snapshot = try dbPool.makeSnapshot()
        // guide: rotation
        let newPassphrase = "a new pass phrase"
        try secrets.save(newPassphrase, as: "next")
        try dbPool.barrierWriteWithoutTransaction { db in
            try db.changePassphrase(newPassphrase)
            try secrets.save(newPassphrase, as: "database")
            dbPool.invalidateReadOnlyConnections()
        }
        try secrets.remove("next")
        // end
        #expect(try notes(dbPool) == ["clear text"])
        #expect(try notes(snapshot) == ["clear text"])
        expect(.SQLITE_NOTADB) { try notes(other) }
        #expect(try notes(DatabaseQueue(path: path, configuration: config)) == ["clear text"])
    }

    @Test("The start after a change, whenever the process ended", arguments: [false, true])
    func start(isChanged: Bool) throws {
        let (secrets, path, config) = (secrets, path, config)
        try secrets.save("a new pass phrase", as: "next")
        if isChanged { try dbPool.changePassphrase("a new pass phrase") }
        try dbPool.close()
        // guide: start
        func openDatabase() throws -> DatabasePool {
            do {
                return try DatabasePool(path: path, configuration: config)
            } catch DatabaseError.SQLITE_NOTADB {
                var nextConfig = Configuration()
                nextConfig.prepareDatabase { db in
                    try db.usePassphrase(secrets.load("next"))
                }
                // Throws if the next pass phrase is wrong, too. The stored one isn't replaced then.
                try DatabaseQueue(path: path, configuration: nextConfig).close()
                try secrets.save(secrets.load("next"), as: "database")
                return try DatabasePool(path: path, configuration: config)
            }
        }
        // end
        #expect(try notes(openDatabase()) == ["clear text"])
        #expect(try secrets.load("database") == (isChanged ? "a new pass phrase" : "secret"))
    }

    @Test("Encrypting and decrypting")
    func export() throws {
        let clearPath = folder.path("clear.sqlite")
        let encryptedPath = folder.path("encrypted.sqlite")
        let decryptedPath = folder.path("decrypted.sqlite")
        try DatabaseQueue(path: clearPath).write { db in
            try db.execute(sql: "CREATE TABLE note(content TEXT); INSERT INTO note VALUES ('clear text')")
        }
        // guide: export
        // Encrypts a database.
        let clearQueue = try DatabaseQueue(path: clearPath)
        try clearQueue.export(to: encryptedPath, passphrase: secrets.load("database"))

        // Decrypts one.
        try dbPool.export(to: decryptedPath, passphrase: nil)
        // end
        #expect(try notes(DatabaseQueue(path: encryptedPath, configuration: config)) == ["clear text"])
        #expect(try notes(DatabaseQueue(path: decryptedPath)) == ["clear text"])
        #expect(isClear(decryptedPath))
    }

    @Test("Other settings")
    func settings() throws {
        let (secrets, path) = (secrets, path)
        let newPath = folder.path("new.sqlite")
        try dbPool.write { try $0.execute(sql: "PRAGMA user_version = 5") }
        // guide: settings
        var newConfig = Configuration()
        newConfig.prepareDatabase { db in
            try db.usePassphrase(secrets.load("database"))
            try db.execute(sql: "PRAGMA cipher_page_size = 8192")
        }
        let newQueue = try DatabaseQueue(path: newPath, configuration: newConfig)
        try newQueue.inDatabase { db in
            try db.attach(path: path, as: "old", passphrase: secrets.load("database"))
            try db.execute(sql: "SELECT sqlcipher_export('main', 'old')")
            let version = try Int.fetchOne(db, sql: "PRAGMA old.user_version")!
            try db.execute(sql: "PRAGMA main.user_version = \(version)")
            try db.execute(sql: "DETACH DATABASE old")
        }
        // end
        #expect(try notes(newQueue) == ["clear text"])
        try newQueue.close()
        let queue = try DatabaseQueue(path: newPath, configuration: newConfig)
        #expect(try notes(queue) == ["clear text"])
        #expect(try queue.read { try Int.fetchOne($0, sql: "PRAGMA page_size") } == 8192)
        #expect(try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == 5)
        expect(.SQLITE_NOTADB) { try DatabaseQueue(path: newPath, configuration: config) }
    }

    @Test("A file with its own pass phrase")
    func attach() throws {
        let archivePath = folder.path("archive.sqlite")
        let other = configuration("another secret")
        try DatabaseQueue(path: archivePath, configuration: other).write { db in
            try db.execute(sql: "CREATE TABLE note(content TEXT)")
        }
        // guide: attach
        try dbPool.writeWithoutTransaction { db in
            try db.attach(path: archivePath, as: "archive", passphrase: secrets.load("archive"))
            try db.execute(sql: "INSERT INTO archive.note SELECT * FROM main.note")
            try db.execute(sql: "DETACH DATABASE archive")
        }
        // end
        #expect(try notes(DatabaseQueue(path: archivePath, configuration: other)) == ["clear text"])
    }

    @Test("Copies: the table of the page")
    func copies() throws {
        let memory = try DatabaseQueue()
        try dbPool.backup(to: memory)
        #expect(try notes(memory) == ["clear text"])
        let file = folder.path("copy.sqlite")
        let other = try DatabaseQueue(path: file, configuration: configuration("other"))
        try dbPool.backup(to: other)
        try memory.backup(to: other)
        try other.close()
        #expect(try notes(DatabaseQueue(path: file, configuration: configuration("other"))) == ["clear text"])
        #expect(!isClear(file))

        let clearFile = folder.path("clear.sqlite")
        let clear = try DatabaseQueue(path: clearFile)
        expect(.SQLITE_MISUSE) { try dbPool.backup(to: clear) }
        expect(.SQLITE_MISUSE) { try clear.backup(to: dbPool) }
        try memory.backup(to: clear)
        #expect(isClear(clearFile))

        // VACUUM INTO writes the kind of file that its source is.
        try dbPool.vacuum(into: folder.path("vacuumed.sqlite"))
        try memory.vacuum(into: folder.path("vacuumed-clear.sqlite"))
        #expect(!isClear(folder.path("vacuumed.sqlite")))
        #expect(isClear(folder.path("vacuumed-clear.sqlite")))
        #expect(try notes(DatabaseQueue(path: folder.path("vacuumed.sqlite"), configuration: config)) == ["clear text"])
    }

    @Test("Ways out of clear text: the table of the page")
    func waysOut() throws {
        let bytes = Data("clear text".utf8)
        let serialized = try dbPool.read { db in try db.serialize() }
        #expect(serialized.range(of: bytes) != nil)
        let pages = try dbPool.read { db in try Data.fetchAll(db, sql: "SELECT data FROM sqlite_dbpage") }
        #expect(pages.contains { $0.range(of: bytes) != nil })
        let changeset = try dbPool.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            return try db.recordChanges { try db.execute(sql: "INSERT INTO player VALUES (1, 'clear text')") }
        }
        #expect(changeset.data.range(of: bytes) != nil)
        let error = #expect(throws: DatabaseError.self) {
            try dbPool.write { try $0.execute(sql: "INSERT INTO missing VALUES ('clear text')") }
        }
        #expect(error?.description.contains("clear text") == true)
    }

    @Test("Rehearsed migrations write encrypted files")
    func rehearsal() throws {
        let files = Mutex<[String: Bool]>([:])
        var migrator = DatabaseMigrator()
        migrator.registerMigration("more") { [folder = folder.url.path] db in
            try db.execute(sql: "INSERT INTO note VALUES ('clear text'); PRAGMA cache_size = 1")
            let file = try String.fetchOne(db, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'")!
            try db.execute(sql: "CREATE TABLE big AS SELECT zeroblob(1000000) AS a")
            let content = FileManager.default.contents(atPath: file) ?? Data()
            #expect(!file.hasPrefix(folder))
            files.withLock { $0[file] = content.count > 0 && content.range(of: Data("clear text".utf8)) == nil }
        }
        _ = try migrator.dryRun(dbPool)
        #expect(files.withLock { Array($0.values) } == [true])
    }

    @Test("A file in a container that applications share")
    func sharedContainer() throws {
        let secrets = secrets
        let path = folder.path("shared.sqlite")
        // guide: shared
        var sharedConfig = Configuration()
        sharedConfig.prepareDatabase { db in
            try db.usePassphrase(secrets.load("database"))
            let salt = try secrets.load("salt")  // 32 hexadecimal digits
            try db.execute(
                sql: """
                    PRAGMA cipher_plaintext_header_size = 32;
                    PRAGMA cipher_salt = "x'\(salt)'"
                    """)
        }
        let sharedPool = try DatabasePool(path: path, configuration: sharedConfig)
        // end
        try sharedPool.write { db in
            try db.execute(sql: "CREATE TABLE note(content TEXT); INSERT INTO note VALUES ('clear text')")
        }
        try sharedPool.close()
        #expect(contains("SQLite format 3", path))
        #expect(!isClear(path))
        #expect(try notes(DatabasePool(path: path, configuration: sharedConfig)) == ["clear text"])
        expect(.SQLITE_NOTADB) { try DatabaseQueue(path: path, configuration: config) }
    }

    @Test("Damaged pages")
    func integrity() throws {
        // guide: integrity
        let problems = try dbPool.read { db in try db.checkCipherIntegrity() }
        assert(problems.isEmpty)
        // end
    }

    @Test("Files of SQLCipher 3")
    func version3() throws {
        let secrets = secrets
        let path = folder.path("old.sqlite")
        // guide: version-3
        var oldConfig = Configuration()
        oldConfig.prepareDatabase { db in
            try db.usePassphrase(secrets.load("database"))
            try db.execute(sql: "PRAGMA cipher_compatibility = 3")
        }
        // end
        try DatabaseQueue(path: path, configuration: oldConfig).write { db in
            try db.execute(sql: "CREATE TABLE note(content TEXT); INSERT INTO note VALUES ('clear text')")
        }
        expect(.SQLITE_NOTADB) { try DatabaseQueue(path: path, configuration: config) }
        // guide: migrate
        var migratingConfig = Configuration()
        migratingConfig.prepareDatabase { db in
            try db.usePassphrase(secrets.load("database"))
            guard try Int.fetchOne(db, sql: "PRAGMA cipher_migrate") == 0 else {
                throw DatabaseError(resultCode: .SQLITE_NOTADB)
            }
        }
        try DatabaseQueue(path: path, configuration: migratingConfig).close()
        // end
        #expect(try notes(DatabaseQueue(path: path, configuration: config)) == ["clear text"])
    }
}
#endif
