import AmalgamCore

extension FTS3 {
    /// Returns the tokens of a string.
    ///
    /// ```swift
    /// try FTS3.tokenize("Gustave Doré")                                // ["gustave", "doré"]
    /// try FTS3.tokenize("SQLite database", withTokenizer: .porter)     // ["sqlite", "databas"]
    /// try FTS3.tokenize("Gustave Doré", withTokenizer: .unicode61())   // ["gustave", "dore"]
    /// ```
    ///
    /// The function tokenizes in a temporary in-memory database. See
    /// <https://www.sqlite.org/fts3.html#querying_tokenizers>.
    ///
    /// - Throws: A ``DatabaseError`` if SQLite rejects the arguments of the tokenizer.
    public static func tokenize(
        _ string: String, withTokenizer tokenizer: FTS3TokenizerDescriptor = .simple
    ) throws -> [String] {
        try withScratchDatabase { db in
            let arguments = ([tokenizer.name] + tokenizer.arguments).map(\.quotedText)
            try db.execute(sql: "CREATE VIRTUAL TABLE tokens USING fts3tokenize(\(arguments.joined(separator: ", ")))")
            return try String.fetchAll(
                db, sql: "SELECT token FROM tokens WHERE input = ? ORDER BY position", arguments: [string])
        }
    }
}

/// Runs a closure with an empty in-memory database.
func withScratchDatabase<T>(_ body: (Database) throws -> T) throws -> T {
    let db = try Database(path: ":memory:", description: "full text", configuration: Configuration())
    defer { db.close() }
    return try body(db)
}
