import Amalgam
import ChildProcesses
import Foundation
import TestSupport
import Testing

@Suite("Several processes migrate one file", .watchdog)
struct ProcessesTests {
    private let folder = Folder()

    private var path: String { folder.path("db.sqlite") }

    private func makeMigrator() -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for name in ["v1", "v2"] {
            migrator.registerMigration(name) { db in try db.execute(sql: "CREATE TABLE \(name) (a)") }
        }
        return migrator
    }

    /// Starts another process that has begun, but not committed, the first migration.
    private func startOtherProcess() throws -> ChildProcess {
        try DatabaseMigrator().migrate(DatabaseQueue(path: path))
        let process = try ChildProcess("amalgam-external-writer", [path])
        for sql in [
            "BEGIN IMMEDIATE", "CREATE TABLE v1 (a)", "INSERT INTO grdb_migrations (identifier) VALUES ('v1')",
        ] {
            try execute(sql, in: process)
        }
        return process
    }

    private func execute(_ line: String, in process: ChildProcess) throws {
        try process.say(line)
        #expect(process.readLine() == "ok")
    }

    private func open(_ busyMode: Database.BusyMode) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = busyMode
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    @Test("a migration that another process applies meanwhile does not run again")
    func aMigrationThatIsAppliedMeanwhile() async throws {
        let process = try startOtherProcess()
        let waits = Signal("the migrator waits")
        let worker = Worker {
            let queue = try open(
                .callback { _ in
                    waits.fire()
                    Thread.sleep(forTimeInterval: 0.001)
                    return true
                })
            try makeMigrator().migrate(queue)
            #expect(try queue.read(makeMigrator().appliedMigrations) == ["v1", "v2"])
        }
        try await waits.value()
        try execute("COMMIT", in: process)
        try await worker.value()
    }

    @Test("the error of waiting in vain names the migration under way")
    func waitingInVain() throws {
        let process = try startOtherProcess()
        for busyMode in [Database.BusyMode.immediateError, .timeout(0.05)] {
            let queue = try open(busyMode)
            let error = #expect(throws: DatabaseError.self) { try makeMigrator().migrate(queue) }
            #expect(error?.resultCode == .SQLITE_BUSY)
            #expect(
                error?.description == "SQLite error 5: database is locked - while executing "
                    + "`BEGIN IMMEDIATE TRANSACTION` - in migration \"v1\"")
        }
        try execute("ROLLBACK", in: process)
        let queue = try open(.immediateError)
        try makeMigrator().migrate(queue)
        #expect(try queue.read(makeMigrator().appliedMigrations) == ["v1", "v2"])
    }

    @Test("merged migrations that another process merges meanwhile are left alone")
    func mergedMigrations() async throws {
        let process = try startOtherProcess()
        try execute("COMMIT", in: process)
        for sql in [
            "BEGIN IMMEDIATE", "DELETE FROM grdb_migrations", "INSERT INTO grdb_migrations (identifier) VALUES ('all')",
        ] {
            try execute(sql, in: process)
        }
        let waits = Signal("the migrator waits")
        let worker = Worker {
            let queue = try open(
                .callback { _ in
                    waits.fire()
                    Thread.sleep(forTimeInterval: 0.001)
                    return true
                })
            var migrator = DatabaseMigrator()
            migrator.registerMigration("all", merging: ["v1"]) { _, _ in Issue.record("ran twice") }
            try migrator.migrate(queue)
            #expect(try queue.read(migrator.appliedIdentifiers) == ["all"])
        }
        try await waits.value()
        try execute("COMMIT", in: process)
        try await worker.value()
    }

    @Test("all processes that start at once find a migrated file")
    func processesThatStartAtOnce() throws {
        for _ in 1...20 {
            let folder = Folder()
            let path = folder.path("db.sqlite")
            let processes = try (1...2).map { _ in try ChildProcess("amalgam-external-writer", [path]) }
            for process in processes { try process.say(".migrate 5") }
            for process in processes { #expect(process.readLine() == "ok") }
            let queue = try DatabaseQueue(path: path)
            let names = try queue.read { try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations") }
            #expect(names.sorted() == ["v1", "v2", "v3", "v4", "v5"])
        }
    }
}
