import AmalgamCore
import AmalgamQuery
import AmalgamRecords

extension FTS5Terms {
    /// Whether a query matches a document of the full-text table.
    ///
    /// The full-text table of a vocabulary may be a separate table for suggestions, without positions, or without some
    /// columns of the searched table. If the table can't answer the query, a document that contains the words of the
    /// query counts as a match. If the table can't even answer a query for the words, the result is true.
    func matchesDocument(_ db: Database, _ query: FTS5Query) throws -> Bool {
        do {
            return try hasMatch(db, query)
        } catch let error where error.isAboutTable {
            guard let words = try query.words(db.makeTokenizer(tokenizer)) else { return false }
            do {
                return try hasMatch(db, words)
            } catch let error where error.isAboutTable {
                return true
            }
        }
    }

    private func hasMatch(_ db: Database, _ query: FTS5Query) throws -> Bool {
        try Table(fullTextTable).matching(query).select(Column.rowID).isEmpty(db) == false
    }
}

extension Error {
    /// Whether the error means that the full-text table can't answer the query.
    fileprivate var isAboutTable: Bool {
        self is FTS5QueryError || (self as? DatabaseError)?.saysThatItIsNoPattern == true
    }
}

extension FTS5Query {
    /// A less specific query, which needs neither positions nor columns: the words of all phrases, without exclusions.
    /// Nil for a query without words.
    fileprivate func words(_ tokenizer: any FTS5Tokenizer) throws -> FTS5Query? {
        func words(_ phrases: [FTS5Phrase]) throws -> FTS5Query? {
            try FTS5Query.all(phrases.flatMap { try $0.parts.flatMap { try $0.words(tokenizer) } })
        }
        switch node {
        case .phrase(let phrase), .initial(let phrase): return try words([phrase])
        case .word(let word): return try words([word.phrase])
        case .near(let phrases, _): return try words(phrases)
        case .filter(_, let query), .not(let query, _): return try query.words(tokenizer)
        case .sequence(let queries), .and(let queries):
            return FTS5Query.all(try queries.compactMap { try $0.words(tokenizer) })
        case .or(let queries): return FTS5Query.any(try queries.compactMap { try $0.words(tokenizer) })
        case .tooDeep: return nil
        }
    }
}
