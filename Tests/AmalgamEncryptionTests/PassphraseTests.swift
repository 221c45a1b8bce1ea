#if Encryption
import Amalgam
@testable import AmalgamEncryption
import CAmalgam
import CFaults
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Pass phrases")
struct PassphraseTests {
    private let folder = Folder()
    private var path: String { folder.path("secret.sqlite") }

    private func open(_ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
        try DatabaseQueue(path: path, configuration: configuration)
    }

    // MARK: Opening

    @Test func aDatabaseIsReadWithItsPassphrase() throws {
        try folder.makeEncrypted().close()
        #expect(try open(keyed()).noteCount() == 100)
    }

    @Test func aPoolSetsThePassphraseOnEachConnection() async throws {
        try folder.makeEncrypted().close()
        let pool = try DatabasePool(path: path, configuration: keyed())
        try await pool.write { db in try db.execute(sql: "DELETE FROM note WHERE id = 1") }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { try await pool.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note")! } }
            }
            for try await count in group { #expect(count == 99) }
        }
        let snapshot = try pool.makeSnapshot()
        try await pool.write { db in try db.execute(sql: "DELETE FROM note") }
        #expect(try snapshot.noteCount() == 99)
        #expect(try pool.noteCount() == 0)
    }

    @Test func withoutPassphraseTheFileIsNotADatabase() throws {
        try folder.makeEncrypted().close()
        let error = try #require(expectCode(.SQLITE_NOTADB) { try open() })
        #expect(error.message == notADatabase)
        #expect(error.description.hasSuffix(path))
    }

    @Test(arguments: ["wrong", "secret ", "Secret"])
    func anotherPassphraseIsWrong(passphrase: String) throws {
        try folder.makeEncrypted().close()
        expectCode(.SQLITE_NOTADB) { try open(keyed(passphrase)) }
        expectCode(.SQLITE_NOTADB) { try DatabasePool(path: path, configuration: keyed(passphrase)) }
        #expect(try open(keyed()).noteCount() == 100)
    }

    @Test func aClearFileHasNoPassphrase() throws {
        try DatabaseQueue(path: path).write { db in try db.fill() }
        expectCode(.SQLITE_NOTADB) { try open(keyed()) }
        #expect(try open().noteCount() == 100)
    }

    @Test func theRightPassphraseMayFollowAWrongOne() throws {
        try folder.makeEncrypted().close()
        var config = Configuration()
        config.prepareDatabase { db in
            try db.usePassphrase("wrong")
            expectCode(.SQLITE_NOTADB) { try db.execute(sql: "SELECT * FROM sqlite_master") }
            try db.usePassphrase("secret")
        }
        let queue = try open(config)
        try queue.write { db in try db.execute(sql: "DELETE FROM note WHERE id <= 50") }
        #expect(try queue.noteCount() == 50)
    }

    @Test func stringsAndBytesAreTheSamePassphrase() throws {
        try folder.makeEncrypted("secret.sqlite", keyed("pass\u{301}phrase\0x")).close()
        var config = Configuration()
        config.prepareDatabase { db in try db.usePassphrase(Data("pass\u{301}phrase\0x".utf8)) }
        #expect(try open(config).noteCount() == 100)
        config = Configuration()
        config.prepareDatabase { db in try db.usePassphrase(Array("pass\u{301}phrase\0x".utf8)) }
        #expect(try open(config).noteCount() == 100)
        expectCode(.SQLITE_NOTADB) { try open(keyed("pass\u{301}phrase")) }
    }

    @Test func laterConnectionsLoadThePassphraseAgain() throws {
        let loadCount = Mutex(0)
        var config = Configuration()
        config.prepareDatabase { db in
            loadCount.withLock { $0 += 1 }
            try db.usePassphrase("secret")
        }
        let pool = try DatabasePool(path: path, configuration: config)
        try pool.read { _ in }
        let count = loadCount.withLock { $0 }
        pool.invalidateReadOnlyConnections()
        try pool.read { _ in }
        #expect(loadCount.withLock { $0 } == count + 1)
    }

    /// Lets each read of the file fail once. SQLCipher would take a random salt in place of the one that it can't read, and
    /// report that the file isn't a database.
    @Test func anErrorOfTheFileIsNotAWrongPassphrase() throws {
        #expect(faults_install_files() == SQLITE_OK)
        try folder.makeEncrypted().close()
        var failureCount = 0
        for n in 1... {
            let plan = faults_create()!
            let previous = faults_exchange(plan)
            faults_plan(plan, UInt32(FAULTS_READ), UInt32(FAULTS_DATABASE), Int64(n), 0, 0, 0)
            let result = Result { try open(keyed()) }
            let failed = faults_failures(plan) > 0
            faults_plan(plan, 0, 0, 0, 0, 0, 0)
            faults_exchange(previous)
            if case .failure(let error) = result {
                #expect((error as? DatabaseError)?.resultCode == .SQLITE_IOERR, "read \(n)")
            } else {
                #expect(try result.get().noteCount() == 100, "read \(n)")
                try result.get().close()
            }
            faults_free(plan)
            if !failed { break }
            failureCount += 1
        }
        #expect(failureCount > 1)
    }

    @Test func aReadOnlyConnectionReads() throws {
        try folder.makeEncrypted().close()
        var config = keyed()
        config.readonly = true
        let queue = try open(config)
        #expect(try queue.noteCount() == 100)
        expectCode(.SQLITE_READONLY) { try queue.write { db in try db.execute(sql: "DELETE FROM note") } }
    }

    @Test func theCFunctionsOfSQLCipherSetAKeyToo() throws {
        try folder.makeEncrypted().close()
        var config = Configuration()
        config.prepareDatabase { db in
            #expect(sqlite3_key(db.sqliteConnection, "secret", 6) == SQLITE_OK)
        }
        #expect(try open(config).noteCount() == 100)
    }

    // MARK: Keys and settings

    @Test func aRawKeyIsNotDerived() throws {
        let key = Data((0..<32).map { UInt8($0) })
        var config = Configuration()
        config.prepareDatabase { db in try db.useRawKey(key) }
        try folder.makeEncrypted("secret.sqlite", config).close()
        #expect(try open(config).noteCount() == 100)
        // SQLCipher's spelling of the same key.
        let text = "x'" + key.map { String(format: "%02X", $0) }.joined() + "'"
        #expect(try open(keyed(text)).noteCount() == 100)
    }

    @Test(arguments: [(0, nil), (31, nil), (33, nil), (32, 15), (32, 0)] as [(Int, Int?)])
    func aRawKeyHas32BytesAndASaltOf16(keySize: Int, saltSize: Int?) throws {
        var config = Configuration()
        config.prepareDatabase { db in
            try db.useRawKey(Data(count: keySize), salt: saltSize.map { Data(count: $0) })
        }
        let salt = saltSize.map(String.init) ?? "none"
        expectError(
            .SQLITE_MISUSE, "A raw key has 32 bytes, and its salt 16; these have \(keySize) and \(salt)."
        ) { _ = try open(config) }
    }

    @Test func settingsFollowThePassphrase() throws {
        let settings = keyed("secret", "cipher_page_size = 8192", "kdf_iter = 1000")
        try folder.makeEncrypted("secret.sqlite", settings).close()
        expectCode(.SQLITE_NOTADB) { try open(keyed()) }
        let queue = try open(settings)
        #expect(try queue.noteCount() == 100)
        #expect(try queue.read { db in try Int.fetchOne(db, sql: "PRAGMA page_size") } == 8192)
    }

    /// Pages of 512 bytes have too little room for what the codec reserves, so SQLite takes 1024.
    @Test(arguments: [(512, 1024), (1024, 1024), (4096, 4096), (65536, 65536)])
    func pageSizeIsCipherPageSize(size: Int, used: Int) throws {
        let queue = try open(keyed("secret", "page_size = \(size)"))
        try queue.write { db in try db.fill(rowCount: 1000) }
        try queue.vacuum()
        #expect(try queue.read { db in try Int.fetchOne(db, sql: "PRAGMA page_size") } == used)
        try queue.close()
        #expect(try open(keyed("secret", "cipher_page_size = \(used)")).noteCount() == 1000)
    }

    /// With a clear header, a file can claim any page size.
    @Test(arguments: [512, 2048, 32768])
    func aHeaderWithAnotherPageSizeIsRefused(size: Int) throws {
        let salt = String(repeating: "0f", count: 16)
        let config = keyed("secret", "cipher_plaintext_header_size = 32", "cipher_salt = \"x'\(salt)'\"")
        try folder.makeEncrypted("secret.sqlite", config, rowCount: 1000).close()
        let file = try FileHandle(forUpdating: folder.url.appendingPathComponent("secret.sqlite"))
        try file.seek(toOffset: 16)
        try file.write(contentsOf: Data([UInt8(size >> 8), UInt8(size & 255)]))
        try file.close()
        expectCode(.SQLITE_NOTADB) { try open(config).noteCount() }
    }

    /// For app groups on iOS: the system must see that the file is a database, and the application keeps the salt.
    @Test func theHeaderMayBeClearText() throws {
        let salt = String(repeating: "0f", count: 16)
        let config = keyed("secret", "cipher_plaintext_header_size = 32", "cipher_salt = \"x'\(salt)'\"")
        let pool = try DatabasePool(path: path, configuration: config)
        try pool.write { db in try db.fill() }
        try pool.close()
        #expect(folder.beginsLikeADatabase("secret.sqlite"))
        #expect(!folder.contains(needle, in: "secret.sqlite"))
        #expect(try DatabasePool(path: path, configuration: config).noteCount() == 100)
        expectCode(.SQLITE_NOTADB) { try open(keyed()) }
    }

    /// The first page would be written with a clear header, whose salt no connection has.
    @Test func theClearHeaderOfAFileThatIsInUseStays() throws {
        let other = folder.path("other.sqlite")
        try folder.makeEncrypted("other.sqlite").close()
        let queue = try folder.makeEncrypted()
        try queue.inDatabase { db in try db.attach(path: other, as: "other", passphrase: "secret") }
        let message =
            "The size of the clear header can't be changed after the first read or write: set it in "
            + "Configuration.prepareDatabase, or export into a new file with this setting."
        for schema in ["main", "other"] {
            for sql in ["\(schema).cipher_plaintext_header_size = 32", "\(schema).cipher_plaintext_header_size(-1)"] {
                expectError(.SQLITE_MISUSE, message, sql: "PRAGMA \(sql)") {
                    try queue.write { db in
                        try db.execute(sql: "SELECT COUNT(*) FROM \(schema).note; PRAGMA \(sql)")
                    }
                }
            }
            // The present size isn't a change.
            try queue.inDatabase { db in try db.execute(sql: "PRAGMA \(schema).cipher_plaintext_header_size = 0") }
            try queue.write { db in try db.execute(sql: "CREATE TABLE \(schema).later (a)") }
        }
        try queue.close()
        for name in ["other.sqlite", "secret.sqlite"] {
            let queue = try DatabaseQueue(path: folder.path(name), configuration: keyed())
            #expect(try queue.noteCount() == 100)
            #expect(try queue.read { db in try db.integrityCheck() } == [])
        }
    }

    // MARK: Misuse

    @Test func anEmptyPassphraseIsMisuse() throws {
        expectError(.SQLITE_MISUSE, "The pass phrase is empty.") { _ = try open(keyed("")) }
        var config = Configuration()
        config.prepareDatabase { db in try db.usePassphrase(Data()) }
        expectError(.SQLITE_MISUSE, "The pass phrase is empty.") { _ = try open(config) }
    }

    @Test(arguments: [true, false])
    func aPassphraseAfterTheFirstReadIsMisuse(isEncrypted: Bool) throws {
        let queue = isEncrypted ? try folder.makeEncrypted() : try open()
        let message =
            "The connection has already read the database: set the pass phrase first in Configuration.prepareDatabase."
        queue.inDatabase { db in
            _ = expectError(.SQLITE_MISUSE, message) { try db.usePassphrase("secret") }
        }
        var config = Configuration()
        config.prepareDatabase { db in
            _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master")
            try db.usePassphrase("secret")
        }
        expectError(.SQLITE_MISUSE, message) {
            _ = try DatabaseQueue(path: folder.path("clear.sqlite"), configuration: config)
        }
    }

    @Test func aDatabaseInMemoryHasNoPassphrase() throws {
        let message = "A database in memory isn't encrypted, so it can't have a pass phrase."
        expectError(.SQLITE_MISUSE, message) { _ = try DatabaseQueue(configuration: keyed()) }
        expectError(.SQLITE_MISUSE, message) { _ = try DatabaseQueue(path: "", configuration: keyed()) }
        expectError(.SQLITE_MISUSE, message) { _ = try DatabaseQueue(named: "notes", configuration: keyed()) }
    }

    @Test func databasesInMemoryStillHaveNames() throws {
        let first = try DatabaseQueue(named: "shared notes")
        try first.write { db in try db.fill() }
        #expect(try DatabaseQueue(named: "shared notes").noteCount() == 100)
    }

    @Test func anAuditIsConfiguredAfterThePassphrase() throws {
        var early = Configuration()
        early.audit("note")
        early.prepareDatabase { db in try db.usePassphrase("secret") }
        expectCode(.SQLITE_MISUSE) { _ = try DatabaseQueue(path: folder.path("early.sqlite"), configuration: early) }
        var late = keyed()
        late.audit("note")
        let queue = try DatabaseQueue(path: folder.path("late.sqlite"), configuration: late)
        try queue.write { db in try db.fill() }
        #expect(try queue.read { db in try db.tableExists("note") })
        try queue.close()
        #expect(!folder.beginsLikeADatabase("late.sqlite"))
    }

    @Test func outsideOfAnAccessTheConnectionIsNotUsed() throws {
        var kept: Database?
        let queue = try folder.makeEncrypted()
        queue.inDatabase { db in kept = db }
        expectCode(.SQLITE_MISUSE) { try kept!.usePassphrase("secret") }
        expectCode(.SQLITE_MISUSE) { try kept!.changePassphrase("secret") }
    }

    // MARK: Clear text

    @Test(arguments: ["DELETE", "WAL"])
    func noFileContainsClearText(journalMode: String) throws {
        var config = keyed()
        config.journalMode = journalMode == "WAL" ? .wal : .default
        let queue = try open(config)
        try queue.write { db in try db.fill(rowCount: 1000) }
        try queue.inTransaction { db in
            try db.execute(sql: "UPDATE note SET content = content || '+'")
            try db.flushCache()
            for file in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
                #expect(!folder.contains(needle, in: file), "\(file)")
                #expect(!folder.beginsLikeADatabase(file))
            }
            return .commit
        }
        #expect(FileManager.default.fileExists(atPath: path + "-wal") == (journalMode == "WAL"))
    }

    @Test func theFileBeginsWithItsSalt() throws {
        func salt(_ name: String) throws -> (file: String, pragma: String?) {
            let queue = try folder.makeEncrypted(name)
            let bytes = try Data(contentsOf: folder.url.appendingPathComponent(name)).prefix(16)
            return (
                bytes.map { String(format: "%02x", $0) }.joined(),
                try queue.read { db in try String.fetchOne(db, sql: "PRAGMA cipher_salt") }
            )
        }
        let (first, second) = (try salt("first.sqlite"), try salt("second.sqlite"))
        #expect(first.file == first.pragma)
        #expect(second.file == second.pragma)
        #expect(first.file != second.file)
    }

    @Test func tracesAndErrorsDoNotContainThePassphrase() throws {
        let traced = Mutex<[String]>([])
        var config = Configuration()
        config.publicStatementArguments = true
        config.prepareDatabase { db in
            db.trace { event in traced.withLock { $0.append("\(event)") } }
            try db.usePassphrase("open sesame")
        }
        let queue = try open(config)
        try queue.inDatabase { db in
            try db.attach(path: folder.path("other.sqlite"), as: "other", passphrase: "swordfish")
            try db.changePassphrase("abracadabra")
            expectCode(.SQLITE_ERROR) { try db.attach(path: "/nowhere/x", as: "other", passphrase: "swordfish") }
        }
        let text = traced.withLock { $0.joined() }
        for passphrase in ["sesame", "swordfish", "abracadabra"] { #expect(!text.contains(passphrase)) }
    }

    /// The bytes while a key is used, and at the moment when they're freed.
    @Test func theBytesOfAKeyAreOverwritten() throws {
        var freed: [[UInt8]] = []
        func release(_ bytes: UnsafeMutableRawBufferPointer) {
            freed.append(Array(bytes))
            bytes.deallocate()
        }
        func content(_ key: EncryptionKey) -> [UInt8] {
            key.withBytes { start, count in Array(UnsafeRawBufferPointer(start: start, count: Int(count))) }
        }
        let raw = (key: Data(repeating: 0xA1, count: 32), salt: Data(repeating: 0xB2, count: 16))
        let used = try [
            content(EncryptionKey(passphrase: "open sesame", release: release)),
            content(EncryptionKey(passphrase: Data("swordfish".utf8), release: release)),
            content(EncryptionKey(raw: raw.key, salt: raw.salt, release: release)),
        ]
        let rawKey = "x'" + String(repeating: "a1", count: 32) + String(repeating: "b2", count: 16) + "'"
        #expect(used == ["open sesame", "swordfish", rawKey].map { Array($0.utf8) })
        #expect(freed == used.map { Array(repeating: 0, count: $0.count) })
    }
}
#endif
