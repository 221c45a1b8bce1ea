public import AmalgamCore
import AmalgamQuery
import AmalgamRecords

extension FTS5Terms {
    /// Returns a corrected query, in which unknown words are replaced by similar terms of the documents.
    ///
    /// ```swift
    /// let vocabulary = FTS5Terms("documentTerms", of: "document")
    /// try vocabulary.correction(db, of: FTS5Query("databse").inColumns("title") && !FTS5Query("java"))
    /// // title : database NOT java
    /// ```
    ///
    /// Operators and column filters don't change. Unknown words without a similar term don't change either. The
    /// replacements are spelled as in the documents: see ``spelling(_:of:)``.
    ///
    /// A known word is replaced, too, if a term with one typo is in at least 1,000 times as many documents.
    ///
    /// The correction matches at least one document of the full-text table. If the query with the nearest terms matches
    /// nothing, the method tries the next nearest term for one of the words.
    ///
    /// The full-text table of the vocabulary may be a separate table for suggestions. If this table lacks a column that
    /// the query names, or if its ``FTS5TableDefinition/detail`` doesn't support the query, the method only checks that
    /// a document has the words of the correction.
    ///
    /// - Returns: nil if all words are known, or if no correction matches a document.
    /// - Throws: A ``DatabaseError`` if a statement or the tokenizer fails.
    public func correction(_ db: Database, of query: FTS5Query) throws -> FTS5Query? {
        var corrector = WordCorrector(self, db)
        return try corrector.correction(of: query, finds: { try matchesDocument(db, $0) }) { corrector in
            try query.mapPhrases { phrase in
                try phrase.mapTexts { part in
                    try corrector.replacement(ofWordsIn: part.text[...], endsWithPrefix: part.isPrefix) ?? part.text
                }
            }
        }
    }

    /// Returns the corrected text of a search box ("did you mean …?"), in which unknown words are replaced by similar
    /// terms of the documents.
    ///
    /// ```swift
    /// let vocabulary = FTS5Terms("documentTerms", of: "document")
    /// let syntax = SearchBoxSyntax(fields: ["title"])
    /// try vocabulary.correction(db, ofSearchBox: "title:databse -java", syntax: syntax)   // "title:database -java"
    /// ```
    ///
    /// The rest of the text doesn't change. A search for the correction finds at least one document, with the
    /// exceptions that ``correction(_:of:)`` explains.
    ///
    /// - Returns: nil if all words are known, or if no correction matches a document.
    /// - Throws: A ``DatabaseError`` if a statement or the tokenizer fails.
    public func correction(
        _ db: Database, ofSearchBox text: String, syntax: SearchBoxSyntax = SearchBoxSyntax()
    ) throws -> String? {
        var corrector = WordCorrector(self, db)
        return try corrector.correction(
            of: text,
            finds: { text in
                try FTS5Query(searchBox: text, syntax: syntax).map { try matchesDocument(db, $0) } ?? false
            },
            byReplacing: { corrector in try corrector.replacement(ofSearchBox: text, syntax) })
    }
}

/// Replaces unknown words by similar terms.
///
/// First, each unknown word is replaced by its nearest term. If this correction matches no document, further
/// corrections are tried, each with a different term for one of the words, until a correction matches a document.
private struct WordCorrector {
    /// The maximum number of terms per word, and of searches per correction.
    private static let maximumTermCount = 5
    private static let maximumSearchCount = 20

    /// How much more frequent a similar term is if a known word is considered misspelled.
    private static let misspellingRatio = 1_000

    private let vocabulary: FTS5Terms
    private let db: Database

    /// The replacements of the words looked up so far, nearest first; an empty array for a known word.
    private var replacements: [Word: [String]] = [:]

    /// The numbers of terms for the unknown words, from left to right.
    private var termCounts: [Int] = []

    /// The unknown word that isn't replaced by its nearest term, and the index of its term.
    private var choice = (word: 0, term: 0)

    private struct Word: Hashable {
        var text: Substring
        var isPrefix: Bool
    }

    init(_ vocabulary: FTS5Terms, _ db: Database) {
        self.vocabulary = vocabulary
        self.db = db
    }

    /// The first correction that matches a document.
    mutating func correction<Text: Equatable>(
        of text: Text, finds: (Text) throws -> Bool, byReplacing replace: (inout WordCorrector) throws -> Text
    ) throws -> Text? {
        let nearest = try attempt((word: 0, term: 0), replace)
        if nearest == text { return nil }
        if try finds(nearest) { return nearest }
        let choices = termCounts.enumerated().flatMap { word, count in (1..<max(1, count)).map { (word, $0) } }
        for choice in choices.sorted(by: { $0.1 < $1.1 }).prefix(Self.maximumSearchCount) {
            let correction = try attempt(choice, replace)
            if try finds(correction) { return correction }
        }
        return nil
    }

    private mutating func attempt<Text>(
        _ choice: (word: Int, term: Int), _ replace: (inout WordCorrector) throws -> Text
    ) throws -> Text {
        self.choice = choice
        termCounts = []
        return try replace(&self)
    }

    // MARK: - Strings

    mutating func replacement(ofSearchBox text: String, _ syntax: SearchBoxSyntax) throws -> String {
        var scanner = SearchBoxScanner(text, fields: syntax.fields)
        var (replacement, end) = ("", text.startIndex)
        for case .word(let word) in scanner.tokens() {
            let isPrefix = word.hasStar || word.isLast && syntax.matchesPrefixOfLastWord
            if let words = try self.replacement(ofWordsIn: word.text, endsWithPrefix: isPrefix) {
                replacement += text[end..<word.text.startIndex] + words
                end = word.text.endIndex
            }
        }
        return replacement + text[end...]
    }

    /// The text with unknown words replaced; nil if all words are known.
    mutating func replacement(ofWordsIn text: Substring, endsWithPrefix: Bool) throws -> String? {
        var (replacement, end) = ("", text.startIndex)
        for word in text.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
            let isPrefix = endsWithPrefix && word.endIndex == text.endIndex
            if let term = try self.replacement(of: Word(text: word, isPrefix: isPrefix)) {
                replacement += text[end..<word.startIndex] + term
                end = word.endIndex
            }
        }
        return end == text.startIndex ? nil : replacement + text[end...]
    }

    // MARK: - Words

    private mutating func replacement(of word: Word) throws -> String? {
        let found = try replacements[word] ?? lookUp(word)
        replacements[word] = found
        if found.isEmpty { return nil }
        termCounts.append(found.count)
        return found[termCounts.count - 1 == choice.word ? choice.term : 0]
    }

    private func lookUp(_ word: Word) throws -> [String] {
        let terms = try vocabulary.terms(db, of: word.text)
        guard terms.count == 1 else { return [] }
        let column = FTS5Terms.Term.Columns.term
        let known = vocabulary.terms().filter(word.isPrefix ? column.hasPrefix(terms[0]) : column == terms[0])
            .limit(1).select(FTS5Terms.Term.Columns.documentCount, as: Int.self)
        let maximum = FTS5Terms.maximumDistance(of: terms[0])
        let similar: [String]
        if let documentCount = try known.fetchOne(db) {
            if word.isPrefix || maximum == 0 { return [] }
            similar = try muchMoreFrequentTerms(than: terms[0], documentCount)
        } else {
            similar = try vocabulary.corrections(db, ofTerm: terms[0], maximum).map(\.term)
        }
        return try similar.prefix(Self.maximumTermCount).map { try vocabulary.spelling(db, of: $0) }
    }

    /// The terms with one typo that are so frequent that a known term is considered misspelled.
    private func muchMoreFrequentTerms(than term: String, _ documentCount: Int) throws -> [String] {
        let list = try FullTextIndex(db: db, table: vocabulary.fullTextTable).terms()
        let similar = list.bestMatches(TermAutomaton(term, maximum: 1), limit: Self.maximumTermCount)
        // A term in 1,000 times as many documents has a larger entry in the index, in a higher class.
        let frequent = similar.filter { $0.frequencyClass > (list.frequencyClass(of: term) ?? 0) }.map(\.term)
        if frequent.isEmpty { return [] }
        return try vocabulary.terms().filter(frequent.contains(FTS5Terms.Term.Columns.term)).fetchAll(db)
            .filter { $0.documentCount / Self.misspellingRatio >= documentCount }
            .sorted { ($1.documentCount, $0.term) < ($0.documentCount, $1.term) }
            .map(\.term)
    }
}
