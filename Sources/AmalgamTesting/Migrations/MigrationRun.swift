import AmalgamConcurrency
import AmalgamCore
import AmalgamInspection
import AmalgamMigrations

/// The migration of a temporary database, and its checks.
struct MigrationRun {
    private let tester: MigrationTester
    private let start: EarlierDatabase
    private let location: CodeLocation

    /// Owns the files of the databases.
    private let databases = TemporaryDatabases()

    /// The interruption, as a part of messages.
    private var interruption = ""

    private var migrator: DatabaseMigrator { tester.migrator }

    init(_ tester: MigrationTester, _ start: EarlierDatabase, _ location: CodeLocation) {
        self.tester = tester
        self.start = start
        self.location = location
    }

    // MARK: Databases

    func makeDatabase() throws -> DatabaseQueue { try start.make(in: databases, for: tester) }

    func copy(_ database: DatabaseQueue) throws -> DatabaseQueue {
        let copy = try databases.make(tester.configuration.forCopies)
        try database.backup(to: copy)
        return copy
    }

    // MARK: Interruptions

    private struct Interruption: Error {}

    /// Returns a run whose messages name an interruption.
    func interrupted(_ progress: MigrationProgress, _ point: Int) -> MigrationRun {
        var run = self
        let phase =
            switch progress.phase {
            case .migrating: "in"
            case .checkingForeignKeys: "in the check of foreign keys of"
            case .completed: "after"
            }
        run.interruption = ", interrupted \(phase) \"\(progress.migration)\" (report \(point + 1))"
        return run
    }

    /// Migrates a database, and throws at a report of the progress.
    func interrupt(_ database: DatabaseQueue, at point: Int) throws {
        var count = 0
        do {
            try migrator.migrate(database, reportingEvery: .zero) { _ in
                if count == point { throw Interruption() }
                count += 1
            }
        } catch is Interruption {
            return
        } catch {
            throw failure("\(error)")
        }
        throw failure("the migrations ended before the interruption: they run other statements each time")
    }

    // MARK: Checks

    /// Checks the state after an interruption.
    func checkInterruption(of database: DatabaseQueue) throws {
        let (applied, completed) = try database.read { db in
            (try migrator.appliedMigrations(db), try migrator.completedMigrations(db))
        }
        if applied != completed { throw failure("\(applied) are applied, but not a migration before them") }
        try checkState(of: database)
    }

    /// Checks the state after all migrations.
    func checkEnd(of database: DatabaseQueue) throws {
        let missing = try database.read { db in
            let applied = try migrator.appliedIdentifiers(db)
            return migrator.migrations.filter { !applied.contains($0) }
        }
        if !missing.isEmpty { throw failure("migrations are missing: \(missing.joined(separator: ", "))") }
        try describing { try migrator.verify(database) }
        try checkState(of: database)
    }

    /// Checks the schema by the applied migrations, the foreign keys, and the integrity.
    private func checkState(of database: DatabaseQueue) throws {
        let problems = try describing {
            try database.read { db in
                if try migrator.hasSchemaChanges(db) {
                    throw failure("hasSchemaChanges: the applied migrations create another schema now")
                }
                try db.checkForeignKeys()
                return try db.integrityCheck()
            }
        }
        if !problems.isEmpty { throw failure(problems.joined(separator: "\n")) }
    }

    func expectEqual<Content: Equatable>(_ after: Content, _ before: Content) throws {
        if after == before { return }
        throw failure("the content has changed\nbefore: \(before)\nafter:  \(after)")
    }

    // MARK: Errors

    /// Runs a closure, and describes its error.
    func describing<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as ExpectationFailed {
            throw error
        } catch {
            throw failure("\(error)")
        }
    }

    private func failure(_ reason: String) -> ExpectationFailed {
        ExpectationFailed("Migrating from \(start.name)\(interruption): \(reason)", at: location)
    }
}
