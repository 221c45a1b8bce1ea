import AmalgamCore
import CAmalgam

extension Database {
    /// Whether the tokenizer of an FTS5 table finds a token in a string of a pattern.
    ///
    /// - Returns: true also for a table that doesn't exist, or isn't an FTS5 table: the search reports it.
    /// - Throws: the error of the tokenizer; ``DatabaseError`` when memory is exhausted.
    func hasToken(_ string: String, isPrefix: Bool, inPatternFor table: String) throws -> Bool {
        try checkAccess()
        // FTS5 reads a string up to a NUL character, and no tokenizer makes it a part of a token.
        let string = string.utf8.contains(0) ? string.replacing("\0", with: " ") : string
        var hasToken: CInt = 0
        var code = amalgam_fts5_has_token(sqliteConnection, table, string, isPrefix ? 1 : 0, &hasToken)
        if code == SQLITE_NOTFOUND {
            guard try connect(toVirtualTable: table) else { return true }
            code = amalgam_fts5_has_token(sqliteConnection, table, string, isPrefix ? 1 : 0, &hasToken)
        }
        if code == SQLITE_NOTFOUND { return true }
        if code != SQLITE_OK { throw error(code) }
        return hasToken != 0
    }

    /// SQLite connects to a virtual table when it compiles a statement that uses it.
    ///
    /// - Returns: false when no statement can be compiled, mostly because the table doesn't exist.
    private func connect(toVirtualTable table: String) throws -> Bool {
        do {
            _ = try makeStatement(sql: "SELECT 1 FROM \(table.quotedDatabaseIdentifier)")
            return true
        } catch let error as DatabaseError where [.SQLITE_ERROR, .SQLITE_AUTH].contains(error.resultCode) {
            return false
        }
    }
}
