public import AmalgamConcurrency
import AmalgamCore

extension DatabaseMigrator {
    /// Runs the migrations that haven't been applied, and reports their progress.
    ///
    /// ```swift
    /// try migrator.migrate(dbQueue) { progress in
    ///     if Task.isCancelled { throw CancellationError() }
    ///     print(progress.migration, progress.elapsed)
    /// }
    /// ```
    ///
    /// The closure is called when a migration begins, before foreign keys are checked, after the commit, and at
    /// intervals while statements run. The closure must not use the database. If the closure throws, this method
    /// interrupts the statement, rolls the migration back, and throws the error. Committed migrations stay applied.
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - targetIdentifier: the last migration to run, or nil to run all.
    ///   - interval: the minimum time between two calls while statements run.
    ///   - progress: receives the progress.
    /// - Throws: an error of the closure, or an error of ``migrate(_:upTo:)``.
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
