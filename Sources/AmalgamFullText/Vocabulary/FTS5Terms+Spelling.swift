public import AmalgamCore
import AmalgamQuery
import AmalgamRecords

extension FTS5Terms {
    /// The number of documents whose spelling of a term is compared.
    private static let documentCountForSpelling = 5

    /// Returns the spelling of a term in the documents: "café" for the term "cafe", "SQLite" for "sqlite".
    ///
    /// ```swift
    /// let vocabulary = FTS5Terms("documentTerms", of: "document")
    /// try vocabulary.spelling(db, of: "cafe")   // "café"
    /// ```
    ///
    /// A tokenizer folds the case of words, removes diacritics, and may remove endings. The method reads up to five
    /// documents with the term, tokenizes their text, and returns the most frequent spelling. If only the first
    /// character of this spelling is in upper case, it is returned in lower case, because the word may begin a
    /// sentence.
    ///
    /// - Returns: The term itself if no document has it, or if the full-text table has no text (a contentless table).
    /// - Throws: A ``DatabaseError`` if a statement or the tokenizer fails.
    public func spelling(_ db: Database, of term: String) throws -> String {
        try spelling(db, of: term, endsWithCharacter: false)
    }

    /// Returns the spelling of a term in the documents.
    ///
    /// - Parameter endsWithCharacter: Whether the spelling ends with a whole character, also if the character has a
    ///   further token.
    func spelling(_ db: Database, of term: String, endsWithCharacter: Bool) throws -> String {
        let tokenizer = try db.makeTokenizer(tokenizer)
        guard let word = try TermWords(tokenizer).words(for: [term], in: [])[term] else { return term }
        let pattern = FTS5Pattern(known: try FTS5Query(word).rawPattern())
        let documents = Table(fullTextTable).matching(pattern).limit(Self.documentCountForSpelling)
        var spellings: [String] = []
        for row in try documents.fetchAll(db) {
            let texts = row.databaseValues.lazy.compactMap { String.fromDatabaseValue($0) }
            let spelling = try texts.compactMap { try tokenizer.spelling(of: term, in: $0, endsWithCharacter) }.first
            if let spelling { spellings.append(spelling) }
        }
        // The first one of the most frequent spellings.
        let counts = Dictionary(spellings.map { ($0, 1) }) { $0 + $1 }
        return spellings.max { (counts[$0] ?? 0, 0) < (counts[$1] ?? 0, 0) } ?? term
    }
}

extension FTS5Tokenizer {
    /// The part of a string that becomes a term. Nil if there is none, or if it has several words.
    fileprivate func spelling(of term: String, in text: String, _ endsWithCharacter: Bool) throws -> String? {
        var text = text
        var place: Range<Int>?
        try text.withUTF8 { bytes in
            let tokenized = TokenizedText(bytes: UnsafeRawBufferPointer(bytes), tokenization: .document)
            do {
                try forEachToken(in: tokenized) { token in
                    guard token.bytes.elementsEqual(term.utf8), !token.flags.contains(.colocated) else { return }
                    place = try token.place(inTextOf: bytes.count)
                    throw FoundToken()
                }
            } catch is FoundToken {}
        }
        guard let place else { return nil }
        let scalars = text.scalars(ofBytes: place)
        var spelling = String(text.unicodeScalars[scalars])
        // "दी", and not "द", for the term "द". In some scripts, a character has several tokens: "क" and "य" in "क्या".
        let character = String(text.unicodeScalars[scalars.lowerBound..<text.range(ofBytes: place).upperBound])
        if try endsWithCharacter || isWord(character, for: term) { spelling = character }
        if spelling.isEmpty || spelling.contains(where: \.isWhitespace) { return nil }
        let lowercased = spelling.lowercased()
        return spelling.dropFirst() == lowercased.dropFirst() ? lowercased : spelling
    }
}

extension FTS5Tokenizer {
    /// Whether the only token of a string in a document is the term.
    private func isWord(_ text: String, for term: String) throws -> Bool {
        let tokens = try tokenize(document: text).filter { !$0.flags.contains(.colocated) }
        return tokens.map(\.token) == [term]
    }
}

/// Stops a tokenizer.
private struct FoundToken: Error {}
