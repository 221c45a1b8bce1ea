import AmalgamCore

/// How far migrations are.
///
/// ```swift
/// try migrator.migrate(dbQueue) { progress in
///     print("\(progress.completedCount) of \(progress.totalCount): \(progress.migration)")
/// }
/// ```
public struct MigrationProgress: Sendable, Hashable {
    /// What a migration is doing.
    public enum Phase: Sendable, Hashable {
        /// The closure of the migration runs.
        case migrating
        /// The foreign keys of the database are checked.
        case checkingForeignKeys
        /// The migration is committed.
        case completed
    }

    /// The name of the migration.
    public let migration: String

    /// What the migration is doing.
    public let phase: Phase

    /// How many migrations are committed, of those that run now.
    public let completedCount: Int

    /// How many migrations run now: those that were not applied yet.
    public let totalCount: Int

    /// The time since the migration began.
    public let elapsed: Duration
}

/// Tells a closure how far migrations are: when a phase begins or ends, and now and then while statements run.
final class MigrationReporter: MigrationObserver {
    private let interval: Duration
    private let report: (MigrationProgress) throws -> Void
    private var totalCount = 0
    private var completedCount = 0
    private var start = ContinuousClock.now
    private var lastReport = ContinuousClock.now

    /// What the closure has thrown. A migration may catch the error of the statement that was stopped.
    private var failure: (any Error)?

    /// Some milliseconds of work for SQLite: so often the clock is looked at.
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
        try db.withProgressObserver(
            every: Self.instructionsBetweenLooks,
            { [self] in
                if .now - lastReport >= interval { try report(phase, of: identifier) }
                return true
            }, body)
        if let failure { throw failure }
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
