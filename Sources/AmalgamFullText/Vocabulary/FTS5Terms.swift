import AmalgamCore
public import AmalgamQuery

/// The vocabulary of an ``FTS5`` table. It provides completions of search text, corrections of misspelled words, and
/// queries for similar documents.
///
/// ```swift
/// try db.create(virtualTable: "documentTerms", using: FTS5VocabTable(of: "document"))
///
/// let vocabulary = FTS5Terms("documentTerms", of: "document")
/// try vocabulary.completions(of: "dat").limit(5).fetchAll(db)            // database, date, …
/// try vocabulary.correction(db, ofSearchBox: "databse -java")           // "database -java"
/// let query = try vocabulary.query(db, similarToDocument: 12)            // sqlite OR database OR …
/// ```
///
/// The terms are tokens, as the tokenizer returns them: usually in lower case. The terms of a stemming tokenizer such
/// as `porter` aren't words. In this case, use a separate full-text table for suggestions, with a different tokenizer.
public struct FTS5Terms: Sendable {
    /// The vocabulary table, created with the module ``FTS5VocabTable`` and one row per term.
    public let tableName: String

    /// The full-text table.
    public let fullTextTable: String

    /// The tokenizer of the full-text table.
    public let tokenizer: FTS5TokenizerDescriptor

    /// Creates a vocabulary of a full-text table.
    ///
    /// - Parameters:
    ///   - tableName: The vocabulary table, created with the module ``FTS5VocabTable`` and one row per term.
    ///   - fullTextTable: The full-text table.
    ///   - tokenizer: The tokenizer of the full-text table, which splits search text into terms.
    public init(_ tableName: String, of fullTextTable: String, tokenizer: FTS5TokenizerDescriptor = .unicode61()) {
        self.tableName = tableName
        self.fullTextTable = fullTextTable
        self.tokenizer = tokenizer
    }

    /// Returns a request of all terms.
    ///
    /// ```swift
    /// let vocabulary = FTS5Terms("documentTerms", of: "document")
    /// let frequent = vocabulary.terms().order(\.documentCount.desc).limit(10)
    /// // SELECT * FROM "documentTerms" ORDER BY "doc" DESC LIMIT 10
    /// ```
    ///
    /// The request reads the whole index, unless a filter selects one term or a range of terms.
    public func terms() -> QueryInterfaceRequest<Term> { Table<Term>(tableName).all() }
}

extension FTS5Terms {
    /// The terms of a string, from left to right, without synonyms.
    func terms(_ db: Database, of text: some StringProtocol) throws -> [String] {
        try db.makeTokenizer(tokenizer).tokenize(query: String(text))
            .filter { !$0.flags.contains(.colocated) }
            .map(\.token)
    }
}
