#if Encryption
import Amalgam
import Foundation
import TestSupport
import Testing

@Suite("Exports and attached files")
struct ExportTests {
    private let folder = Folder()
    private var target: String { folder.path("exported.sqlite") }

    /// A database with all that an export has to carry.
    private func fill(_ db: Database) throws {
        try db.fill(rowCount: 500)
        try db.execute(
            literal: """
                CREATE TABLE team (name TEXT NOT NULL, color TEXT AS (lower(name)) STORED);
                INSERT INTO team (rowid, name) VALUES (7, 'Red'), (9, 'Blue');
                CREATE TABLE tag (name TEXT);
                INSERT INTO tag (rowid, name) VALUES (3, 'new'), (8, 'old');
                CREATE VIRTUAL TABLE tagSearch USING fts5(name, content = 'tag');
                INSERT INTO tagSearch (tagSearch) VALUES ('rebuild');
                CREATE TABLE pair (a INTEGER, b TEXT, PRIMARY KEY (b, a)) STRICT, WITHOUT ROWID;
                INSERT INTO pair VALUES (1, 'x'), (2, 'y');
                CREATE TABLE numbered (id INTEGER PRIMARY KEY AUTOINCREMENT);
                INSERT INTO numbered VALUES (41);
                DELETE FROM numbered;
                CREATE UNIQUE INDEX teamOnName ON team (name COLLATE NOCASE);
                CREATE VIEW red AS SELECT * FROM team WHERE color = 'red';
                CREATE TRIGGER onTeam AFTER INSERT ON team BEGIN INSERT INTO numbered VALUES (NULL); END;
                CREATE VIRTUAL TABLE search USING fts5(content, tokenize = 'porter');
                INSERT INTO search SELECT content FROM note;
                CREATE VIRTUAL TABLE place USING rtree(id, x0, x1);
                INSERT INTO place VALUES (1, 2, 3);
                PRAGMA user_version = 12;
                PRAGMA application_id = -5;
                """)
        try db.execute(sql: "ANALYZE")
    }

    /// Compares all content of two databases, with the rowids.
    private func expectSameContent(
        _ one: any DatabaseReader, _ other: any DatabaseReader, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        func content(_ reader: any DatabaseReader) throws -> [String: [Row]] {
            try reader.read { db in
                var content: [String: [Row]] = [:]
                content["schema"] = try Row.fetchAll(db, sql: "SELECT type, name, sql FROM sqlite_master ORDER BY name")
                for pragma in ["user_version", "application_id", "encoding", "auto_vacuum"] {
                    content[pragma] = try Row.fetchAll(db, sql: "PRAGMA \(pragma)")
                }
                let tables = [
                    "note", "team", "tag", "numbered", "sqlite_sequence", "sqlite_stat1", "search_data", "place_node",
                ]
                for table in tables {
                    content[table] = try Row.fetchAll(db, sql: "SELECT rowid, * FROM \(table) ORDER BY rowid")
                }
                content["pair"] = try Row.fetchAll(db, sql: "SELECT * FROM pair")
                content["red"] = try Row.fetchAll(db, sql: "SELECT * FROM red")
                content["tagSearch"] = try Row.fetchAll(
                    db, sql: "SELECT rowid, name FROM tagSearch WHERE tagSearch MATCH 'old'")
                content["search"] = try Row.fetchAll(db, sql: "SELECT rowid FROM search WHERE search MATCH 'needl*'")
                #expect(try db.integrityCheck() == [], sourceLocation: sourceLocation)
                return content
            }
        }
        let (first, second) = (try content(one), try content(other))
        for (name, rows) in first { #expect(second[name] == rows, "\(name)", sourceLocation: sourceLocation) }
    }

    @Test(arguments: DatabaseKind.allCases)
    func aDatabaseIsEncrypted(kind: DatabaseKind) throws {
        try kind.open { writer in
            try writer.write(fill)
            try writer.export(to: target, passphrase: "secret")
            #expect(!folder.contains(needle, in: "exported.sqlite"))
            #expect(!folder.beginsLikeADatabase("exported.sqlite"))
            try expectSameContent(writer, DatabaseQueue(path: target, configuration: keyed()))
        }
    }

    @Test func aDatabaseIsDecrypted() throws {
        let queue = try DatabaseQueue(path: folder.path("secret.sqlite"), configuration: keyed())
        try queue.write(fill)
        try queue.export(to: target, passphrase: nil)
        #expect(folder.contains(needle, in: "exported.sqlite"))
        try expectSameContent(queue, DatabaseQueue(path: target))
    }

    @Test func aDatabaseGetsOtherSettings() throws {
        let queue = try DatabaseQueue(path: folder.path("secret.sqlite"), configuration: keyed("a", "kdf_iter = 4000"))
        try queue.write(fill)
        try queue.export(to: target, passphrase: "b")
        try expectSameContent(queue, DatabaseQueue(path: target, configuration: keyed("b")))
    }

    @Test func theStatementsOfSQLCipherExportToo() throws {
        let queue = try DatabaseQueue(path: folder.path("clear.sqlite"))
        try queue.write { db in try db.fill() }
        try queue.inDatabase { db in
            try db.execute(
                sql: """
                    ATTACH DATABASE ? AS encrypted KEY ?;
                    SELECT sqlcipher_export('encrypted');
                    DETACH DATABASE encrypted
                    """, arguments: [target, "secret"])
        }
        #expect(try DatabaseQueue(path: target, configuration: keyed()).noteCount() == 100)
    }

    @Test func theWritesOfAPoolGoOnAndObserversReceiveNothing() throws {
        let pool = try DatabasePool(path: folder.path("secret.sqlite"), configuration: keyed())
        try pool.write(fill)
        final class Observer: TransactionObserver {
            var changes = 0
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) { changes += 1 }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let observer = Observer()
        pool.add(transactionObserver: observer)
        try pool.writeWithoutTransaction { _ in try pool.export(to: target, passphrase: "other") }
        pool.remove(transactionObserver: observer)
        #expect(observer.changes == 0)
        try expectSameContent(pool, DatabaseQueue(path: target, configuration: keyed("other")))
    }

    /// A file from elsewhere could write by it.
    @Test func viewsCannotExport() throws {
        let queue = try folder.makeEncrypted()
        try queue.write { db in try db.execute(sql: "CREATE VIEW evil AS SELECT sqlcipher_export('main')") }
        expectFailure(.SQLITE_ERROR, "unsafe use of sqlcipher_export()") {
            _ = try queue.read { db in try Row.fetchAll(db, sql: "SELECT * FROM evil") }
        }
        #expect(try queue.noteCount() == 100)
    }

    @Test func misuseLeavesNoFile() throws {
        let queue = try folder.makeEncrypted()
        expectError(.SQLITE_MISUSE, "The pass phrase is empty.") { try queue.export(to: target, passphrase: "") }
        try queue.write { db in
            _ = expectError(.SQLITE_MISUSE, "A database can't be exported inside a transaction.") {
                try db.export(to: target, passphrase: nil)
            }
        }
        expectCode(.SQLITE_CANTOPEN) { try queue.export(to: "/nowhere/exported.sqlite", passphrase: nil) }
        #expect(!FileManager.default.fileExists(atPath: target))

        try Data("mine".utf8).write(to: folder.url.appendingPathComponent("exported.sqlite"))
        expectError(
            .SQLITE_CANTOPEN, "There is a file at \(target) already: an export writes to a new one."
        ) { try queue.export(to: target, passphrase: nil) }
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "mine")
        #expect(try queue.noteCount() == 100)
    }

    /// SQLite deletes a WAL file next to a new database, and rolls a journal back. They may hold the only copy of commits.
    @Test(arguments: ["", "-wal", "-journal", "-shm"])
    func filesAtThePathAreKept(suffix: String) throws {
        let queue = try folder.makeEncrypted()
        for passphrase in ["", "other", nil] {
            try Data("mine".utf8).write(to: folder.url.appendingPathComponent("exported.sqlite" + suffix))
            expectError(
                .SQLITE_CANTOPEN, "There is a file at \(target)\(suffix) already: an export writes to a new one."
            ) { try queue.export(to: target, passphrase: passphrase) }
            #expect(try String(contentsOfFile: target + suffix, encoding: .utf8) == "mine")
            #expect(try folder.names() == ["exported.sqlite" + suffix, "secret.sqlite"])
        }
    }

    @Test func aLinkAtThePathIsKept() throws {
        let queue = try folder.makeEncrypted()
        try FileManager.default.createSymbolicLink(atPath: target, withDestinationPath: folder.path("elsewhere"))
        expectCode(.SQLITE_CANTOPEN) { try queue.export(to: target, passphrase: nil) }
        #expect(try folder.names() == ["exported.sqlite", "secret.sqlite"])
    }

    @Test func theNewFileHasThePermissionsOfTheDatabase() throws {
        let queue = try folder.makeEncrypted()
        for permissions in [0o600, 0o640] {
            try FileManager.default.setAttributes(
                [.posixPermissions: permissions], ofItemAtPath: folder.path("secret.sqlite"))
            try queue.export(to: target, passphrase: nil)
            let attributes = try FileManager.default.attributesOfItem(atPath: target)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == permissions)
            try FileManager.default.removeItem(atPath: target)
        }
    }

    // MARK: Attached files

    @Test func aFileIsAttachedWithItsOwnPassphrase() throws {
        try folder.makeEncrypted("archive.sqlite", keyed("archive")).close()
        let queue = try folder.makeEncrypted(rowCount: 3)
        try queue.inDatabase { db in
            try db.attach(path: folder.path("archive.sqlite"), as: "archive", passphrase: "archive")
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM archive.note") == 100)
            try db.execute(sql: "INSERT INTO main.note (content) SELECT content FROM archive.note")
            try db.attach(path: folder.path("clear.sqlite"), as: "clear", passphrase: nil)
            try db.execute(sql: "CREATE TABLE clear.note AS SELECT * FROM note")
            try db.attach(path: folder.path("bytes.sqlite"), as: "bytes", passphrase: Data("bytes".utf8))
            try db.execute(sql: "CREATE TABLE bytes.note AS SELECT * FROM note")
        }
        #expect(folder.contains(needle, in: "clear.sqlite"))
        #expect(!folder.contains(needle, in: "bytes.sqlite"))
        #expect(try DatabaseQueue(path: folder.path("bytes.sqlite"), configuration: keyed("bytes")).noteCount() == 103)
    }

    @Test func aWrongPassphraseDoesNotAttach() throws {
        try folder.makeEncrypted("archive.sqlite", keyed("archive")).close()
        let queue = try folder.makeEncrypted()
        try queue.inDatabase { db in
            let path = folder.path("archive.sqlite")
            for passphrase in ["wrong", nil] {
                let error = expectCode(.SQLITE_NOTADB) {
                    try db.attach(path: path, as: "archive", passphrase: passphrase)
                }
                #expect(error?.message?.hasPrefix("file is not a database (wrong pass phrase") == true)
            }
            expectError(.SQLITE_MISUSE, "The pass phrase is empty.") {
                try db.attach(path: path, as: "archive", passphrase: "")
            }
            expectError(.SQLITE_ERROR, "database main is already in use") {
                try db.attach(path: path, as: "main", passphrase: "archive")
            }
            try db.attach(path: path, as: "archive", passphrase: "archive")
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM archive.note") == 100)
        }
    }

    // MARK: Integrity

    @Test func aDamagedPageIsFound() throws {
        try folder.makeEncrypted(rowCount: 5000).close()
        let file = try FileHandle(forUpdating: folder.url.appendingPathComponent("secret.sqlite"))
        try file.seek(toOffset: 5 * 4096 + 100)
        try file.write(contentsOf: Data("damage".utf8))
        try file.close()
        let queue = try DatabaseQueue(path: folder.path("secret.sqlite"), configuration: keyed())
        let problems = try queue.read { db in try db.checkCipherIntegrity() }
        #expect(problems == ["HMAC verification failed for page 6"])
        try DatabaseQueue().read { db in
            _ = expectError(.SQLITE_MISUSE, "The database isn't encrypted.") { _ = try db.checkCipherIntegrity() }
        }
    }

    /// The WAL file has the pages of the new pass phrase until a checkpoint.
    @Test func aChangedPassphraseIsNoDamage() throws {
        let pool = try DatabasePool(path: folder.path("secret.sqlite"), configuration: keyed("old"))
        try pool.write { db in try db.fill() }
        #expect(try pool.read { db in try db.checkCipherIntegrity() } == [])
        try pool.writeWithoutTransaction { db in
            try db.changePassphrase("new")
            let error = expectCode(.SQLITE_BUSY) { _ = try db.checkCipherIntegrity() }
            #expect(error?.message?.contains("Run checkpoint(.truncate), and check again.") == true)
            try db.checkpoint(.truncate)
            #expect(try db.checkCipherIntegrity() == [])
        }
    }

    // MARK: Information

    @Test func theLogIsWrittenWhileItIsOn() throws {
        let queue = try folder.makeEncrypted("other.sqlite")
        let log = folder.path("cipher's.log")
        var text = ""
        let levels: [Database.CipherLogLevel] = [.none, .error, .warn, .info, .debug, .trace]
        for level in levels {
            try queue.inDatabase { db in
                try db.enableCipherLogging(logLevel: level, target: .file(log))
                _ = try String.fetchOne(db, sql: "PRAGMA cipher_version")
                try folder.makeEncrypted("\(level).sqlite").changePassphrase("next")
                try db.disableCipherLogging()
                try db.applySQLCipherLicense("it's a code")
            }
            text = try String(contentsOfFile: log, encoding: .utf8)
            #expect(text.contains("cipher_version") == [.debug, .trace].contains(level))
            #expect(text.contains(#/allocated \d+ bytes \(\d+ used\) on private heap/#) == (level == .trace))
            #expect(!text.contains(needle))
        }
        _ = try queue.read { db in try String.fetchOne(db, sql: "PRAGMA cipher_version") }
        try expectEqual(String(contentsOfFile: log, encoding: .utf8), text)
    }

    @Test func theBuildTellsItsCipher() throws {
        let cipher = try #require(SQLiteBuild.cipher)
        #expect(cipher.version == "4.19.0")
        let queue = try folder.makeEncrypted()
        try queue.read { db in
            try expectEqual(db.cipherVersion, "\(cipher.version) community")
            try expectEqual(db.cipherProvider, cipher.provider)
            try expectEqual(db.cipherProviderVersion, cipher.providerVersion)
            try expectEqual(db.cipherFipsStatus, "0")
        }
        #expect(!cipher.provider.isEmpty)
        #expect(!cipher.providerVersion.isEmpty)
    }
}
#endif
