import AmalgamCore

/// What migrations would do to a database: see ``DatabaseMigrator/dryRun(_:upTo:)``.
public struct MigrationDryRun: Sendable {
    /// What one migration would do.
    public struct Step: Sendable {
        /// The name of the migration.
        public let migration: String

        /// The statements that it runs, in their order, with their arguments, which may be sensitive.
        public let sql: [String]

        /// What it changes in the schema.
        public let schemaDifference: SchemaDifference
    }

    /// The migrations that would run, in their order.
    public internal(set) var steps: [Step] = []

    /// What all of them change in the schema.
    public internal(set) var schemaDifference: SchemaDifference
}

extension MigrationDryRun: CustomStringConvertible {
    /// The statements of each migration under its name, and then the difference of the schemas.
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

/// Collects what migrations do.
final class MigrationRecorder: MigrationObserver {
    private(set) var steps: [MigrationDryRun.Step] = []

    func willMigrate(_ identifiers: [String]) {}

    func perform(
        _ phase: MigrationProgress.Phase, of identifier: String, _ db: Database, _ body: () throws -> Void
    ) throws {
        guard phase == .migrating else { return try body() }
        let before = try SchemaObject.ownObjects(db)
        let log = StatementLog()
        // What virtual tables and triggers run by themselves comes as a comment.
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
