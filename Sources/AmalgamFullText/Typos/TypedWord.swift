import AmalgamCore

/// A word, or a phrase, whose last word the user may still be typing.
///
/// Results during typing have no holes: a prefix query for the typed word, together with the completions, finds each
/// document that a query for a longer word would find.
struct TypedWord {
    /// What a prefix query for the typed word doesn't find: longer words, possibly the word itself, and other prefixes.
    private(set) var completions: [FTS5Phrase] = []

    /// Whether the tokenizer ignores the word, or a longer one, in documents.
    private(set) var mayBeStopWord = false

    /// The number of bytes of the longest word that has a stem.
    private static let maximumLength = 255

    private let tokenizer: any FTS5Tokenizer

    /// The tokens of the prefix query, by position.
    private let typed: [[String]]

    /// The beginnings of the terms that the query finds at the last position.
    private var prefixes: [String]

    /// The terms of the completions at the last position.
    private var terms: Set<String> = []

    /// The token lists of the completions with other positions.
    private var others: Set<[[String]]> = []

    /// - Parameter languages: The languages whose words the tokenizer stems.
    init(_ text: String, _ tokenizer: any FTS5Tokenizer, languages: [SnowballLanguage]) throws {
        self.tokenizer = tokenizer
        typed = try tokenizer.positions(of: text, for: [.query, .prefix])
        prefixes = typed.last ?? []
        if typed.isEmpty { return }
        try add(text, isWordOfTypedLength: false)
        let place = text.lastIndex { !$0.isLetter && !$0.isNumber }.map { text.index(after: $0) } ?? text.startIndex
        let (start, word) = (String(text[..<place]), String(text[place...]))
        if word.isEmpty { return }
        if !languages.isEmpty, word.utf8.count <= Self.maximumLength {
            for language in languages {
                // In its locale, a word has the stem of one language. A table with one language ignores locales.
                let locale = languages.count > 1 ? language.rawValue : nil
                try addChangedBeginnings(of: word, locale, after: start)
                try addLongerWords(than: word, language, locale, after: start)
            }
        }
        let beginning = word.lowercased()
        let stopWords = languages.stopWords.filter { $0.utf8.starts(with: beginning.utf8) }
        for (stopWord, positions) in zip(stopWords, try tokenizer.positions(ofEach: stopWords))
        where positions.isEmpty {
            try add(start + stopWord, isWordOfTypedLength: false)
        }
    }

    /// Adds prefixes for a word that the tokenizer changes in the same way whichever letters follow.
    private mutating func addChangedBeginnings(of word: String, _ locale: String?, after start: String) throws {
        let fillers = WordEndings.fillers(for: word)
        for (filler, positions) in zip(fillers, try tokenizer.positions(ofEach: fillers.map { word + $0 }, locale)) {
            for term in positions.last ?? [] where term.utf8.reversed().starts(with: filler.utf8.reversed()) {
                let beginning = String(decoding: term.utf8.dropLast(filler.utf8.count), as: UTF8.self)
                // Too many words begin with one letter, unless it is a syllable.
                if isFound(term) || beginning.unicodeScalars.count < 2 && beginning.utf8.count < 3 { continue }
                try addPrefix(beginning, after: start)
            }
        }
    }

    private mutating func addPrefix(_ beginning: String, after start: String) throws {
        // `porter` changes "play" to "plai", so that `play*` finds no "playground", and "playe" to "play".
        for text in [start + beginning, start + beginning + "e"] {
            let positions = try tokenizer.positions(of: text, for: [.query, .prefix])
            guard positions.dropLast() == typed.dropLast(), let tokens = positions.last, tokens.contains(beginning)
            else { continue }
            completions.append(.prefix(text))
            prefixes += tokens
            return
        }
    }

    private mutating func addLongerWords(
        than word: String, _ language: SnowballLanguage, _ locale: String?, after start: String
    ) throws {
        let words = WordEndings.endings(of: language).completions(of: word).sorted().map { word + $0 }
        let count = try tokenizer.positions(of: word, for: [.query, .prefix]).count
        for (longerWord, positions) in zip(words, try tokenizer.positions(ofEach: words, locale))
        where positions.count == count && (count > 1 || positions.last?.allSatisfy(isFound) == false) {
            try add(start + longerWord, isWordOfTypedLength: true)
        }
    }

    /// Adds a completion, unless the query finds its documents.
    ///
    /// - Parameter isWordOfTypedLength: Whether the completion is only useful if it has as many tokens as the typed
    ///   string.
    private mutating func add(_ text: String, isWordOfTypedLength: Bool) throws {
        let positions = try tokenizer.positions(of: text, for: .query)
        if positions.isEmpty {
            mayBeStopWord = mayBeStopWord || !isWordOfTypedLength
        } else if hasTypedBeginning(positions), let last = positions.last {
            if last.allSatisfy(isFound) { return }
            terms.formUnion(last)
            completions.append(FTS5Phrase(text))
        } else if !isWordOfTypedLength || positions.count == typed.count, others.insert(positions).inserted {
            completions.append(FTS5Phrase(text))
        }
    }

    /// Whether all tokens but those at the last position are in the prefix query.
    private func hasTypedBeginning(_ positions: [[String]]) -> Bool {
        positions.count == typed.count
            && zip(positions, typed).dropLast().allSatisfy { Set($0).isSubset(of: $1) }
    }

    /// Whether the query finds all documents with a term at the last position.
    private func isFound(_ term: String) -> Bool {
        terms.contains(term) || prefixes.contains(where: term.hasPrefixInUTF8)
    }
}

extension [SnowballLanguage] {
    /// The stop words that the tokenizer may omit. Without a language, they are those of all languages.
    fileprivate var stopWords: [String] {
        if isEmpty { return Self.allStopWords }
        let words = Set(flatMap(\.stopWords))
        return (contains(.english) ? words.union(FTS5TokenizerModule.englishStopWords) : words).sorted()
    }

    private static let allStopWords = Set(SnowballLanguage.all.flatMap(\.stopWords))
        .union(FTS5TokenizerModule.englishStopWords).sorted()
}

extension FTS5Tokenizer {
    /// Whether the tokenizer removes endings of English words. It is tried with some words.
    var removesEndings: Bool {
        get throws {
            try ["running", "databases", "relational", "stopped", "happily", "cities"].contains { word in
                try positions(of: word, for: .query) != [[word]]
            }
        }
    }

    /// The tokens of a string by position, with synonyms.
    fileprivate func positions(of text: String, for tokenization: FTS5Tokenization) throws -> [[String]] {
        var positions: [[String]] = []
        for token in try tokens(of: text, for: tokenization) { positions.append(token.text, token.flags) }
        return positions
    }

    /// The tokens of several words by word and position. One call of the tokenizer takes less time than one per word.
    fileprivate func positions(ofEach words: [String], _ locale: String? = nil) throws -> [[[String]]] {
        var positions = [[[String]]](repeating: [], count: words.count)
        guard var end = words.first?.utf8.count else { return positions }
        var index = 0
        let text = words.joined(separator: " ")
        let byteCount = text.utf8.count
        let tokens = try tokens(of: text, for: .query, locale: locale) { token in
            (String(decoding: token.bytes, as: UTF8.self), token.flags, try token.place(inTextOf: byteCount).lowerBound)
        }
        for (token, flags, start) in tokens {
            while start > end, index + 1 < words.count {
                index += 1
                end += 1 + words[index].utf8.count
            }
            positions[index].append(token, flags)
        }
        return positions
    }
}

extension [[String]] {
    /// Appends a token at the next position, or as a synonym at the last one.
    fileprivate mutating func append(_ token: String, _ flags: FTS5TokenFlags) {
        if flags.contains(.colocated), !isEmpty {
            self[count - 1].append(token)
        } else {
            append([token])
        }
    }
}

extension String {
    /// Whether the bytes of the string begin with those of a prefix, as in FTS5.
    fileprivate func hasPrefixInUTF8(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}
