#if Encryption
import Amalgam
import Foundation
import TestSupport
import Testing

/// Rehearsals of migrations change copies of the files that `prepareDatabase` attaches. Copies of encrypted files are in
/// memory.
struct RehearsalTests {
    private let folder = Folder()

    @Test(arguments: [true, false])
    func anEncryptedFileIsAttached(isMainEncrypted: Bool) throws {
        try folder.makeEncrypted().close()
        var config = isMainEncrypted ? keyed("main") : Configuration()
        let side = folder.path("secret.sqlite")
        config.prepareDatabase { db in try db.attach(path: side, as: "side", passphrase: "secret") }
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: config)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("notes") { db in
            #expect(db.filePath("side") == nil)
            try db.execute(sql: "CREATE TABLE copy AS SELECT * FROM side.note; DELETE FROM side.note")
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM copy"), 100)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM side.note"), 0)
        }
        #expect(try migrator.dryRun(queue).steps.count == 1)
        try queue.close()
        #expect(try DatabaseQueue(path: side, configuration: keyed()).noteCount() == 100)
    }

    /// Without an explicit key, SQLCipher would open the copy with the key of the main database.
    @Test func aClearFileIsAttachedToAnEncryptedDatabase() throws {
        let side = folder.path("clear.sqlite")
        let clear = try DatabaseQueue(path: side)
        try clear.write { db in try db.fill(rowCount: 3) }
        try clear.close()
        var config = keyed()
        config.prepareDatabase { db in try db.attach(path: side, as: "side", passphrase: nil) }
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: config)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("notes") { db in
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM side.note"), 3)
            try db.execute(sql: "DELETE FROM side.note")
        }
        #expect(try migrator.dryRun(queue).steps.count == 1)
        #expect(try DatabaseQueue(path: side).noteCount() == 3)
    }
}
#endif
