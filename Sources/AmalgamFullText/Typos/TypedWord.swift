import AmalgamCore

/// A word, or a phrase, whose last word the user may still be typing.
///
/// Results during typing have no holes: a prefix query for the typed word, together with the completions, finds each
/// document that a query for a longer word would find.
struct TypedWord {
    /// Longer words, and possibly the word itself, that a prefix query doesn't find.
    private(set) var completions: [String] = []

    /// Whether the tokenizer ignores the word, or a longer one, in documents.
    private(set) var mayBeStopWord = false

    private let tokenizer: any FTS5Tokenizer

    /// The tokens of the prefix query, by position.
    private let typed: [[String]]

    /// The token lists of the completions.
    private var found: Set<[[String]]> = []

    /// - Parameter removesEndings: Whether the tokenizer stems English words.
    init(_ text: String, _ tokenizer: any FTS5Tokenizer, removesEndings: Bool) throws {
        self.tokenizer = tokenizer
        typed = try tokenizer.positions(of: text, for: [.query, .prefix])
        if typed.isEmpty { return }
        try add(text, isWordOfTypedLength: false)
        let start = text.lastIndex { !$0.isLetter && !$0.isNumber }.map { text.index(after: $0) } ?? text.startIndex
        let word = text[start...]
        if word.isEmpty { return }
        if removesEndings {
            for completion in WordEndings.completions(of: word) {
                try add(text + completion, isWordOfTypedLength: true)
            }
        }
        let beginning = word.lowercased()
        for stopWord in FTS5TokenizerModule.englishStopWords.sorted()
        where stopWord.hasPrefix(beginning) {
            try add(text[..<start] + stopWord, isWordOfTypedLength: false)
        }
    }

    /// Adds a completion, unless the prefix query finds its documents.
    ///
    /// - Parameter isWordOfTypedLength: Whether the completion is only useful if it has as many tokens as the typed
    ///   string.
    private mutating func add(_ text: String, isWordOfTypedLength: Bool) throws {
        let positions = try tokenizer.positions(of: text, for: .query)
        if positions.isEmpty {
            mayBeStopWord = mayBeStopWord || !isWordOfTypedLength
        } else if !isFound(positions), !isWordOfTypedLength || positions.count == typed.count,
            found.insert(positions).inserted
        {
            completions.append(text)
        }
    }

    /// Whether the prefix query finds all documents with these tokens.
    private func isFound(_ positions: [[String]]) -> Bool {
        guard positions.count == typed.count, let last = positions.last, let typedLast = typed.last else {
            return false
        }
        return zip(positions, typed).dropLast().allSatisfy { Set($0).isSubset(of: $1) }
            && last.allSatisfy { token in typedLast.contains { token.hasPrefixInUTF8($0) } }
    }
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
        for token in try tokens(of: text, for: tokenization) {
            if token.flags.contains(.colocated), !positions.isEmpty {
                positions[positions.count - 1].append(token.text)
            } else {
                positions.append([token.text])
            }
        }
        return positions
    }
}

extension String {
    /// Whether the bytes of the string begin with those of a prefix, as in FTS5.
    fileprivate func hasPrefixInUTF8(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}
