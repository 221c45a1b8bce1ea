import AmalgamCore

/// The progress of running migrations.
///
/// ```swift
/// try migrator.migrate(dbQueue) { progress in
///     print("\(progress.completedCount) of \(progress.totalCount): \(progress.migration)")
/// }
/// ```
public struct MigrationProgress: Sendable, Hashable {
    /// The phase of a migration.
    public enum Phase: Sendable, Hashable {
        /// The closure of the migration runs.
        case migrating
        /// The foreign keys of the database are checked.
        case checkingForeignKeys
        /// The migration has been committed.
        case completed
    }

    /// The name of the migration.
    public let migration: String

    /// The current phase of the migration.
    public let phase: Phase

    /// The number of migrations that have been committed in this run.
    public let completedCount: Int

    /// The number of migrations to apply in this run.
    public let totalCount: Int

    /// The time since the migration has begun.
    public let elapsed: Duration
}

/// An observer that reports progress to a closure: when a phase begins, when a migration is committed, and at intervals
/// while statements run.
final class MigrationReporter: MigrationObserver {
    private let interval: Duration
    private let report: (MigrationProgress) throws -> Void
    private var totalCount = 0
    private var completedCount = 0
    private var start = ContinuousClock.now
    private var lastReport = ContinuousClock.now

    /// The error thrown by `report`. A migration must fail even if its closure catches the error of the statement.
    private var failure: (any Error)?

    /// The number of SQLite instructions, some milliseconds of work, after which the clock is read again.
    private static let instructionsBetweenLooks = 20_000

    init(every interval: Duration, _ report: @escaping (MigrationProgress) throws -> Void) {
        self.interval = interval
        self.report = report
    }

    func willMigrate(_ identifiers: [String]) {
        totalCount = identifiers.count
    }

    func perform(
        _ phase: MigrationProgress.Phase, of identifier: String, _ db: Database, _ body: () throws -> Void
    ) throws {
        if phase == .migrating { start = .now }
        try report(phase, of: identifier)
        let result = Result {
            try db.withProgressObserver(
                every: Self.instructionsBetweenLooks,
                { [self] in
                    if .now - lastReport >= interval { try report(phase, of: identifier) }
                    return true
                }, body)
        }
        // The other errors follow from this one: SQLite rolls back the transaction of an interrupted statement that writes.
        if let failure { throw failure }
        try result.get()
    }

    func didMigrate(_ identifier: String) throws {
        completedCount += 1
        try report(.completed, of: identifier)
    }

    private func report(_ phase: MigrationProgress.Phase, of identifier: String) throws {
        lastReport = .now
        do {
            try report(
                MigrationProgress(
                    migration: identifier, phase: phase, completedCount: completedCount, totalCount: totalCount,
                    elapsed: lastReport - start))
        } catch {
            failure = error
            throw error
        }
    }
}
