import AmalgamCore

/// The changes that migrations would make to a database. ``DatabaseMigrator/dryRun(_:upTo:)`` returns this value.
///
/// ```swift
/// for step in try migrator.dryRun(dbQueue).steps {
///     print(step.migration, step.sql.count, "statements")
/// }
/// ```
public struct MigrationDryRun: Sendable {
    /// The changes that one migration would make.
    public struct Step: Sendable {
        /// The name of the migration.
        public let migration: String

        /// The statements of the migration, in order. They contain their arguments, which may be sensitive.
        public let sql: [String]

        /// The changes of the schema by this migration.
        public let schemaDifference: SchemaDifference
    }

    /// The migrations that would run, in order.
    public internal(set) var steps: [Step] = []

    /// The changes of the schema by all migrations.
    public internal(set) var schemaDifference: SchemaDifference
}

extension MigrationDryRun: CustomStringConvertible {
    /// The name and the statements of each migration, and then the difference of the schemas.
    ///
    /// ```
    /// -- Add teams
    /// CREATE TABLE "team" ("id" INTEGER PRIMARY KEY);
    ///
    /// -- Schema
    /// + CREATE TABLE "team" ("id" INTEGER PRIMARY KEY)
    /// ```
    public var description: String {
        if steps.isEmpty { return "No migration would run." }
        let parts = steps.map { "-- \($0.migration)\n" + $0.sql.map { $0 + ";\n" }.joined() }
        let difference = schemaDifference.isEmpty ? "(no difference)" : schemaDifference.description
        return (parts + ["-- Schema\n\(difference)\n"]).joined(separator: "\n")
    }
}

/// An observer that collects the statements and schema changes of migrations.
final class MigrationRecorder: MigrationObserver {
    private(set) var steps: [MigrationDryRun.Step] = []

    func willMigrate(_ identifiers: [String]) {}

    func perform(
        _ phase: MigrationProgress.Phase, of identifier: String, _ db: Database, _ body: () throws -> Void
    ) throws {
        guard phase == .migrating else { return try body() }
        let before = try SchemaObject.ownObjects(db)
        let log = StatementLog()
        // SQLite traces statements of virtual tables and triggers as comments.
        db.trace { event in
            let sql = event.expandedDescription
            if !sql.hasPrefix("-- ") { log.statements.append(sql) }
        }
        defer { db.trace() }
        try body()
        db.trace()
        let after = try SchemaObject.ownObjects(db)
        steps.append(
            MigrationDryRun.Step(
                migration: identifier, sql: log.statements, schemaDifference: SchemaDifference(from: before, to: after))
        )
    }

    func didMigrate(_ identifier: String) throws {}

    private final class StatementLog {
        var statements: [String] = []
    }
}
