import Amalgam
import CAmalgam
import Foundation
import TestSupport
import Testing

@Suite("What migrations and their temporary databases meet")
struct FailuresTests {
    @Test("the error names the migration that failed, and keeps its code and message")
    func theErrorNamesTheMigration() throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("good") { _ in }
        migrator.registerMigration("bad") { db in try db.execute(sql: "ALTER TABLE nonexistent ADD COLUMN a") }
        let failing = migrator
        let error = #expect(throws: DatabaseError.self) { try failing.migrate(DatabaseQueue()) }
        #expect(error?.resultCode == .SQLITE_ERROR)
        #expect(error?.message == "no such table: nonexistent")
        #expect(error?.sql == "ALTER TABLE nonexistent ADD COLUMN a")
        #expect(
            error?.description == "SQLite error 1: no such table: nonexistent - while executing "
                + "`ALTER TABLE nonexistent ADD COLUMN a` - in migration \"bad\"")
    }

    @Test("a broken foreign key names the migration")
    func foreignKeys() throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("orphan") { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (id INTEGER PRIMARY KEY);
                    CREATE TABLE child (parentId INTEGER REFERENCES parent(id));
                    INSERT INTO child VALUES (1);
                    """)
        }
        let failing = migrator
        let error = #expect(throws: DatabaseError.self) { try failing.migrate(DatabaseQueue()) }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
        #expect(error?.description.hasSuffix("- in migration \"orphan\"") == true)
    }

    @Test(
        "a migration that ends its transaction fails, and isn't remembered",
        arguments: [
            "ROLLBACK", "COMMIT", "ROLLBACK; BEGIN", "COMMIT; BEGIN", "END; BEGIN; CREATE TABLE second (a)",
        ], [true, false])
    func endedTransactions(sql: String, isObserved: Bool) throws {
        let dbQueue = try DatabaseQueue()
        let log = EventLog()
        if isObserved { dbQueue.add(transactionObserver: log) }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("good") { db in try db.execute(sql: "CREATE TABLE before (a)") }
        migrator.registerMigration("bad") { db in try db.execute(sql: "CREATE TABLE first (a); \(sql)") }
        let failing = migrator
        for _ in 1...2 {
            let error = #expect(throws: DatabaseError.self) { try failing.migrate(dbQueue) }
            #expect(error?.resultCode == .SQLITE_ABORT)
            #expect(error?.description.hasSuffix("- in migration \"bad\"") == true)
            let applied = try dbQueue.read(failing.appliedIdentifiers)
            #expect(applied == ["good"])
            try dbQueue.write { db in try db.execute(sql: "DROP TABLE IF EXISTS first; DROP TABLE IF EXISTS second") }
        }
    }

    @Test("a conflict that ends the transaction of a migration isn't hidden by another transaction")
    func conflicts() throws {
        let dbQueue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("bad") { db in
            try db.execute(sql: "CREATE TABLE t (a PRIMARY KEY); INSERT INTO t VALUES (1)")
            try? db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
            try db.rollback()
            try db.beginTransaction()
        }
        let failing = migrator
        let error = #expect(throws: DatabaseError.self) { try failing.migrate(dbQueue) }
        #expect(error?.resultCode == .SQLITE_ABORT)
        let applied = try dbQueue.read(failing.appliedIdentifiers)
        #expect(applied == [])
    }

    @Test("errors of other types come as they were thrown")
    func errorsOfOtherTypes() {
        struct Oops: Error, Equatable {}
        var migrator = DatabaseMigrator()
        migrator.registerMigration("bad") { _ in throw Oops() }
        let failing = migrator
        #expect(throws: Oops()) { try failing.migrate(DatabaseQueue()) }
    }

    /// The setting of an application that lets other processes read its file:
    /// <https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlpersistwal>.
    @Test("what is prepared for files works for temporary databases")
    func persistentWAL() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            if db.configuration.readonly { return }
            var isPersistent: CInt = 1
            let code = sqlite3_file_control(db.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &isPersistent)
            if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let pool = try DatabasePool(path: folder.appendingPathComponent("db.sqlite").path, configuration: configuration)
        var migrator = DatabaseMigrator()
        migrator.eraseDatabaseOnSchemaChange = true
        migrator.registerMigration("team") { db in try db.execute(sql: "CREATE TABLE team (a)") }
        try migrator.migrate(pool)
        try migrator.migrate(pool)
        let hasChanges = try pool.read(migrator.hasSchemaChanges)
        #expect(!hasChanges)
        migrator.registerMigration("player") { db in try db.execute(sql: "CREATE TABLE player (a)") }
        #expect(try migrator.dryRun(pool).steps.count == 1)
        try migrator.verify(configuration: configuration)
        try migrator.verify(pool)
        try pool.close()
    }

    @Test("temporary databases leave no file")
    func temporaryFiles() throws {
        let paths = Log<String>()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("team") { db in
            try db.execute(sql: "CREATE TABLE team (a)")
            if let path = db.filePath() { paths.append(path) }
        }
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        _ = try queue.read(migrator.hasSchemaChanges)
        _ = try migrator.dryRun(DatabaseQueue())
        try migrator.verify()
        #expect(paths.count >= 3)
        for path in paths.elements { #expect(!FileManager.default.fileExists(atPath: path)) }
    }

    @Test(
        "the connection may be closed by a migration, or by a report of its progress",
        arguments: [false, true], [DatabaseMigrator.ForeignKeyChecks.deferred, .immediate])
    func closed(isPool: Bool, checks: DatabaseMigrator.ForeignKeyChecks) throws {
        let folder = Folder()
        for closesInProgress in [false, true] {
            let path = folder.path("\(closesInProgress).sqlite")
            let writer: any DatabaseWriter =
                isPool ? try DatabasePool(path: path) : try DatabaseQueue(path: path)
            var migrator = DatabaseMigrator()
            migrator.registerMigration("team", foreignKeyChecks: checks) { db in
                try db.execute(sql: "CREATE TABLE team (a)")
                if !closesInProgress { try writer.close() }
            }
            #expect(throws: DatabaseError.self) {
                try migrator.migrate(writer) { _ in if closesInProgress { try writer.close() } }
            }
            expectCode(.SQLITE_MISUSE) { try writer.read { _ in } }
            #expect(try DatabaseQueue(path: path).read { try $0.tableExists("team") } == false)
        }
    }
}
