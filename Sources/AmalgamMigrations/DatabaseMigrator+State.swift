public import AmalgamCore

extension DatabaseMigrator {
    /// The names of all migrations that were applied, also of those that are not registered.
    public func appliedIdentifiers(_ db: Database) throws -> Set<String> { try MigrationTable.identifiers(db) }

    /// The names of the registered migrations that were applied, in the order in which they were registered.
    ///
    /// ```swift
    /// let names = try dbQueue.read { db in try migrator.appliedMigrations(db) }
    /// ```
    public func appliedMigrations(_ db: Database) throws -> [String] {
        let applied = try appliedIdentifiers(db)
        return migrations.filter(applied.contains)
    }

    /// The names of the registered migrations that were applied, up to the first one that was not.
    public func completedMigrations(_ db: Database) throws -> [String] {
        let applied = try appliedIdentifiers(db)
        return Array(migrations.prefix(while: applied.contains))
    }

    /// Whether all registered migrations were applied.
    public func hasCompletedMigrations(_ db: Database) throws -> Bool {
        try appliedIdentifiers(db).isSuperset(of: migrations)
    }

    /// Whether the database was migrated by a later version of the app: it remembers a migration that is not registered.
    ///
    /// ```swift
    /// if try dbQueue.read(migrator.hasBeenSuperseded) { throw AppError.databaseIsTooNew }
    /// ```
    public func hasBeenSuperseded(_ db: Database) throws -> Bool {
        try !appliedIdentifiers(db).isSubset(of: knownIdentifiers)
    }

    /// The names of the migrations, and of those that they have merged.
    private var knownIdentifiers: Set<String> {
        registered.reduce(into: []) { names, migration in
            names.insert(migration.identifier)
            names.formUnion(migration.mergedIdentifiers)
        }
    }
}
