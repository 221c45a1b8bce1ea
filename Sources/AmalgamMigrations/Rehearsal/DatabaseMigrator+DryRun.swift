public import AmalgamConcurrency
import AmalgamCore

extension DatabaseMigrator {
    /// Runs the migrations that haven't been applied, on a copy of a database, and returns their changes.
    ///
    /// ```swift
    /// print(try migrator.dryRun(dbQueue))
    /// // -- Add teams
    /// // CREATE TABLE "team" ("id" INTEGER PRIMARY KEY);
    /// //
    /// // -- Schema
    /// // + CREATE TABLE "team" ("id" INTEGER PRIMARY KEY)
    /// ```
    ///
    /// The database itself is only read. The copy is a temporary file, which is removed when the method returns. The
    /// copy has the configuration of the database, including its functions and collations. The copy isn't erased, even
    /// if ``DatabaseMigrator/eraseDatabaseOnSchemaChange`` is true.
    ///
    /// Files that a closure of `Configuration.prepareDatabase` attaches are copied as well: migrations may change the
    /// copies. Encrypted ones are copied to memory. Databases that a migration attaches itself are read-only.
    ///
    /// - Parameters:
    ///   - reader: the database.
    ///   - targetIdentifier: the last migration to run, or nil to run all.
    /// - Throws: the error that ``migrate(_:upTo:)`` would throw; `SQLITE_READONLY` if a migration writes to a database
    ///   that it attaches itself; an error if the database can't be copied.
    public func dryRun(_ reader: any DatabaseReader, upTo targetIdentifier: String? = nil) throws -> MigrationDryRun {
        var migrator = self
        migrator.eraseDatabaseOnSchemaChange = false
        let recorder = MigrationRecorder()
        return try TemporaryDatabases.withOne(like: reader.configuration) { copy in
            try reader.backup(to: copy)
            return try copy.writeWithoutTransaction { db in
                let before = try SchemaObject.ownObjects(db)
                try migrator.run(db, upTo: targetIdentifier, recorder)
                let after = try SchemaObject.ownObjects(db)
                return MigrationDryRun(
                    steps: recorder.steps, schemaDifference: SchemaDifference(from: before, to: after))
            }
        }
    }
}
