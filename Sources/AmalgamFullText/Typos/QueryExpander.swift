import AmalgamCore

/// Expands the words of a query with the tokenizer and the terms of a table.
struct QueryExpander {
    private let index: FullTextIndex
    private let tokenizer: any FTS5Tokenizer
    private let settings: FullTextIndex.Settings
    private let terms: IndexTerms

    /// Whether the terms of the table are stems. It is tried with English words.
    private let removesEndings: Bool

    /// The languages whose words the tokenizer stems, as far as they are known.
    private let languages: [SnowballLanguage]

    /// - Returns: nil if the query has no words to expand, or if the table isn't an FTS5 table.
    init?(_ query: FTS5Query, _ index: FullTextIndex) throws {
        guard query.hasWord, let settings = try index.settings() else { return nil }
        self.index = index
        self.settings = settings
        tokenizer = index.tokenizer
        removesEndings = try tokenizer.removesEndings
        languages = settings.languages.isEmpty && removesEndings ? [.english] : settings.languages
        terms = query.hasFuzzyWord ? try index.terms() : IndexTerms(TermList(sorted: []))
    }

    /// The query with the alternatives of its words.
    func expand(_ query: FTS5Query) throws -> FTS5Query { try expansion(of: query).query }

    /// A part of the query, and whether documents needn't match it: the user may be typing a stop word.
    private struct Part {
        var query: FTS5Query
        var isOptional = false
    }

    private func expansion(of query: FTS5Query) throws -> Part {
        switch query.node {
        case .phrase, .initial, .near, .tooDeep: return Part(query: query)
        case .word(let word): return try expansion(of: word, before: nil, after: nil)
        case .filter(let filter, let query):
            let part = try expansion(of: query)
            return Part(query: FTS5Query(.filter(filter, part.query)), isOptional: part.isOptional)
        case .sequence(let queries), .and(let queries): return Self.conjunction(try expansions(of: queries))
        case .or([]): return Part(query: query)
        case .or(let queries): return Part(query: FTS5Query.any(try queries.map { try expand($0) }) ?? query)
        case .not(let query, let excluded): return Part(query: try expand(query).not(excluded))
        }
    }

    private func expansions(of queries: [FTS5Query]) throws -> [Part] {
        let words = queries.map(\.word)
        return try queries.indices.map { place in
            guard let word = words[place] else { return try expansion(of: queries[place]) }
            return try expansion(
                of: word, before: place > 0 ? words[place - 1] : nil,
                after: place + 1 < words.count ? words[place + 1] : nil)
        }
    }

    /// All parts, or all parts that aren't optional: documents with all parts rank higher.
    private static func conjunction(_ parts: [Part]) -> Part {
        let required = FTS5Query.all(parts.filter { !$0.isOptional }.map(\.query))
        guard let all = FTS5Query.all(parts.map(\.query)) else { return Part(query: .nothing) }
        guard let required else { return Part(query: all, isOptional: true) }
        return Part(query: required == all ? all : all.or(required))
    }

    // MARK: - Words

    private func expansion(of word: FTS5Query.Word, before: FTS5Query.Word?, after: FTS5Query.Word?) throws -> Part {
        var alternatives = [FTS5Query.Alternative(query: .phrase(word.phrase), typoCount: 0)]
        var isOptional = false
        if word.isTyped {
            let typed = try TypedWord(word.text, tokenizer, languages: languages)
            isOptional = typed.mayBeStopWord
            alternatives += typed.completions.map { FTS5Query.Alternative(query: .phrase($0), typoCount: 0) }
        }
        if let tolerance = word.tolerance {
            try addTypos(of: word, tolerance, to: &alternatives)
            if tolerance.joinsAndSplitsWords {
                if let before { try addJoined(before, word, tolerance, to: &alternatives) }
                if let after { try addJoined(word, after, tolerance, to: &alternatives) }
                try addSplit(word, tolerance, to: &alternatives)
            }
        }
        if alternatives.count == 1 { return Part(query: alternatives[0].query, isOptional: isOptional) }
        var word = word
        word.alternatives = alternatives
        return Part(query: FTS5Query(.word(word)), isOptional: isOptional)
    }

    /// The only term of a string; nil if the string has several terms, or none.
    private func term(of text: String, isPrefix: Bool) throws -> String? {
        let tokens = try tokenizer.tokens(of: text, for: isPrefix ? [.query, .prefix] : .query)
            .filter { !$0.flags.contains(.colocated) }
        return tokens.count == 1 ? tokens[0].text : nil
    }

    private func addTypos(
        of word: FTS5Query.Word, _ tolerance: TypoTolerance, to alternatives: inout [FTS5Query.Alternative]
    ) throws {
        guard let term = try term(of: word.text, isPrefix: word.isPrefix) else { return }
        let maximum = tolerance.maximumTypoCount(of: term)
        let automaton = TermAutomaton(term, maximum: maximum, isPrefix: word.isPrefix)
        let matches = terms.bestMatches(automaton, limit: tolerance.termLimit)
        let words = try TermWords(tokenizer).words(for: matches.map(\.term), in: [])
        for match in matches {
            guard let word = words[match.term] else { continue }
            alternatives.append(FTS5Query.Alternative(query: FTS5Query(word), typoCount: match.typoCount))
        }
        if tolerance.maximumTypoCount(of: word.text) > 0, !word.isPrefix, removesEndings {
            let rest = tolerance.termLimit - matches.count
            try addEdits(of: word.text, except: Set(matches.map(\.term) + [term]), limit: rest, to: &alternatives)
        }
    }

    /// Adds "relational" for `relatoinal`. A typo in an ending changes the stem by more than a typo. So the tokenizer
    /// stems all strings that differ from the word by one typo.
    private func addEdits(
        of word: String, except known: Set<String>, limit: Int, to alternatives: inout [FTS5Query.Alternative]
    ) throws {
        var known = known
        var found: [(text: String, frequencyClass: UInt8)] = []
        for text in word.edits {
            guard let term = try term(of: text, isPrefix: false), known.insert(term).inserted,
                let frequencyClass = terms.frequencyClass(of: term)
            else { continue }
            found.append((text, frequencyClass))
        }
        found.sort { ($1.frequencyClass, $0.text) < ($0.frequencyClass, $1.text) }
        for edit in found.prefix(max(0, limit)) {
            alternatives.append(FTS5Query.Alternative(query: FTS5Query(edit.text), typoCount: 1))
        }
    }

    /// Adds "database" for `data base`.
    private func addJoined(
        _ first: FTS5Query.Word, _ second: FTS5Query.Word, _ tolerance: TypoTolerance,
        to alternatives: inout [FTS5Query.Alternative]
    ) throws {
        guard first.tolerance != nil, second.tolerance != nil, !first.isPrefix else { return }
        let text = first.text + second.text
        guard let term = try term(of: text, isPrefix: second.isPrefix), tolerance.maximumTypoCount(of: term) > 0,
            terms.frequencyClass(of: term, isPrefix: second.isPrefix) != nil
        else { return }
        let phrase = second.isPrefix ? FTS5Phrase.prefix(text) : FTS5Phrase(text)
        alternatives.append(FTS5Query.Alternative(query: .phrase(phrase), typoCount: 1))
    }

    /// Adds "data base" for `database`: the two words of the index that make up the word, with the most frequent ones.
    private func addSplit(
        _ word: FTS5Query.Word, _ tolerance: TypoTolerance, to alternatives: inout [FTS5Query.Alternative]
    ) throws {
        guard settings.hasPhrases, let term = try term(of: word.text, isPrefix: word.isPrefix),
            tolerance.maximumTypoCount(of: term) > 0
        else { return }
        var best: (text: String, frequencyClass: UInt8)?
        let scalars = word.text.unicodeScalars
        for place in scalars.indices.dropFirst(2).dropLast() {
            let (first, second) = (String(scalars[..<place]), String(scalars[place...]))
            guard let left = try frequencyClass(of: first, isPrefix: false),
                let right = try frequencyClass(of: second, isPrefix: word.isPrefix)
            else { continue }
            let frequencyClass = min(left, right)
            if best.map({ frequencyClass > $0.frequencyClass }) ?? true {
                best = (first + " " + second, frequencyClass)
            }
        }
        guard let best else { return }
        let phrase = word.isPrefix ? FTS5Phrase.prefix(best.text) : FTS5Phrase(best.text)
        alternatives.append(FTS5Query.Alternative(query: .phrase(phrase), typoCount: 1))
    }

    private func frequencyClass(of text: String, isPrefix: Bool) throws -> UInt8? {
        guard let term = try term(of: text, isPrefix: isPrefix) else { return nil }
        return terms.frequencyClass(of: term, isPrefix: isPrefix)
    }
}

extension String {
    /// The strings that differ by one inserted, deleted or replaced letter, or by two transposed letters. Inserted
    /// letters are those of the English alphabet: the stems of other languages aren't known.
    fileprivate var edits: [String] {
        let letters = Array(unicodeScalars)
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz".unicodeScalars)
        var edits: [[Unicode.Scalar]] = []
        for place in 0...letters.count {
            let (start, end) = (letters[..<place], letters[place...])
            edits += alphabet.map { start + [$0] + end }
            guard let letter = end.first else { continue }
            edits.append(Array(start) + end.dropFirst())
            edits += alphabet.filter { $0 != letter }.map { start + [$0] + end.dropFirst() }
            guard let next = end.dropFirst().first, next != letter else { continue }
            edits.append(start + [next, letter] + end.dropFirst(2))
        }
        return edits.map { scalars in
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            return String(view)
        }
    }
}

extension FTS5Query {
    /// Whether a word of the query is expanded.
    var hasWord: Bool {
        if case .word = node { return true }
        return node.parts.contains(where: \.hasWord)
    }

    /// Whether a word of the query is expanded with similar terms.
    fileprivate var hasFuzzyWord: Bool {
        if case .word(let word) = node { return word.tolerance != nil }
        return node.parts.contains(where: \.hasFuzzyWord)
    }

    fileprivate var word: Word? {
        if case .word(let word) = node { return word }
        return nil
    }
}
