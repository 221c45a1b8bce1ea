import AmalgamCore

/// The table that remembers which migrations were applied.
enum MigrationTable {
    /// Creates the table, if it doesn't exist. Where it does, no lock is taken: another process may be in the middle of a
    /// migration.
    static func create(_ db: Database) throws {
        if try db.tableExists("grdb_migrations", in: "main") { return }
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    }

    /// The names of the migrations that were applied; none when the table is not there.
    static func identifiers(_ db: Database) throws -> Set<String> {
        do {
            return try String.fetchSet(db, sql: "SELECT identifier FROM grdb_migrations")
        } catch {
            // An error that has ended the transaction keeps the schema from being looked at.
            if (try? db.tableExists("grdb_migrations")) == false { return [] }
            throw error
        }
    }

    /// Removes the names of merged migrations, and adds the name of the migration that was applied, if any.
    static func replace(_ merged: Set<String>, with identifier: String?, _ db: Database) throws {
        if !merged.isEmpty {
            try db.execute(literal: "DELETE FROM grdb_migrations WHERE identifier IN \(merged.sorted())")
        }
        if let identifier {
            try db.execute(literal: "INSERT INTO grdb_migrations (identifier) VALUES (\(identifier))")
        }
    }
}
