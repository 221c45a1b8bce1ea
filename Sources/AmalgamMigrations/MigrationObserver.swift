import AmalgamCore

/// An observer of running migrations.
///
/// `DatabaseMigrator` runs migrations on the writing connection. It passes the closure of each migration to the
/// observer, and then the deferred check of foreign keys, if any. The observer calls these closures, so it can report
/// progress while statements run (`MigrationReporter`), or record SQL and schemas (`MigrationRecorder`).
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
