public import AmalgamCore
import AmalgamQuery
import AmalgamRecords
import Foundation

extension FTS5Terms {
    /// The query for documents that resemble one: those with one of its significant terms; nil when no term is shared with
    /// another document.
    ///
    /// ```swift
    /// if let query = try vocabulary.query(db, similarToDocument: 12) {
    ///     let similar = try Document.matching(query).filter(Column.rowID != 12).order(Column.rank).limit(5).fetchAll(db)
    /// }
    /// ```
    ///
    /// The document itself is the most similar one, of course. See ``significantTerms(_:ofDocument:columns:limit:)``.
    ///
    /// Each phrase of the query matches the documents with one of the terms. Where the tokenizer makes another term of a
    /// term, as `porter` makes "databa" of "databas", the phrase is a word of the document: "databases".
    ///
    /// - Parameters:
    ///   - rowID: the rowid of the document.
    ///   - columns: the columns whose texts count. All columns, by default.
    ///   - limit: the maximum number of terms.
    /// - Throws: ``DatabaseError`` for a column that the full-text table doesn't have.
    public func query(
        _ db: Database, similarToDocument rowID: Int64, columns: [String]? = nil, limit: Int = 20
    ) throws -> FTS5Query? {
        try query(db, similarTo: texts(db, ofDocument: rowID, columns), limit)
    }

    /// The query for documents that resemble a text; nil when they share no term.
    public func query(_ db: Database, similarTo text: String, limit: Int = 20) throws -> FTS5Query? {
        try query(db, similarTo: [text], limit)
    }

    private func query(_ db: Database, similarTo texts: [String], _ limit: Int) throws -> FTS5Query? {
        let terms = try significantTerms(db, occurrences(db, texts), limit, texts).map(\.term)
        let words = try TermWords(db.makeTokenizer(tokenizer)).words(for: terms, in: texts)
        return .any(terms.compactMap { words[$0] }.map { FTS5Query($0) })
    }

    /// The terms that tell a document from others, the most significant ones first.
    ///
    /// The text comes from the full-text table, or from its content table, and is made terms of: this is much faster than
    /// to look for a document in an index of terms. Contentless tables have no text:
    /// ``significantTerms(_:ofDocument:inInstances:limit:)`` is for them.
    ///
    /// - Returns: none for a document that does not exist.
    /// - throws: a ``DatabaseError`` for a column that the full-text table does not have.
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

    /// The terms that tell a text from the documents, the most significant ones first.
    ///
    /// - Returns: terms that two documents have at least, or one when the text is none of them.
    public func significantTerms(_ db: Database, of text: String, limit: Int = 20) throws -> [SignificantTerm] {
        try significantTerms(db, occurrences(db, [text]), limit, [text])
    }

    /// The terms that tell a document from others, the most significant ones first, for a full-text table without texts.
    ///
    /// It reads the index of all terms.
    ///
    /// - Parameter instances: a table made by the module ``FTS5VocabTable`` with ``FTS5VocabTable/Rows/instance``.
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
    /// The number of rows of the full-text table. FTS5 reads it from the index at any row that a search finds. Counting the
    /// rows takes longer the more there are, and contentless tables with `columnsize=0` can't be read from end to end.
    private func documentCount(_ db: Database, withOneOf terms: [String], _ texts: [String]) throws -> Int {
        try Self.rowCountFunction.addIfMissing(to: db)
        let table = Table(fullTextTable)
        guard let word = try TermWords(db.makeTokenizer(tokenizer)).firstWord(for: terms, in: texts) else {
            return try table.fetchCount(db)
        }
        let request = table.matching(FTS5Pattern(known: try FTS5Query(word).rawPattern())).limit(1)
        // The table may have another tokenizer than the vocabulary says.
        return try request.select(Self.rowCountFunction(), as: Int.self).fetchOne(db) ?? table.fetchCount(db)
    }

    private static let rowCountFunction = FTS5Function("amalgam_row_count") { match, _ in try match.rowCount() }
}

extension FTS5Terms.SignificantTerm {
    /// The weight is the number of occurrences, times the inverse document frequency of bm25:
    /// <https://www.sqlite.org/fts5.html#the_bm25_function>.
    fileprivate init(_ term: FTS5Terms.Term, occurrenceCount: Int, of total: Int) {
        let others = Double(max(0, total - term.documentCount))
        let rarity = log(1 + (others + 0.5) / (Double(term.documentCount) + 0.5))
        self.init(
            term: term.term, occurrenceCount: occurrenceCount, documentCount: term.documentCount,
            weight: Double(occurrenceCount) * rarity)
    }
}
