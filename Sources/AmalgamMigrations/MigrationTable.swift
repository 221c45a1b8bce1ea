import AmalgamCore

/// The table with the names of the applied migrations.
enum MigrationTable {
    /// Creates the table of applied migrations if it doesn't exist. If the table exists, the method acquires no write
    /// lock, and so doesn't wait for a migration of another process.
    static func create(_ db: Database) throws {
        if try db.tableExists("grdb_migrations", in: "main") { return }
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    }

    /// Returns the names of the applied migrations. The set is empty if the table doesn't exist.
    static func identifiers(_ db: Database) throws -> Set<String> {
        do {
            return try String.fetchSet(db, sql: "SELECT identifier FROM grdb_migrations")
        } catch {
            // If the error has ended the transaction, the schema can't be read, and the error is thrown.
            if (try? db.tableExists("grdb_migrations")) == false { return [] }
            throw error
        }
    }

    /// Removes the names of merged migrations, and inserts the name of the applied migration, if any.
    static func replace(_ merged: Set<String>, with identifier: String?, _ db: Database) throws {
        if !merged.isEmpty {
            try db.execute(literal: "DELETE FROM grdb_migrations WHERE identifier IN \(merged.sorted())")
        }
        if let identifier {
            try db.execute(literal: "INSERT INTO grdb_migrations (identifier) VALUES (\(identifier))")
        }
    }
}
