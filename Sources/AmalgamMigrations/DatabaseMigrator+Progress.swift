public import AmalgamConcurrency
import AmalgamCore

extension DatabaseMigrator {
    /// Runs the migrations that were not applied yet, and tells how far they are.
    ///
    /// ```swift
    /// try migrator.migrate(dbQueue) { progress in
    ///     if Task.isCancelled { throw CancellationError() }
    ///     print(progress.migration, progress.elapsed)
    /// }
    /// ```
    ///
    /// The closure is called when a migration begins, when its foreign keys are checked, when it is committed, and in
    /// between while statements run. It must not use the database. An error that it throws stops the statement, undoes
    /// the migration, and comes out of this method; migrations that were committed stay applied.
    ///
    /// - Parameters:
    ///   - targetIdentifier: the last migration to run; nil for all.
    ///   - interval: how long to wait, at least, between two calls while statements run.
    ///   - progress: is told how far migrations are.
    /// - throws: errors of ``migrate(_:upTo:)``, and of the closure.
    public func migrate(
        _ writer: any DatabaseWriter, upTo targetIdentifier: String? = nil,
        reportingEvery interval: Duration = .milliseconds(100), progress: (MigrationProgress) throws -> Void
    ) throws {
        try withoutActuallyEscaping(progress) { progress in
            let reporter = MigrationReporter(every: interval, progress)
            try writer.barrierWriteWithoutTransaction { db in try run(db, upTo: targetIdentifier, reporter) }
        }
    }
}
