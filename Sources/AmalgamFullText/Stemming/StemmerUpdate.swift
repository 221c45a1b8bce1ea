import AmalgamCore
import CAmalgam
internal import Foundation

/// The update of a full-text table whose index was built with another version of the stemmers.
///
/// The version is an argument of the table. FTS5 has no command that changes the arguments of a table, so the update
/// changes the SQL of the table in the schema: <https://www.sqlite.org/pragma.html#pragma_writable_schema>.
struct StemmerUpdate {
    private let table: String

    /// The schema of the table, such as `main`, as a quoted name.
    private let schema: String

    /// The version of the stems in the index.
    private let version: String

    /// The update of a table; nil if its index needs none.
    ///
    /// - Throws: A ``DatabaseError`` if there is no such table.
    init?(of table: String, in db: Database) throws {
        // Compiling a statement makes the connection open the table.
        _ = try db.makeStatement(sql: "SELECT 1 FROM \(table.quotedDatabaseIdentifier)")
        var schema: UnsafeMutablePointer<CChar>?
        guard let version = amalgam_stemming_outdated_version(db.sqliteConnection, table, &schema) else { return nil }
        defer {
            sqlite3_free(version)
            sqlite3_free(schema)
        }
        self.table = table
        self.schema = (schema.map { String(cString: $0) } ?? "main").quotedDatabaseIdentifier
        self.version = String(cString: version)
    }

    /// Stores the version of this build in the table. The index must be rebuilt in the same transaction.
    ///
    /// - Throws: A ``DatabaseError`` if the connection doesn't allow changes of the schema by SQL.
    func run(_ db: Database) throws {
        // FTS5 keeps a part of the index in memory, and would write it later, into the new index.
        try FTS5Index(table).flush(db)
        let sql = try String.fetchOne(
            db, sql: "SELECT sql FROM \(schema).sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE",
            arguments: [table])
        guard let sql, let updated = withCurrentVersion(sql) else { throw failure }
        try db.execute(sql: "PRAGMA writable_schema = ON")
        do {
            try db.execute(
                sql: """
                    UPDATE \(schema).sqlite_master SET sql = ? WHERE type = 'table' AND name = ? COLLATE NOCASE
                    """, arguments: [updated, table])
            // Other connections read the schema again when this number changes.
            let number = try Int.fetchOne(db, sql: "PRAGMA \(schema).schema_version") ?? 0
            try db.execute(sql: "PRAGMA \(schema).schema_version = \(number &+ 1)")
        } catch {
            try? db.execute(sql: "PRAGMA writable_schema = RESET")
            throw error
        }
        try db.execute(sql: "PRAGMA writable_schema = RESET")
        if try StemmerUpdate(of: table, in: db) != nil { throw failure }
    }

    /// The SQL of the table with the version of this build: the first such number after the name of the tokenizer.
    private func withCurrentVersion(_ sql: String) -> String? {
        guard let current = SnowballLanguage.snowballVersion,
            let name = sql.range(of: "snowball", options: .caseInsensitive),
            let number = sql.range(of: version, range: name.upperBound..<sql.endIndex)
        else { return nil }
        return sql.replacingCharacters(in: number, with: current)
    }

    private var failure: DatabaseError {
        DatabaseError(
            message: "the version \(version) of the stemmers can't be replaced in the definition of \(table): "
                + "drop the table, and create it again")
    }
}
