public import AmalgamConcurrency
import AmalgamCore

extension DatabaseMigrator {
    /// Runs the migrations that were not applied yet on a copy of a database, and tells what they do.
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
    /// The database is only read, and stays as it is. The copy is a temporary file, which is removed when the method
    /// returns. It has the configuration of the database, so its functions and collations are there. The database is not
    /// erased first, whatever ``DatabaseMigrator/eraseDatabaseOnSchemaChange`` says.
    ///
    /// - Parameter targetIdentifier: the last migration to run; nil for all.
    /// - throws: the error that migrating would throw.
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
