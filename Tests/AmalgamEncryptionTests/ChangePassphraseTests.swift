#if Encryption
import Amalgam
import CAmalgam
import CFaults
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Changes of pass phrases")
struct ChangePassphraseTests {
    private let folder = Folder()
    private var path: String { folder.path("secret.sqlite") }

    private func expectPassphrase(
        _ passphrase: String, rowCount: Int = 100, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let queue = try DatabaseQueue(path: path, configuration: keyed(passphrase))
        #expect(try queue.noteCount() == rowCount, sourceLocation: sourceLocation)
        #expect(try queue.read { db in try db.integrityCheck() } == [], sourceLocation: sourceLocation)
        #expect(try queue.read { db in try db.checkCipherIntegrity() } == [], sourceLocation: sourceLocation)
    }

    // MARK: Success

    @Test func aQueueChangesItsPassphrase() throws {
        let queue = try folder.makeEncrypted()
        try queue.changePassphrase("new")
        try queue.write { db in try db.execute(sql: "DELETE FROM note WHERE id = 1") }
        #expect(try queue.noteCount() == 99)
        try queue.close()
        expectCode(.SQLITE_NOTADB) { try DatabaseQueue(path: path, configuration: keyed()) }
        try expectPassphrase("new", rowCount: 99)
    }

    @Test func aPoolChangesItsPassphraseAndClosesItsReaders() async throws {
        let passphrase = Mutex("secret")
        var config = Configuration()
        config.prepareDatabase { db in try db.usePassphrase(passphrase.withLock { $0 }) }
        let pool = try DatabasePool(path: path, configuration: config)
        try await pool.write { db in try db.fill() }
        for next in ["second", "third"] {
            #expect(try pool.noteCount() == 100)
            passphrase.withLock { $0 = next }
            #expect(try pool.changePassphrase(next) == [])
            #expect(try pool.noteCount() == 100)
            let count = try await pool.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note") }
            #expect(count == 100)
        }
        try pool.close()
        try expectPassphrase("third")
    }

    @Test func theMethodOfTheConnectionDoesTheSameInABarrier() throws {
        let passphrase = Mutex("secret")
        var config = Configuration()
        config.prepareDatabase { db in try db.usePassphrase(passphrase.withLock { $0 }) }
        let pool = try DatabasePool(path: path, configuration: config)
        try pool.write { db in try db.fill() }
        #expect(try pool.noteCount() == 100)
        try pool.barrierWriteWithoutTransaction { db in
            try db.changePassphrase("new")
            passphrase.withLock { $0 = "new" }
        }
        pool.invalidateReadOnlyConnections()
        #expect(try pool.noteCount() == 100)
    }

    @Test func aTransactionThatHasNotWrittenGoesOn() throws {
        let queue = try folder.makeEncrypted()
        try queue.write { db in
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note") == 100)
            try db.changePassphrase("new")
            #expect(db.isInsideTransaction)
            try db.execute(sql: "DELETE FROM note WHERE id = 1")
        }
        try queue.close()
        try expectPassphrase("new", rowCount: 99)
    }

    @Test func theTransactionThatGoesOnCanBeRolledBack() throws {
        struct Stop: Error {}
        let queue = try folder.makeEncrypted()
        #expect(throws: Stop.self) {
            try queue.write { db in
                try db.changePassphrase("new")
                try db.execute(sql: "DELETE FROM note")
                throw Stop()
            }
        }
        try queue.close()
        try expectPassphrase("new")
    }

    @Test func observersAreNotNotified() throws {
        final class Observer: TransactionObserver {
            let commits = Mutex(0)
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseDidCommit(_ db: Database) { commits.withLock { $0 += 1 } }
            func databaseDidRollback(_ db: Database) {}
        }
        let queue = try folder.makeEncrypted()
        let observer = Observer()
        queue.add(transactionObserver: observer)
        try queue.changePassphrase("new")
        #expect(observer.commits.withLock { $0 } == 0)
        try queue.write { db in try db.execute(sql: "DELETE FROM note WHERE id = 1") }
        #expect(observer.commits.withLock { $0 } == 1)
    }

    @Test func bytesAndRawKeysReplaceAPassphrase() throws {
        let queue = try folder.makeEncrypted()
        try queue.changePassphrase(Data("bytes".utf8))
        try queue.changeRawKey(Data(repeating: 7, count: 32))
        try queue.close()
        var config = Configuration()
        config.prepareDatabase { db in try db.useRawKey(Data(repeating: 7, count: 32)) }
        #expect(try DatabaseQueue(path: path, configuration: config).noteCount() == 100)
    }

    @Test func anEmptyDatabaseGetsTheNewPassphrase() throws {
        let queue = try DatabaseQueue(path: path, configuration: keyed())
        try queue.changePassphrase("new")
        try queue.write { db in try db.fill() }
        try queue.close()
        try expectPassphrase("new")
    }

    // MARK: Snapshots

    @Test func openSnapshotsAreNamedAndReadOnToTheirEnd() throws {
        let passphrase = Mutex("secret")
        var config = Configuration()
        config.label = "notes"
        config.prepareDatabase { db in try db.usePassphrase(passphrase.withLock { $0 }) }
        let pool = try DatabasePool(path: path, configuration: config)
        try pool.write { db in try db.fill(rowCount: 1000) }
        let snapshot = try pool.makeSnapshot()
        try pool.write { db in try db.execute(sql: "DELETE FROM note WHERE id > 10") }
        passphrase.withLock { $0 = "new" }
        #expect(try pool.changePassphrase("new") == ["notes.snapshot.1"])
        #expect(try snapshot.noteCount() == 1000)
        #expect(try pool.noteCount() == 10)

        // A snapshot that is closed isn't open any more; one that is made now has the new pass phrase.
        try snapshot.close()
        let snapshotPool = try pool.makeSnapshotPool()
        passphrase.withLock { $0 = "newer" }
        #expect(try pool.changePassphrase("newer") == ["notes.snapshotPool"])
        expectCode(.SQLITE_NOTADB) { try snapshotPool.noteCount() }
        #expect(try pool.makeSnapshotPool().noteCount() == 10)
    }

    @Test func anotherConnectionsReadUnderWayGoesOn() throws {
        var config = keyed()
        config.journalMode = .wal
        let queue = try folder.makeEncrypted("secret.sqlite", config, rowCount: 2000)
        let other = try DatabaseQueue(path: path, configuration: keyed())
        try other.read { db in
            let cursor = try Int.fetchCursor(db, sql: "SELECT length(content) FROM note")
            #expect(try cursor.next() != nil)
            try queue.changePassphrase("new")
            var count = 1
            while try cursor.next() != nil { count += 1 }
            #expect(count == 2000)
        }
        #expect(throws: DatabaseError.self) { try other.noteCount() }
        #expect(try queue.noteCount() == 2000)
    }

    // MARK: Misuse

    @Test func aTransactionThatHasWrittenRefusesTheChange() throws {
        let queue = try folder.makeEncrypted()
        let message = """
            The pass phrase can't be changed in a transaction that has written, in a savepoint, or while a cursor is being \
            read: change it in a separate database access.
            """
        try queue.write { db in
            try db.execute(sql: "DELETE FROM note WHERE id = 1")
            expectError(.SQLITE_MISUSE, message) { try db.changePassphrase("new") }
        }
        try queue.write { db in
            try db.inSavepoint {
                expectError(.SQLITE_MISUSE, message) { try db.changePassphrase("new") }
                return .commit
            }
        }
        try queue.inDatabase { db in
            let cursor = try Int.fetchCursor(db, sql: "SELECT id FROM note")
            _ = try cursor.next()
            expectError(.SQLITE_MISUSE, message) { try db.changePassphrase("new") }
        }
        try queue.write { db in
            try db.execute(sql: "CREATE TEMP TABLE t(a); INSERT INTO t VALUES (1)")
            expectError(.SQLITE_MISUSE, message) { try db.changePassphrase("new") }
        }
        try queue.close()
        try expectPassphrase("secret", rowCount: 99)
    }

    @Test func sqlCannotChangeTheKeyInATransactionThatHasWrittenEither() throws {
        let queue = try folder.makeEncrypted()
        #expect(throws: DatabaseError.self) {
            try queue.write { db in
                try db.execute(sql: "DELETE FROM note WHERE id = 1")
                try db.execute(sql: "PRAGMA rekey = 'new'")
            }
        }
        try queue.close()
        try expectPassphrase("secret")
    }

    /// SQLCipher performs these pragmas while SQLite compiles them, so that `query_only` doesn't reach them.
    @Test(arguments: [
        "rekey = 'new'", "key = 'new'", "hexrekey = '6e6577'", "hexkey = '6e6577'", "textrekey = 'new'",
        "main.rekey = 'new'", "rekey('new')", "cipher_page_size = 8192", "page_size = 8192", "kdf_iter = 1000",
        "cipher_use_hmac = OFF", "cipher_compatibility = 3", "cipher_default_kdf_iter = 1000", "cipher_migrate",
    ])
    func aReadCannotChangeTheKey(pragma: String) throws {
        let queue = try folder.makeEncrypted()
        let pool = try DatabasePool(path: folder.path("pool.sqlite"), configuration: keyed())
        try pool.write { db in try db.fill() }
        var readonly = keyed()
        readonly.readonly = true
        let readers: [any DatabaseReader] = [queue, pool, try DatabaseQueue(path: path, configuration: readonly)]
        for reader in readers {
            try reader.read { db in
                for sql in ["PRAGMA \(pragma)", "EXPLAIN PRAGMA \(pragma)"] {
                    for attempt in [{ try db.execute(sql: sql) }, { _ = try db.makeStatement(sql: sql) }] {
                        let error = expectCode(.SQLITE_READONLY, attempt)
                        #expect(error?.message?.contains("key") == true && error?.sql == sql)
                    }
                }
                expectCode(.SQLITE_ERROR) { try db.execute(sql: "SELECT") }
            }
            #expect(try reader.noteCount() == 100)
        }
        try queue.close()
        try pool.close()
        try expectPassphrase("secret")
        #expect(try DatabaseQueue(path: folder.path("pool.sqlite"), configuration: keyed()).noteCount() == 100)
    }

    @Test func explainChangesNoKeyInAWriteEither() throws {
        let queue = try folder.makeEncrypted()
        try queue.inDatabase { db in
            let error = expectCode(.SQLITE_READONLY) { _ = try Row.fetchAll(db, sql: "EXPLAIN PRAGMA rekey = 'new'") }
            #expect(error?.message?.hasPrefix("EXPLAIN would change the key") == true)
            // What reads a setting is allowed, in reads, too.
            let sizes = try db.readOnly {
                try ["PRAGMA cipher_page_size", "PRAGMA page_size"].map { try Int.fetchOne(db, sql: $0) }
            }
            #expect(sizes == [4096, 4096])
        }
        try queue.close()
        try expectPassphrase("secret")
    }

    @Test func otherMisuseIsRefused() throws {
        let queue = try folder.makeEncrypted()
        expectError(.SQLITE_MISUSE, "The pass phrase is empty.") { try queue.changePassphrase("") }
        expectError(.SQLITE_MISUSE, "The pass phrase is empty.") { try queue.changePassphrase(Data()) }
        try queue.read { db in
            _ = expectCode(.SQLITE_READONLY) { try db.changePassphrase("new") }
        }
        let message = "The database isn't encrypted: export(to:passphrase:) makes an encrypted copy of it."
        let clear = try DatabaseQueue(path: folder.path("clear.sqlite"))
        expectError(.SQLITE_MISUSE, message) { try clear.changePassphrase("new") }
        expectError(.SQLITE_MISUSE, message) { try DatabaseQueue().changePassphrase("new") }
        try queue.close()
        expectCode(.SQLITE_MISUSE) { try queue.changePassphrase("new") }
        try expectPassphrase("secret")
    }

    // MARK: Failure

    /// SQLCipher would keep the new key for writing. Then the INSERT would write pages that no key opens together with
    /// the others.
    @Test(arguments: [false, true])
    func aChangeThatMustWaitForAnotherWriterLeavesTheKey(usesSQL: Bool) throws {
        var config = keyed()
        config.journalMode = .wal
        let queue = try folder.makeEncrypted("secret.sqlite", config)
        let other = try DatabaseQueue(path: path, configuration: keyed())
        try other.write { db in
            _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note")
            if usesSQL {
                #expect(throws: DatabaseError.self) {
                    try queue.inDatabase { db in try db.execute(sql: "PRAGMA rekey = 'new'") }
                }
            } else {
                expectCode(.SQLITE_BUSY) { try queue.changePassphrase("new") }
            }
        }
        try queue.write { db in try db.execute(sql: "INSERT INTO note (content) VALUES ('after')") }
        #expect(try other.noteCount() == 101)
        try queue.close()
        try other.close()
        try expectPassphrase("secret", rowCount: 101)
    }

    /// Lets each operation on the files fail once, up to the first change that succeeds.
    @Test(arguments: [Configuration.JournalModeConfiguration.default, .wal])
    func aChangeWhoseFilesFailLeavesTheOldOrTheNewKey(mode: Configuration.JournalModeConfiguration) throws {
        #expect(faults_install_files() == SQLITE_OK)
        let operations = UInt32(
            FAULTS_READ | FAULTS_WRITE | FAULTS_SYNC | FAULTS_LOCK | FAULTS_TRUNCATE | FAULTS_OPEN | FAULTS_DELETE
                | FAULTS_SHM_MAP | FAULTS_SHM_LOCK)
        var isChanged = false
        var failureCount = 0
        for n in 1... {
            let folder = Folder()
            var config = keyed("secret", "kdf_iter = 1000")
            config.journalMode = mode
            let plan = faults_create()!
            let previous = faults_exchange(plan)
            defer {
                faults_exchange(previous)
                faults_free(plan)
            }
            let queue = try DatabaseQueue(path: folder.path("secret.sqlite"), configuration: config)
            try queue.write { db in
                try db.execute(sql: "PRAGMA cache_size = 10")
                try db.fill(rowCount: 500)
            }
            faults_plan(plan, operations, UInt32(FAULTS_ANY_FILE), Int64(n), 0, 0, 0)
            let result = Result { try queue.changePassphrase("new") }
            let failed = faults_failures(plan) > 0
            faults_plan(plan, 0, 0, 0, 0, 0, 0)
            // The connection goes on, or says that it can't; what it commits is read with one of the two keys.
            let wrote = Result {
                try queue.write { db in try db.execute(sql: "INSERT INTO note (content) VALUES ('after')") }
            }
            try? queue.close()
            let counts = ["secret", "new"].compactMap { passphrase in
                let config = keyed(passphrase, "kdf_iter = 1000")
                return try? DatabaseQueue(path: folder.path("secret.sqlite"), configuration: config).noteCount()
            }
            #expect(counts.count == 1, "operation \(n)")
            #expect(counts.first == ((try? wrote.get()) == nil ? 500 : 501), "operation \(n)")
            if case .success = result {
                let config = keyed("new", "kdf_iter = 1000")
                let opened = try? DatabaseQueue(path: folder.path("secret.sqlite"), configuration: config)
                #expect(opened != nil, "operation \(n)")
            }
            failureCount += failed ? 1 : 0
            if !failed {
                isChanged = (try? result.get()) != nil
                break
            }
        }
        #expect(isChanged)
        #expect(failureCount > 10)
    }

    /// Lets each allocation fail once, up to the first change that succeeds. SQLCipher would ignore that it has no memory
    /// for the pass phrase, encrypt the pages with the old key again, and report success.
    @Test func aChangeWithoutMemoryLeavesTheOldOrTheNewKey() throws {
        #expect(faults_memory_is_installed() == 1)
        // SQLCipher allocates memory for a pass phrase that is longer than its heap for keys.
        let long = String(repeating: "new", count: 20_000)
        var failureCount = 0
        for n in 1... {
            let folder = Folder()
            func open(_ passphrase: String) throws -> DatabaseQueue {
                try DatabaseQueue(
                    path: folder.path("secret.sqlite"), configuration: keyed(passphrase, "kdf_iter = 1000"))
            }
            let queue = try open("secret").filled()
            let plan = faults_create()!
            let previous = faults_exchange(plan)
            faults_plan(plan, UInt32(FAULTS_ALLOCATION), UInt32(FAULTS_ANY_FILE), Int64(n), 0, 0, 0)
            let result = Result { try queue.changePassphrase(long) }
            let failed = faults_failures(plan) > 0
            faults_plan(plan, 0, 0, 0, 0, 0, 0)
            faults_exchange(previous)
            try queue.write { db in try db.execute(sql: "INSERT INTO note (content) VALUES ('after')") }
            try queue.close()
            faults_free(plan)
            let opened = ["secret", long].filter { (try? open($0).noteCount()) == 101 }
            #expect(opened.count == 1, "allocation \(n)")
            if case .success = result { #expect(opened == [long], "allocation \(n)") }
            if !failed {
                _ = try result.get()
                break
            }
            failureCount += 1
        }
        #expect(failureCount > 1)
    }

    /// SQLCipher would keep the page that it could not write, and with it the lock of the file.
    @Test func aChangeThatFailsReleasesTheFile() throws {
        #expect(faults_install_files() == SQLITE_OK)
        try withFaults { plan in
            let queue = try folder.makeEncrypted()
            faults_plan(plan, UInt32(FAULTS_WRITE), UInt32(FAULTS_JOURNAL), 1, 0, 0, 0)
            expectCode(.SQLITE_IOERR) { try queue.changePassphrase("new") }
            faults_plan(plan, 0, 0, 0, 0, 0, 0)
            let other = try DatabaseQueue(path: path, configuration: keyed())
            try other.write { db in try db.execute(sql: "DELETE FROM note WHERE id = 1") }
            #expect(try queue.noteCount() == 99)
        }
    }

    /// SQLCipher would decrypt what wasn't read, and refuse every later page of the connection.
    @Test func aReadThatFailsOnceLeavesTheConnectionUsable() throws {
        #expect(faults_install_files() == SQLITE_OK)
        try withFaults { plan in
            var failureCount = 0
            for n in 1...25 {
                try? FileManager.default.removeItem(atPath: path)
                let queue = try folder.makeEncrypted(
                    "secret.sqlite", keyed("secret", "kdf_iter = 1000"), rowCount: 5000)
                try queue.inDatabase { db in try db.execute(sql: "PRAGMA cache_size = 1") }
                queue.releaseMemory()
                faults_plan(plan, UInt32(FAULTS_READ), UInt32(FAULTS_DATABASE), Int64(n), 0, 0, 0)
                let result = Result {
                    try queue.read { db in try Int.fetchOne(db, sql: "SELECT SUM(LENGTH(content)) FROM note") }
                }
                failureCount += Int(faults_failures(plan))
                faults_plan(plan, 0, 0, 0, 0, 0, 0)
                if case .failure(let error as DatabaseError) = result { #expect(error.resultCode == .SQLITE_IOERR) }
                #expect(try queue.noteCount() == 5000)
                try queue.write { db in try db.execute(sql: "DELETE FROM note WHERE id = 1") }
                #expect(try queue.noteCount() == 4999)
            }
            #expect(failureCount > 20)
        }
    }
}
#endif
