public import AmalgamCore
public import AmalgamQuery
import AmalgamRecords

extension FTS5Terms {
    /// Returns a request of the terms that begin with the last word of a string, most frequent term first.
    ///
    /// ```swift
    /// let vocabulary = FTS5Terms("documentTerms", of: "document")
    /// let terms = try vocabulary.completions(of: "Dat").limit(5).fetchAll(db)
    /// // SELECT * FROM "documentTerms" WHERE "term" BETWEEN 'dat' AND 'dat…' ORDER BY "doc" DESC, "term" LIMIT 5
    /// ```
    ///
    /// The request reads the index entries of these terms. If the string has no word, the request fetches no terms.
    public func completions(of text: String) -> QueryInterfaceRequest<Term> {
        terms()
            .filterWhenConnected { db in
                try terms(db, of: text).last.map { Term.Columns.term.hasPrefix($0) } ?? false.sqlExpression
            }
            .order { [$0.documentCount.desc, $0.term] }
    }

    /// The number of terms that are tried for each suggestion.
    private static let attemptsPerCompletion = 20

    /// Returns suggestions for the text of a search box: the text with its last word completed.
    ///
    /// ```swift
    /// let vocabulary = FTS5Terms("documentTerms", of: "document")
    /// try vocabulary.completions(db, ofSearchBox: "swift -java dat")
    /// // ["swift -java data", "swift -java database"]
    /// ```
    ///
    /// A search for a suggestion finds at least one document, with the exceptions that ``correction(_:of:)`` explains.
    /// Words are spelled as in the documents: see ``spelling(_:of:)``. A suggestion has the tokens of the text, the last one
    /// completed: "e-mail" for "e-mai". The method tries the most frequent terms, up to
    /// 20 for each suggestion, and searches for one document each.
    ///
    /// - Returns: The most frequent completions, or an empty array if the text doesn't end with a word.
    /// - Throws: A ``DatabaseError`` if a statement or the tokenizer fails.
    public func completions(
        _ db: Database, ofSearchBox text: String, syntax: SearchBoxSyntax = SearchBoxSyntax(), limit: Int = 5
    ) throws -> [String] {
        var scanner = SearchBoxScanner(text, fields: syntax.fields)
        guard case .word(let word) = scanner.tokens().last, word.isLast && !word.hasStar,
            let beginning = try beginningOfLastToken(db, in: word.text)
        else { return [] }
        let limit = min(max(0, limit), Int(Int32.max))
        let terms = completions(of: String(word.text[beginning...])).limit(limit * Self.attemptsPerCompletion)
        var completions: [String] = []
        var syntax = syntax
        (syntax.matchesPrefixOfLastWord, syntax.typoTolerance) = (false, nil)
        for term in try terms.fetchAll(db) where completions.count < limit {
            let spelling = try spelling(db, of: term.term, endsWithCharacter: true)
            let completion = String(text[..<beginning]) + spelling
            guard try isCompletion(db, String(word.text[..<beginning]) + spelling, of: String(word.text)),
                let query = FTS5Query(searchBox: completion, syntax: syntax), !completions.contains(completion),
                try matchesDocument(db, query)
            else { continue }
            completions.append(completion)
        }
        return completions
    }

    /// Returns where the last token of a word begins: "e-mai" has the tokens "e" and "mai". A token may begin inside of a
    /// character.
    ///
    /// - Returns: nil if the word doesn't end with a letter or a digit, or has no token.
    private func beginningOfLastToken(_ db: Database, in word: Substring) throws -> String.Index? {
        guard let last = word.last, last.isLetter || last.isNumber else { return nil }
        return try db.makeTokenizer(tokenizer).words(of: String(word), for: .query)
            .last { !$0.flags.contains(.colocated) }
            .map { word.utf8.index(word.startIndex, offsetBy: $0.start) }
    }

    /// Whether a string has the tokens of a typed word, the last of them as a prefix, and possibly further ones.
    private func isCompletion(_ db: Database, _ text: String, of word: String) throws -> Bool {
        let (typed, completed) = (try terms(db, of: word), try terms(db, of: text))
        guard let last = typed.last, completed.count >= typed.count else { return false }
        return completed.starts(with: typed.dropLast()) && completed[typed.count - 1].utf8.starts(with: last.utf8)
    }
}

extension ColumnExpression {
    /// The condition `"term" BETWEEN 'dat' AND 'dat…'`, a range that fts5vocab looks up in the index. The upper bound
    /// ends with U+10FFFF, the last code point, which no term contains.
    func hasPrefix(_ prefix: String) -> SQLExpression { (prefix...prefix + "\u{10FFFF}").contains(self) }
}
