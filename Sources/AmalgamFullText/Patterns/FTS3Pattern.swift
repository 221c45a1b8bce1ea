public import AmalgamCore

/// What to search for in ``FTS3`` and ``FTS4`` tables.
///
/// ```swift
/// let pattern = FTS3Pattern(matchingAllTokensIn: "the quick fox")   // the quick fox
/// let documents = try Document.matching(pattern).fetchAll(db)
/// // SELECT * FROM "document" WHERE "document" MATCH 'the quick fox'
/// ```
///
/// Patterns made of what people type never throw, whatever they type: they are nil when there is nothing to search for,
/// as in "" or "*". SQLite reads patterns of 4,095 words that are no phrase: those after them do not count. See
/// <https://www.sqlite.org/fts3.html#full_text_index_queries>.
public struct FTS3Pattern: Sendable, Hashable {
    /// The pattern, as SQLite reads it.
    public let rawPattern: String

    /// FTS3 makes a tree of words, of twelve levels.
    private static let maximumWordCount = 4095

    /// A pattern written in SQLite's language.
    ///
    /// ```swift
    /// try FTS3Pattern(rawPattern: "sqlite AND database")
    /// try FTS3Pattern(rawPattern: "AND")   // malformed MATCH expression: [AND]
    /// ```
    ///
    /// It is checked without a database of yours.
    ///
    /// - throws: a ``DatabaseError`` when SQLite does not understand the pattern.
    public init(rawPattern: String) throws {
        try withScratchDatabase { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE documents USING fts3()")
            try db.execute(sql: "SELECT * FROM documents WHERE content MATCH ?", arguments: [rawPattern])
        }
        self.rawPattern = rawPattern
    }

    /// Matches documents with any of the words: `foo OR bar`.
    public init?(matchingAnyTokenIn string: String) {
        self.init(known: PlainTokens(string).prefix(Self.maximumWordCount).joined(separator: " OR "))
    }

    /// Matches documents with all of the words, in any order: `foo bar`.
    public init?(matchingAllTokensIn string: String) {
        self.init(known: PlainTokens(string).prefix(Self.maximumWordCount).joined(separator: " "))
    }

    /// Matches documents with words that begin like all of these: `foo* bar*`.
    public init?(matchingAllPrefixesIn string: String) {
        self.init(known: PlainTokens(string).prefix(Self.maximumWordCount).joined(separator: " ", suffix: "*"))
    }

    /// Matches documents with these words one after the other: `"foo bar"`.
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

    /// The pattern of a text; nil for a text that is no pattern.
    ///
    /// Where there is no memory to check it, the text is taken for a pattern: a search tells if it is none.
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
