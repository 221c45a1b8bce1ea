public import AmalgamCore
import AmalgamQuery

extension FTS5Query {
    /// Returns a query for the words of a string, and for similar terms of the table: typos are tolerated.
    ///
    /// ```swift
    /// let documents = try Document.matching(.fuzzy("databsae enigne")).order(Column.rank).fetchAll(db)
    /// // SELECT * FROM "document"
    /// // WHERE ("document" MATCH '(databsae OR database OR databases) AND (enigne OR engine)')
    /// // AND ("rank" MATCH 'amalgam_typos(''0:0 0:1 0:2 1:0 1:1'')') ORDER BY "rank"
    /// ```
    ///
    /// The query is expanded when a request is compiled, or by ``pattern(_:forTable:)``. An automaton walks through the
    /// sorted terms of the table, skips those that can't be similar, and returns the best ones: those with the fewest
    /// typos, and among these the most frequent ones. ``expansions(_:forTable:)`` returns them. Documents have to match
    /// all words of the string. Adjacent words are also searched as one word: `data base` finds "database".
    ///
    /// The query combines with others, for example `.fuzzy("databse").inColumns("title") && !FTS5Query("java")`. Combine them
    /// in one query: if a request has two conditions such as `matching(_:)` on one table, its `rank` is that of BM25.
    ///
    /// Requests that are ordered by `rank` return the documents with the fewest typos first. Among documents with as
    /// many typos, BM25 decides, with the weights of ``TableRequest/ranked(by:)``, or those of the table's ranking if it is
    /// `bm25`. A word counts once, with its best alternative in the document. With a limit, SQLite finds the best
    /// documents first, without a call of a function for each match, as for queries without typos. Among ranking rules,
    /// ``FTS5RankingRule/typos`` counts the typos. ``FTS5/bm25(weights:)`` doesn't know them.
    ///
    /// The first search reads the terms of the index into memory, in about 9 bytes per term: 0.1 s for an index of
    /// 1,000,000 short documents. Connections to the same file in WAL mode share them, and the next search after a write
    /// adds the terms that the WAL file has. After `rebuild` and very large writes, and when another process has begun a
    /// new WAL file, after a checkpoint, the next search reads them again.
    ///
    /// A connection has the ranking function for typos after its first use in a request, so a view of a request that has
    /// found similar terms can't be created, except for a temporary one.
    ///
    /// The terms are words of all columns. So in a sandbox that hides or denies a column of the table, or doesn't list the
    /// table, requests and patterns with the query throw `SQLITE_AUTH`, as queries of a vocabulary table do.
    ///
    /// - Parameters:
    ///   - text: One or several words. Spaces separate words.
    ///   - tolerance: The tolerated typos.
    public static func fuzzy(_ text: String, tolerance: TypoTolerance = .standard) -> FTS5Query {
        fuzzy(text, tolerance, isPrefix: false)
    }

    /// Returns a query for the words of a string, with typos. The last word matches all terms with a similar beginning.
    ///
    /// ```swift
    /// let documents = try Document.matching(.fuzzyPrefix("sqlite databs")).order(Column.rank).fetchAll(db)
    /// // finds "SQLite database"
    /// ```
    ///
    /// See ``fuzzy(_:tolerance:)``.
    public static func fuzzyPrefix(_ text: String, tolerance: TypoTolerance = .standard) -> FTS5Query {
        fuzzy(text, tolerance, isPrefix: true)
    }

    private static func fuzzy(_ text: String, _ tolerance: TypoTolerance, isPrefix: Bool) -> FTS5Query {
        let texts = text.split(whereSeparator: \.isWhitespace).map { String($0) }
        let words = texts.enumerated().map { place, text in
            let isLast = isPrefix && place == texts.count - 1
            return FTS5Query(.word(Word(text: text, isPrefix: isLast, isTyped: isLast, tolerance: tolerance)))
        }
        return all(words) ?? FTS5Query(text)
    }
}

extension FTS5Query {
    /// A word of a query, and the queries that it is expanded into.
    ///
    /// ```swift
    /// let query = FTS5Query.fuzzy("databse")
    /// for expansion in try query.expansions(db, forTable: "document") {
    ///     print(expansion.word, expansion.alternatives.map(\.text))   // databse ["databse", "database"]
    /// }
    /// ```
    public struct Expansion: Hashable, Sendable {
        /// A phrase that is searched for a word.
        public struct Alternative: Hashable, Sendable {
            /// The phrase, in the FTS5 query syntax: `database`, `"data base"`, or `datab*`.
            public var text: String

            /// The number of typos in the word, if the user meant this phrase.
            public var typoCount: Int

            /// The number of documents that match the phrase.
            public var documentCount: Int
        }

        /// The word of the query.
        public var word: String

        /// The alternatives, in the order of the pattern. The first one is the word itself.
        public var alternatives: [Alternative]
    }

    /// Returns the words of the query that are expanded for a table, and their alternatives.
    ///
    /// ```swift
    /// let syntax = SearchBoxSyntax(typoTolerance: .standard)
    /// let query = FTS5Query(searchBox: "databse -java", syntax: syntax)
    /// let expansions = try query?.expansions(db, forTable: "document") ?? []
    /// expansions.map(\.word)   // ["databse"]
    /// ```
    ///
    /// The method counts the documents of each alternative, which takes longer than a search.
    ///
    /// - Throws: ``FTS5QueryError`` if the query names a column that the table doesn't have, or is nested too deeply; a
    ///   ``DatabaseError`` if the index can't be read.
    public func expansions(_ db: Database, forTable table: String) throws -> [Expansion] {
        try expanded(db, forTable: table).words.map { word in
            let alternatives = try word.alternatives.map { alternative in
                Expansion.Alternative(
                    text: alternative.query.description, typoCount: alternative.typoCount,
                    documentCount: try alternative.query.documentCount(db, in: table))
            }
            return Expansion(word: word.text, alternatives: alternatives)
        }
    }

    /// The words with alternatives.
    private var words: [Word] {
        if case .word(let word) = node { return [word] }
        return node.parts.flatMap(\.words)
    }

    private func documentCount(_ db: Database, in table: String) throws -> Int {
        try Table(table).matching(FTS5Pattern(known: try rawPattern())).fetchCount(db)
    }
}
