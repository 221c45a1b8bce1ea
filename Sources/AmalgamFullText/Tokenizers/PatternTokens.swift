import AmalgamCore
import CAmalgam

/// Calls the tokenizer of an FTS5 table with the strings of a pattern.
struct PatternTokens {
    let db: Database
    let table: String

    /// Whether the tokenizer of the table finds a token in a string.
    ///
    /// - Returns: Also true if the table doesn't exist, or isn't an FTS5 table: the search then throws the error.
    /// - Throws: The error of the tokenizer; ``DatabaseError`` if memory is exhausted.
    func isFound(in string: String, isPrefix: Bool) throws -> Bool {
        try db.checkAccess()
        // FTS5 would end the string at a NUL character.
        let string = string.utf8.contains(0) ? string.replacing("\0", with: " ") : string
        var hasToken: CInt = 0
        var code = amalgam_fts5_has_token(db.sqliteConnection, table, string, isPrefix ? 1 : 0, &hasToken)
        if code == SQLITE_NOTFOUND {
            guard try connectTable() else { return true }
            code = amalgam_fts5_has_token(db.sqliteConnection, table, string, isPrefix ? 1 : 0, &hasToken)
        }
        if code == SQLITE_NOTFOUND { return true }
        if code != SQLITE_OK { throw db.error(code) }
        return hasToken != 0
    }

    /// Makes SQLite connect to the virtual table, by compiling a statement that uses the table.
    ///
    /// - Returns: false if no statement can be compiled, usually because the table doesn't exist.
    private func connectTable() throws -> Bool {
        do {
            _ = try db.makeStatement(sql: "SELECT 1 FROM \(table.quotedDatabaseIdentifier)")
            return true
        } catch let error as DatabaseError where [.SQLITE_ERROR, .SQLITE_AUTH].contains(error.resultCode) {
            return false
        }
    }
}
