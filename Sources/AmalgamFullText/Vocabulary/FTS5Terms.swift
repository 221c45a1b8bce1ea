import AmalgamCore
public import AmalgamQuery

/// The terms of an ``FTS5`` table: for suggestions while people type, for the words that they meant, and for documents
/// that resemble one another.
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
/// Terms are what the tokenizer makes of words: small letters, mostly. A tokenizer that cuts the ends of words off, such as
/// `porter`, leaves none to suggest: give suggestions a full-text table of their own.
public struct FTS5Terms: Sendable {
    /// The table of terms, made by the module ``FTS5VocabTable`` with one row for each term.
    public let tableName: String

    /// The full-text table.
    public let fullTextTable: String

    /// The tokenizer of the full-text table.
    public let tokenizer: FTS5TokenizerDescriptor

    /// The vocabulary of a full-text table.
    ///
    /// - Parameters:
    ///   - tableName: the table of terms, made by the module ``FTS5VocabTable`` with one row for each term.
    ///   - fullTextTable: the full-text table.
    ///   - tokenizer: the tokenizer of the full-text table: it makes terms of what people type.
    public init(_ tableName: String, of fullTextTable: String, tokenizer: FTS5TokenizerDescriptor = .unicode61()) {
        self.tableName = tableName
        self.fullTextTable = fullTextTable
        self.tokenizer = tokenizer
    }

    /// All terms.
    ///
    /// ```swift
    /// let frequent = vocabulary.terms().order(\.documentCount.desc).limit(10)
    /// // SELECT * FROM "documentTerms" ORDER BY "doc" DESC LIMIT 10
    /// ```
    ///
    /// SQLite reads the whole index for them. A term, or a range of terms, is found at once.
    public func terms() -> QueryInterfaceRequest<Term> { Table<Term>(tableName).all() }
}

extension FTS5Terms {
    /// The terms of a text, from left to right, without synonyms.
    func terms(_ db: Database, of text: some StringProtocol) throws -> [String] {
        try db.makeTokenizer(tokenizer).tokenize(query: String(text))
            .filter { !$0.flags.contains(.colocated) }
            .map(\.token)
    }
}
