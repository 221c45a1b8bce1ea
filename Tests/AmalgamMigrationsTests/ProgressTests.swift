import Amalgam
import Testing

private func makeMigrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("first") { db in try db.execute(sql: "CREATE TABLE number (x INTEGER)") }
    migrator.registerMigration("second") { db in try db.execute(sql: manyNumbers) }
    migrator.registerMigration("third", foreignKeyChecks: .immediate) { _ in }
    return migrator
}

/// Takes some hundred thousand instructions.
private let manyNumbers = """
    WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 50000) INSERT INTO number SELECT x FROM n
    """

@Suite("The progress of migrations")
struct MigrationProgressTests {
    private struct Stop: Error {}

    @Test("each one tells when it begins, checks foreign keys, and is committed")
    func phases() throws {
        let dbQueue = try DatabaseQueue()
        let migrator = makeMigrator()
        try migrator.migrate(dbQueue, upTo: "first")
        var lines: [String] = []
        try migrator.migrate(dbQueue, reportingEvery: .seconds(3600)) { progress in
            lines.append("\(progress.migration) \(progress.phase) \(progress.completedCount)/\(progress.totalCount)")
            #expect(progress.elapsed >= .zero)
        }
        #expect(
            lines == [
                "second migrating 0/2", "second checkingForeignKeys 0/2", "second completed 1/2",
                "third migrating 1/2", "third completed 2/2",
            ])
        try migrator.migrate(dbQueue) { _ in Issue.record("there is nothing left to do") }
    }

    @Test("a long one tells while its statements run")
    func longMigrations() throws {
        var count = 0
        try makeMigrator().migrate(DatabaseQueue(), reportingEvery: .zero) { progress in
            if progress.migration == "second" && progress.phase == .migrating { count += 1 }
        }
        #expect(count > 10)
    }

    @Test("an error stops the statement, and undoes the migration, and no other one")
    func cancellation() throws {
        let dbQueue = try DatabaseQueue()
        let migrator = makeMigrator()
        var count = 0
        #expect(throws: Stop.self) {
            try migrator.migrate(dbQueue, reportingEvery: .zero) { progress in
                if progress.migration == "second" { count += 1 }
                if count == 5 { throw Stop() }
            }
        }
        try dbQueue.read { db in
            let applied = try migrator.appliedMigrations(db)
            #expect(applied == ["first"])
            let rows = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM number")
            #expect(rows == 0)
        }
    }

    @Test("an error is not lost when the migration catches that of its statement")
    func caughtErrors() throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("careless") { db in
            try db.execute(sql: "CREATE TABLE number (x INTEGER)")
            try? db.execute(sql: manyNumbers)
        }
        let dbQueue = try DatabaseQueue()
        var count = 0
        let careless = migrator
        #expect(throws: Stop.self) {
            try careless.migrate(dbQueue, reportingEvery: .zero) { _ in
                count += 1
                if count == 3 { throw Stop() }
            }
        }
        let exists = try dbQueue.read { db in try db.tableExists("number") }
        #expect(!exists)
    }

    @Test("an error after a commit stops those that follow")
    func errorsAfterACommit() throws {
        let dbQueue = try DatabaseQueue()
        let migrator = makeMigrator()
        #expect(throws: Stop.self) {
            try migrator.migrate(dbQueue) { progress in if progress.phase == .completed { throw Stop() } }
        }
        let applied = try dbQueue.read(migrator.appliedMigrations)
        #expect(applied == ["first"])
    }

    @Test("the handler of the user is asked as well, and stays")
    func theHandlerOfTheUser() throws {
        let dbQueue = try DatabaseQueue()
        let counter = Counter()
        dbQueue.writeWithoutTransaction { db in
            db.setProgressHandler(every: 1000) {
                counter.count += 1
                return true
            }
        }
        try makeMigrator().migrate(dbQueue, reportingEvery: .zero) { _ in }
        let during = counter.count
        #expect(during > 100)
        try dbQueue.write { db in try db.execute(sql: manyNumbers) }
        #expect(counter.count > during)
    }

    private final class Counter {
        var count = 0
    }

    @Test("the closure must not use the database")
    func theConnectionIsClosedToTheClosure() throws {
        let dbQueue = try DatabaseQueue()
        let error = #expect(throws: DatabaseError.self) {
            try makeMigrator().migrate(dbQueue, reportingEvery: .zero) { progress in
                if progress.migration == "second" && progress.elapsed > .zero {
                    try dbQueue.unsafeReentrantWrite { db in try db.execute(sql: "DELETE FROM number") }
                }
            }
        }
        #expect(error?.resultCode == .SQLITE_MISUSE)
    }

    @Test("an unknown goal is an error")
    func unknownGoals() throws {
        let error = #expect(throws: DatabaseError.self) {
            try makeMigrator().migrate(DatabaseQueue(), upTo: "fourth") { _ in }
        }
        #expect(error?.message == "undefined migration: \"fourth\"")
    }
}
