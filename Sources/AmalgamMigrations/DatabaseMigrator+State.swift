public import AmalgamCore

extension DatabaseMigrator {
    /// Returns the names of all applied migrations, including those that aren't registered.
    ///
    /// ```swift
    /// let names = try dbQueue.read { db in try migrator.appliedIdentifiers(db) }
    /// ```
    ///
    /// - Throws: an error of the query.
    public func appliedIdentifiers(_ db: Database) throws -> Set<String> { try MigrationTable.identifiers(db) }

    /// Returns the names of the registered migrations that have been applied, in the order of their registration.
    ///
    /// ```swift
    /// let names = try dbQueue.read { db in try migrator.appliedMigrations(db) }
    /// ```
    ///
    /// - Throws: an error of the query.
    public func appliedMigrations(_ db: Database) throws -> [String] {
        let applied = try appliedIdentifiers(db)
        return migrations.filter(applied.contains)
    }

    /// Returns the names of the registered migrations before the first one that hasn't been applied.
    ///
    /// - Throws: an error of the query.
    public func completedMigrations(_ db: Database) throws -> [String] {
        let applied = try appliedIdentifiers(db)
        return Array(migrations.prefix(while: applied.contains))
    }

    /// Returns whether all registered migrations have been applied.
    ///
    /// ```swift
    /// let isReady = try dbQueue.read { db in try migrator.hasCompletedMigrations(db) }
    /// ```
    ///
    /// - Throws: an error of the query.
    public func hasCompletedMigrations(_ db: Database) throws -> Bool {
        try appliedIdentifiers(db).isSuperset(of: migrations)
    }

    /// Returns whether an applied migration isn't registered: a later version of the application has applied it.
    ///
    /// ```swift
    /// if try dbQueue.read(migrator.hasBeenSuperseded) { throw AppError.databaseIsTooNew }
    /// ```
    ///
    /// - Throws: an error of the query.
    public func hasBeenSuperseded(_ db: Database) throws -> Bool {
        try !appliedIdentifiers(db).isSubset(of: knownIdentifiers)
    }

    /// The names of the registered migrations, and of the migrations that registered migrations replace.
    private var knownIdentifiers: Set<String> {
        registered.reduce(into: []) { names, migration in
            names.insert(migration.identifier)
            names.formUnion(migration.mergedIdentifiers)
        }
    }
}
