import AmalgamCore

/// An observer of running migrations.
///
/// `DatabaseMigrator` runs migrations on the writing connection, inside a barrier. The observer runs the closure of
/// each migration, and then the check of its foreign keys. So it can report progress while statements run
/// (`MigrationReporter`), or collect SQL and schemas (`MigrationRecorder`). Code in `Rehearsal/` works on temporary
/// copies, never on the database itself.
protocol MigrationObserver {
    /// Called with the migrations that will run, in this order.
    func willMigrate(_ identifiers: [String])

    /// Runs a phase of a migration, in its transaction. An error rolls the migration back.
    func perform(
        _ phase: MigrationProgress.Phase, of identifier: String, _ db: Database, _ body: () throws -> Void) throws

    /// Called when the migration is committed. An error stops the migrations after it.
    func didMigrate(_ identifier: String) throws
}

/// An observer without effect.
struct NoMigrationObserver: MigrationObserver {
    func willMigrate(_ identifiers: [String]) {}

    func perform(
        _ phase: MigrationProgress.Phase, of identifier: String, _ db: Database, _ body: () throws -> Void
    ) throws {
        try body()
    }

    func didMigrate(_ identifier: String) throws {}
}
