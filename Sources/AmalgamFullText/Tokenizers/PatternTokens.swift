import AmalgamCore
import CAmalgam

/// The tokens that the tokenizer of an FTS5 table finds in the strings of a pattern.
struct PatternTokens {
    let db: Database
    let table: String

    /// Whether a string has a token.
    ///
    /// - Returns: true also for a table that doesn't exist, or isn't an FTS5 table: the search reports it.
    /// - Throws: the error of the tokenizer; ``DatabaseError`` when memory is exhausted.
    func isFound(in string: String, isPrefix: Bool) throws -> Bool {
        try db.checkAccess()
        // FTS5 reads a string up to a NUL character, and no tokenizer makes it a part of a token.
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

    /// Connects to the table, as SQLite does when it compiles a statement that uses it.
    ///
    /// - Returns: false when no statement can be compiled, mostly because the table doesn't exist.
    private func connectTable() throws -> Bool {
        do {
            _ = try db.makeStatement(sql: "SELECT 1 FROM \(table.quotedDatabaseIdentifier)")
            return true
        } catch let error as DatabaseError where [.SQLITE_ERROR, .SQLITE_AUTH].contains(error.resultCode) {
            return false
        }
    }
}
