/// Makes a query of the text of a search box.
///
/// The grammar has a meaning for any sequence of tokens:
///
/// ```
/// sequence := chain*                       joined by the default operator
/// chain    := conjunction (OR conjunction)*
/// conjunction := term (AND term)*
/// term     := (exclude | field)* (word | open sequence close)
/// ```
///
/// FTS5 leaves documents out of those that it has found. So what a term excludes is kept aside (`SearchBoxPart`) until
/// there is something to leave it out of: in the conjunction, else in the sequence, else in the sequence around it.
struct SearchBoxParser {
    /// Parentheses inside of more others are blanks: FTS5's parser has a small stack.
    private static let maximumNesting = 3

    private let syntax: SearchBoxSyntax
    private let tokens: [SearchBoxToken]
    private var position = 0

    /// How many parentheses are open that have become blanks.
    private var blankParentheses = 0

    init(_ text: String, _ syntax: SearchBoxSyntax) {
        self.syntax = syntax
        var scanner = SearchBoxScanner(text, fields: syntax.fields)
        tokens = scanner.tokens()
    }

    mutating func query() -> FTS5Query? { sequence(nesting: 0).resolved.query }

    private var token: SearchBoxToken? { position < tokens.count ? tokens[position] : nil }

    // MARK: - The grammar

    private mutating func sequence(nesting: Int) -> SearchBoxPart {
        var chains: [SearchBoxPart] = []
        while let token {
            switch token {
            case .close:
                position += 1
                if closesSequence(nesting: nesting) { return SearchBoxPart(chains, syntax.defaultOperator) }
            case .and, .or: position += 1  // an operator with nothing at its left
            case .word, .field, .open, .exclude:
                if let chain = chain(nesting: nesting) { chains.append(chain) }
            }
        }
        return SearchBoxPart(chains, syntax.defaultOperator)
    }

    /// Whether a closing parenthesis belongs to the one that opened the sequence.
    private mutating func closesSequence(nesting: Int) -> Bool {
        if blankParentheses == 0 { return nesting > 0 }
        blankParentheses -= 1
        return false
    }

    private mutating func chain(nesting: Int) -> SearchBoxPart? {
        list(separator: \.isOr, .or) { $0.conjunction(nesting: nesting) }
    }

    private mutating func conjunction(nesting: Int) -> SearchBoxPart? {
        list(separator: \.isAnd, .and) { $0.term(nesting: nesting) }?.resolved
    }

    private mutating func list(
        separator isSeparator: (SearchBoxToken) -> Bool, _ combination: SearchBoxSyntax.Operator,
        element: (inout SearchBoxParser) -> SearchBoxPart?
    ) -> SearchBoxPart? {
        guard let first = element(&self) else { return nil }
        var parts = [first]
        while let token, isSeparator(token) {
            position += 1
            guard let next = element(&self) else { break }
            parts.append(next)
        }
        return SearchBoxPart(parts, combination)
    }

    private mutating func term(nesting: Int) -> SearchBoxPart? {
        var isExcluded = false
        var filter: [String]?
        while let token {
            switch token {
            case .exclude: isExcluded = true
            case .field(let columns): filter = filter?.intersection(with: columns) ?? columns
            case .word(let word):
                position += 1
                return part(query(word, isExcluded: isExcluded), filter, isExcluded)
            case .open:
                position += 1
                if nesting == Self.maximumNesting {
                    blankParentheses += 1
                    continue
                }
                return part(sequence(nesting: nesting + 1), filter, isExcluded)
            case .close, .and, .or: return nil
            }
            position += 1
        }
        return nil
    }

    // MARK: - Terms

    private func query(_ word: SearchBoxWord, isExcluded: Bool) -> SearchBoxPart {
        let isTyped = word.isLast && syntax.matchesPrefixOfLastWord && !isExcluded
        let text = String(word.text)
        return SearchBoxPart(query: word.hasStar || isTyped ? .prefix(text) : FTS5Query(text))
    }

    private func part(_ part: SearchBoxPart, _ filter: [String]?, _ isExcluded: Bool) -> SearchBoxPart {
        let filtered = filter.map { columns in part.map { $0.inColumns(columns) } } ?? part
        return isExcluded ? filtered.negated : filtered
    }
}

/// What a part of a search box looks for, and what it leaves out.
struct SearchBoxPart {
    var query: FTS5Query?
    var excluded: [FTS5Query] = []
}

extension SearchBoxPart {
    /// Parts side by side.
    init(_ parts: [SearchBoxPart], _ combination: SearchBoxSyntax.Operator) {
        let queries = parts.compactMap(\.query)
        query = combination == .and ? FTS5Query.all(queries) : FTS5Query.any(queries)
        excluded = parts.flatMap(\.excluded)
    }

    /// The part without what it leaves out, if it looks for something.
    var resolved: SearchBoxPart {
        guard let query, let excluded = FTS5Query.any(excluded) else { return self }
        return SearchBoxPart(query: query.not(excluded))
    }

    /// What is found becomes what is left out. Nothing to leave out leaves nothing out.
    var negated: SearchBoxPart {
        SearchBoxPart(excluded: [resolved.query].compactMap(\.self))
    }

    func map(_ transform: (FTS5Query) -> FTS5Query) -> SearchBoxPart {
        SearchBoxPart(query: query.map(transform), excluded: excluded.map(transform))
    }
}

extension [String] {
    /// The columns that are in both lists. Their case does not count.
    fileprivate func intersection(with columns: [String]) -> [String] {
        let names = Set(columns.map { $0.lowercased() })
        return filter { names.contains($0.lowercased()) }
    }
}

extension SearchBoxToken {
    fileprivate var isAnd: Bool { if case .and = self { true } else { false } }

    fileprivate var isOr: Bool { if case .or = self { true } else { false } }
}
