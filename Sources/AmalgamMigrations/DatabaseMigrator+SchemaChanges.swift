import AmalgamConcurrency
public import AmalgamCore

extension DatabaseMigrator {
    /// Returns whether the schema of a database differs from the schema that its applied migrations create now, for
    /// example because a migration was changed after it was applied.
    ///
    /// ```swift
    /// if try dbQueue.read(migrator.hasSchemaChanges) { try dbQueue.erase() }
    /// ```
    ///
    /// The method runs the applied migrations on a temporary database, and compares the schemas. Files that a closure of
    /// `Configuration.prepareDatabase` attaches are copied, and databases that a migration attaches are read-only.
    ///
    /// Tables whose names begin with `sqlite_`, `pragma_`, `grdb_`, `amalgam_audit`, `_amalgam_` or `_litestream_` are
    /// ignored. The result is also true if an applied migration is neither registered in this migrator, nor replaced by a
    /// registered migration. The result is false for a database that was never migrated. It is also false if a registered
    /// migration replaces several migrations, and only some of them were applied: the expected schema isn't known then.
    ///
    /// - Throws: the error of a migration that fails on the temporary database.
    public func hasSchemaChanges(_ db: Database) throws -> Bool {
        let applied = try appliedIdentifiers(db)
        if applied.isEmpty { return false }
        if try hasBeenSuperseded(db) { return true }
        // If a migration replaces several ones, and only some of them were applied, the expected schema isn't known.
        if registered.contains(where: { $0.isPartlyApplied(applied) }) { return false }
        return try SchemaEntry.all(db) != schemaObjects(of: registered.filter { $0.isWhollyApplied(applied) }, like: db)
    }

    /// Returns the schema that migrations create in a temporary database.
    private func schemaObjects(of migrations: [Migration], like db: Database) throws -> Set<SchemaEntry> {
        try TemporaryDatabases.withOne(like: db.configuration) { temporary in
            try temporary.writeWithoutTransaction { db in
                try MigrationTable.create(db)
                for migration in migrations { try migration.run(db, NoMigrationObserver()) }
                return try SchemaEntry.all(db)
            }
        }
    }
}

extension Migration {
    fileprivate func isWhollyApplied(_ applied: Set<String>) -> Bool {
        if applied.contains(identifier) { return true }
        return !mergedIdentifiers.isEmpty && applied.isSuperset(of: mergedIdentifiers)
    }

    fileprivate func isPartlyApplied(_ applied: Set<String>) -> Bool {
        !isWhollyApplied(applied) && !applied.isDisjoint(with: mergedIdentifiers)
    }
}

/// A row of `sqlite_master`. Two rows are only equal if their SQL is identical, including whitespace.
private struct SchemaEntry: Hashable {
    let type: String?
    let name: String?
    let tableName: String?
    let sql: String?

    /// Returns all rows, without those of internal tables of SQLite and of the library.
    static func all(_ db: Database) throws -> Set<SchemaEntry> {
        let rows = try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master")
        return Set(
            rows.map { SchemaEntry(type: $0["type"], name: $0["name"], tableName: $0["tbl_name"], sql: $0["sql"]) }
                .filter { !isInternal($0.name) && !isInternal($0.tableName) })
    }

    private static func isInternal(_ name: String?) -> Bool {
        guard let name else { return false }
        return Database.isSQLiteInternalTable(name) || Database.isGRDBInternalTable(name)
    }
}
