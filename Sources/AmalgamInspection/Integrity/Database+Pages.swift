package import AmalgamCore
import CAmalgam

extension Database {
    /// Checks the pages of a schema: each belongs to one table or index, or is free, and has a well-formed content.
    ///
    /// Unlike ``integrityCheck(_:in:limit:)``, the method needs no function, collation or virtual table of the schema. It
    /// doesn't compare rows with index entries, and checks no constraints. Call it in a transaction.
    ///
    /// - Returns: SQLite's descriptions of the problems. The array is empty if there are none.
    /// - Throws: `no such schema: x`; `SQLITE_MISUSE` outside of a transaction; `SQLITE_CORRUPT` if the schema can't be
    ///   read; `SQLITE_INTERRUPT`.
    package func pageCheck(in schemaName: String = "main", limit: Int = 100) throws -> [String] {
        try checkAccess()
        try checkMayRead()
        let name = try schemaID(schemaIndex(schemaName)).name
        // Loads the schema, and begins to read.
        _ = try Int.fetchOne(makeStatement(sql: "SELECT 1 FROM \(name.quotedDatabaseIdentifier).sqlite_schema"))
        forgetInterruption()
        var problems: UnsafeMutablePointer<CChar>?
        let code = amalgam_check_pages(sqliteConnection, name, CInt(clamping: limit), &problems)
        if code != SQLITE_OK { throw DatabaseError(code: code) }
        guard let problems else { return [] }
        defer { sqlite3_free(problems) }
        return String(cString: problems).split(separator: "\n").map(String.init)
    }
}
