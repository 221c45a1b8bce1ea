public import AmalgamCore
import AmalgamQuery
import AmalgamRecords
import Foundation

extension FTS5Terms {
    /// Returns a query for documents that resemble a given document: those with at least one of its significant terms.
    /// Returns nil if the given document shares no term with another document.
    ///
    /// ```swift
    /// let vocabulary = FTS5Terms("documentTerms", of: "document")
    /// if let query = try vocabulary.query(db, similarToDocument: 12) {
    ///     let similar = try Document.matching(query).filter(Column.rowID != 12)
    ///         .order(Column.rank).limit(5).fetchAll(db)
    /// }
    /// ```
    ///
    /// The given document itself matches the query. It isn't always the best match: among documents with the same terms,
    /// BM25 prefers shorter ones. See ``significantTerms(_:ofDocument:columns:limit:)``.
    ///
    /// The query has one phrase for each term, usually the term itself. If the tokenizer would change the term, as
    /// `porter` changes "databas" to "databa", the phrase is a word of the document instead: "databases".
    ///
    /// - Parameters:
    ///   - rowID: The rowid of the document.
    ///   - columns: The columns to read. All columns, by default.
    ///   - limit: The maximum number of terms.
    /// - Throws: ``DatabaseError`` for a column that the full-text table doesn't have.
    public func query(
        _ db: Database, similarToDocument rowID: Int64, columns: [String]? = nil, limit: Int = 20
    ) throws -> FTS5Query? {
        try query(db, similarTo: texts(db, ofDocument: rowID, columns), limit)
    }

    /// Returns a query for documents that resemble a string. Returns nil if no term of the string occurs in at least
    /// two documents.
    ///
    /// ```swift
    /// let vocabulary = FTS5Terms("documentTerms", of: "document")
    /// if let query = try vocabulary.query(db, similarTo: "How does SQLite rank documents?") {
    ///     let similar = try Document.matching(query).order(Column.rank).limit(5).fetchAll(db)
    /// }
    /// ```
    ///
    /// - Throws: ``DatabaseError`` if a statement or the tokenizer fails.
    public func query(_ db: Database, similarTo text: String, limit: Int = 20) throws -> FTS5Query? {
        try query(db, similarTo: [text], limit)
    }

    private func query(_ db: Database, similarTo texts: [String], _ limit: Int) throws -> FTS5Query? {
        let terms = try significantTerms(db, occurrences(db, texts), limit, texts).map(\.term)
        let words = try TermWords(db.makeTokenizer(tokenizer)).words(for: terms, in: texts)
        return .any(terms.compactMap { words[$0] }.map { FTS5Query($0) })
    }

    /// Returns the terms that distinguish a document from the others, most significant term first.
    ///
    /// ```swift
    /// let vocabulary = FTS5Terms("documentTerms", of: "document")
    /// let terms = try vocabulary.significantTerms(db, ofDocument: 12, limit: 5)
    /// terms.map(\.term)   // ["sqlite", "database", …]
    /// ```
    ///
    /// The method reads the text of the document from the full-text table, or from its content table, and tokenizes it.
    /// For a contentless table, which has no text, use the slower
    /// ``significantTerms(_:ofDocument:inInstances:limit:)``.
    ///
    /// - Returns: An empty array if the document doesn't exist.
    /// - Throws: A ``DatabaseError`` for a column that the full-text table doesn't have.
    public func significantTerms(
        _ db: Database, ofDocument rowID: Int64, columns: [String]? = nil, limit: Int = 20
    ) throws -> [SignificantTerm] {
        let texts = try texts(db, ofDocument: rowID, columns)
        return try significantTerms(db, occurrences(db, texts), limit, texts)
    }

    private func texts(_ db: Database, ofDocument rowID: Int64, _ columns: [String]?) throws -> [String] {
        var request = Table(fullTextTable).filter(Column.rowID == rowID)
        if let columns { request = request.select(columns.map { Column($0) }) }
        return try request.fetchOne(db)?.databaseValues.compactMap { String.fromDatabaseValue($0) } ?? []
    }

    /// Returns the terms of a string, most significant term first. A term is more significant if it occurs more often
    /// in the string, and if it occurs in fewer documents.
    ///
    /// - Returns: Only terms that occur in at least two documents.
    /// - Throws: A ``DatabaseError`` if a statement or the tokenizer fails.
    public func significantTerms(_ db: Database, of text: String, limit: Int = 20) throws -> [SignificantTerm] {
        try significantTerms(db, occurrences(db, [text]), limit, [text])
    }

    /// Returns the terms that distinguish a document from the others, most significant term first, for a contentless
    /// full-text table.
    ///
    /// ```swift
    /// let vocabulary = FTS5Terms("documentTerms", of: "document")
    /// try db.create(virtualTable: "documentInstances", using: FTS5VocabTable(of: "document", .instance))
    /// let terms = try vocabulary.significantTerms(db, ofDocument: 12, inInstances: "documentInstances")
    /// ```
    ///
    /// The method reads the whole index.
    ///
    /// - Parameter instances: A table created with the module ``FTS5VocabTable`` and ``FTS5VocabTable/Rows/instance``.
    /// - Throws: A ``DatabaseError`` if a statement fails.
    public func significantTerms(
        _ db: Database, ofDocument rowID: Int64, inInstances instances: String, limit: Int = 20
    ) throws -> [SignificantTerm] {
        let occurrences = Table<Instance>(instances).filter { $0.documentID == rowID }
            .select({ [$0.term, count()] }, as: Row.self)
            .group(Instance.Columns.term)
        let counts = try occurrences.fetchAll(db).map { row in
            (term: try row.decode(String.self, atIndex: 0), count: try row.decode(Int.self, atIndex: 1))
        }
        return try significantTerms(db, Dictionary(counts.map { ($0.term, $0.count) }) { $0 + $1 }, limit, [])
    }

    private func occurrences(_ db: Database, _ texts: some Sequence<String>) throws -> [String: Int] {
        let tokenizer = try db.makeTokenizer(tokenizer)
        var counts: [String: Int] = [:]
        for text in texts {
            for (term, flags) in try tokenizer.tokenize(document: text) where !flags.contains(.colocated) {
                counts[term, default: 0] += 1
            }
        }
        return counts
    }

    private func significantTerms(
        _ db: Database, _ occurrences: [String: Int], _ limit: Int, _ texts: [String]
    ) throws -> [SignificantTerm] {
        let keys = SQLArray(occurrences.keys)
        let terms = try self.terms().filter(keys.contains(Term.Columns.term)).fetchAll(db)
            .filter { $0.documentCount > 1 }
        if terms.isEmpty { return [] }
        let documentCount = try documentCount(db, withOneOf: terms.map(\.term), texts)
        return
            terms.map { SignificantTerm($0, occurrenceCount: occurrences[$0.term] ?? 0, of: documentCount) }
            .sorted { ($1.weight, $0.term) < ($0.weight, $1.term) }
            .prefix(max(0, limit)).map(\.self)
    }
}

extension FTS5Terms {
    /// The number of rows of the full-text table. An FTS5 auxiliary function reads this number from the index. SQLite
    /// calls the function for one row that matches one of the terms. `COUNT(*)` would take longer, and fail for
    /// contentless tables with `columnsize=0`.
    private func documentCount(_ db: Database, withOneOf terms: [String], _ texts: [String]) throws -> Int {
        try Self.rowCountFunction.addIfMissing(to: db)
        let table = Table(fullTextTable)
        guard let word = try TermWords(db.makeTokenizer(tokenizer)).firstWord(for: terms, in: texts) else {
            return try table.fetchCount(db)
        }
        let request = table.matching(FTS5Pattern(known: try FTS5Query(word).rawPattern())).limit(1)
        // The search finds nothing if the tokenizer of the table differs from that of the vocabulary.
        return try request.select(Self.rowCountFunction(), as: Int.self).fetchOne(db) ?? table.fetchCount(db)
    }

    private static let rowCountFunction = FTS5Function("amalgam_row_count") { match, _ in try match.rowCount() }
}

extension FTS5Terms.SignificantTerm {
    /// Creates a term whose weight is the number of occurrences multiplied by the inverse document frequency of BM25:
    /// <https://www.sqlite.org/fts5.html#the_bm25_function>.
    fileprivate init(_ term: FTS5Terms.Term, occurrenceCount: Int, of total: Int) {
        let others = Double(max(0, total - term.documentCount))
        let rarity = log(1 + (others + 0.5) / (Double(term.documentCount) + 0.5))
        self.init(
            term: term.term, occurrenceCount: occurrenceCount, documentCount: term.documentCount,
            weight: Double(occurrenceCount) * rarity)
    }
}
