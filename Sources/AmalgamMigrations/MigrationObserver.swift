import AmalgamCore

/// Follows migrations while they run.
///
/// `DatabaseMigrator` runs migrations on the writing connection, inside a barrier. The observer runs the closure of each
/// migration, and the check of the foreign keys after it. So it can report progress while statements run
/// (`MigrationReporter`), or collect SQL and schemas (`MigrationRecorder`). Rehearsals (`Rehearsal/`) work on temporary
/// copies, never on the database.
protocol MigrationObserver {
    /// These migrations will run, in this order.
    func willMigrate(_ identifiers: [String])

    /// Runs a part of a migration, in its transaction. An error undoes the migration.
    func perform(
        _ phase: MigrationProgress.Phase, of identifier: String, _ db: Database, _ body: () throws -> Void) throws

    /// The migration is committed. An error stops those after it.
    func didMigrate(_ identifier: String) throws
}

/// Nobody follows.
struct NoMigrationObserver: MigrationObserver {
    func willMigrate(_ identifiers: [String]) {}

    func perform(
        _ phase: MigrationProgress.Phase, of identifier: String, _ db: Database, _ body: () throws -> Void
    ) throws {
        try body()
    }

    func didMigrate(_ identifier: String) throws {}
}
