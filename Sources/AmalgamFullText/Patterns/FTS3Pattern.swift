public import AmalgamCore

/// A full-text pattern for ``FTS3`` and ``FTS4`` tables.
///
/// ```swift
/// let pattern = FTS3Pattern(matchingAllTokensIn: "the quick fox")   // the quick fox
/// let documents = try Document.matching(pattern).fetchAll(db)
/// // SELECT * FROM "document" WHERE "document" MATCH 'the quick fox'
/// ```
///
/// The failable initializers accept any user input, and never throw. They return nil if the input contains no token, as
/// in "" or "*". They use only the first 4,095 tokens, because SQLite can't parse more. For phrases, there is no such
/// limit. See <https://www.sqlite.org/fts3.html#full_text_index_queries>.
public struct FTS3Pattern: Sendable, Hashable {
    /// The pattern in the query syntax of FTS3.
    public let rawPattern: String

    /// FTS3 builds an expression tree with at most twelve levels.
    private static let maximumWordCount = 4095

    /// Creates a pattern from the query syntax of FTS3.
    ///
    /// ```swift
    /// try FTS3Pattern(rawPattern: "sqlite AND database")
    /// try FTS3Pattern(rawPattern: "AND")   // malformed MATCH expression: [AND]
    /// ```
    ///
    /// The pattern is validated in a temporary in-memory database.
    ///
    /// - Throws: A ``DatabaseError`` if the pattern is malformed.
    public init(rawPattern: String) throws {
        try withScratchDatabase { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE documents USING fts3()")
            try db.execute(sql: "SELECT * FROM documents WHERE content MATCH ?", arguments: [rawPattern])
        }
        self.rawPattern = rawPattern
    }

    /// Creates a pattern for documents with at least one of the tokens: `foo OR bar`.
    ///
    /// Returns nil if the string contains no token.
    ///
    /// ```swift
    /// let pattern = FTS3Pattern(matchingAnyTokenIn: "foo bar")   // foo OR bar
    /// ```
    public init?(matchingAnyTokenIn string: String) {
        self.init(known: PlainTokens(string).prefix(Self.maximumWordCount).joined(separator: " OR "))
    }

    /// Creates a pattern for documents with all tokens, in any order: `foo bar`.
    ///
    /// Returns nil if the string contains no token.
    public init?(matchingAllTokensIn string: String) {
        self.init(known: PlainTokens(string).prefix(Self.maximumWordCount).joined(separator: " "))
    }

    /// Creates a pattern for documents with a token for each of the prefixes: `foo* bar*`.
    ///
    /// Returns nil if the string contains no token.
    ///
    /// ```swift
    /// let pattern = FTS3Pattern(matchingAllPrefixesIn: "foo bar")   // foo* bar*
    /// ```
    public init?(matchingAllPrefixesIn string: String) {
        self.init(known: PlainTokens(string).prefix(Self.maximumWordCount).joined(separator: " ", suffix: "*"))
    }

    /// Creates a pattern for documents with the phrase: `"foo bar"`.
    ///
    /// Returns nil if the string contains no token.
    ///
    /// ```swift
    /// let pattern = FTS3Pattern(matchingPhrase: "foo bar")   // "foo bar"
    /// ```
    public init?(matchingPhrase string: String) {
        self.init(known: PlainTokens(string).phrase)
    }

    private init?(known rawPattern: String?) {
        guard let rawPattern else { return nil }
        self.rawPattern = rawPattern
    }
}

extension FTS3Pattern: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { rawPattern.databaseValue }

    /// Decodes a pattern from a TEXT value. Returns nil if the pattern is malformed.
    ///
    /// If memory is exhausted during the validation, this method returns the pattern without validation. Searches with
    /// a malformed pattern then throw an error.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS3Pattern? {
        guard let rawPattern = String.fromDatabaseValue(dbValue) else { return nil }
        do {
            return try FTS3Pattern(rawPattern: rawPattern)
        } catch {
            if (error as? DatabaseError)?.saysThatItIsNoPattern == true { return nil }
            return FTS3Pattern(known: rawPattern)
        }
    }
}
