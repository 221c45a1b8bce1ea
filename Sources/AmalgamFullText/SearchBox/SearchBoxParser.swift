import AmalgamCore

/// Parses the text of a search box.
///
/// The grammar accepts any sequence of tokens:
///
/// ```
/// sequence := chain*                       joined by the default operator
/// chain    := conjunction (OR conjunction)*
/// conjunction := term (AND term)*
/// term     := (exclude | field)* (word | open sequence close)
/// ```
///
/// FTS5 has no unary NOT. Therefore, a `PartialQuery` stores an exclusion such as `-java` until there is a query from
/// which documents can be excluded: in `(-java) swift`, this query is `swift`, outside of the parentheses.
struct SearchBoxParser {
    /// More deeply nested parentheses are treated as spaces, because the stack of FTS5's parser is small.
    private static let maximumNesting = 3

    private let syntax: SearchBoxSyntax
    private let tokens: [SearchBoxToken]
    private var position = 0

    /// The number of open parentheses that are treated as spaces.
    private var blankParentheses = 0

    init(_ text: String, _ syntax: SearchBoxSyntax) {
        self.syntax = syntax
        var scanner = SearchBoxScanner(text, fields: syntax.fields)
        tokens = scanner.tokens()
    }

    mutating func query() -> FTS5Query? { sequence(nesting: 0).resolved.query }

    private var token: SearchBoxToken? { position < tokens.count ? tokens[position] : nil }

    // MARK: - The grammar

    private mutating func sequence(nesting: Int) -> PartialQuery {
        var chains: [PartialQuery] = []
        while let token {
            switch token {
            case .close:
                position += 1
                if closesSequence(nesting: nesting) { return PartialQuery(chains, syntax.defaultOperator) }
            case .and, .or: position += 1  // an operator without a left operand
            case .word, .field, .open, .exclude:
                if let chain = chain(nesting: nesting) { chains.append(chain) }
            }
        }
        return PartialQuery(chains, syntax.defaultOperator)
    }

    /// Whether a closing parenthesis ends the current sequence.
    private mutating func closesSequence(nesting: Int) -> Bool {
        if blankParentheses == 0 { return nesting > 0 }
        blankParentheses -= 1
        return false
    }

    private mutating func chain(nesting: Int) -> PartialQuery? {
        list(separator: \.isOr, .or) { $0.conjunction(nesting: nesting) }
    }

    private mutating func conjunction(nesting: Int) -> PartialQuery? {
        list(separator: \.isAnd, .and) { $0.term(nesting: nesting) }?.resolved
    }

    private mutating func list(
        separator isSeparator: (SearchBoxToken) -> Bool, _ combination: SearchBoxSyntax.Operator,
        element: (inout SearchBoxParser) -> PartialQuery?
    ) -> PartialQuery? {
        guard let first = element(&self) else { return nil }
        var parts = [first]
        while let token, isSeparator(token) {
            position += 1
            guard let next = element(&self) else { break }
            parts.append(next)
        }
        return PartialQuery(parts, combination)
    }

    private mutating func term(nesting: Int) -> PartialQuery? {
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

    private func query(_ word: SearchBoxWord, isExcluded: Bool) -> PartialQuery {
        let isTyped = word.isLast && syntax.matchesPrefixOfLastWord && !isExcluded
        let text = String(word.text)
        let tolerance = word.isQuoted || word.hasStar || isExcluded ? nil : syntax.typoTolerance
        if word.hasStar || !isTyped && tolerance == nil {
            return PartialQuery(query: .phrase((word.hasStar ? FTS5Phrase.prefix(text) : FTS5Phrase(text)).asTyped))
        }
        let parts = FTS5Query.Word(text: text, isPrefix: isTyped, isTyped: isTyped, tolerance: tolerance)
        return PartialQuery(query: FTS5Query(.word(parts)))
    }

    private func part(_ part: PartialQuery, _ filter: [String]?, _ isExcluded: Bool) -> PartialQuery {
        let filtered = filter.map { columns in part.map { $0.inColumns(columns) } } ?? part
        return isExcluded ? filtered.negated : filtered
    }
}

extension PartialQuery {
    /// Combines adjacent parts. Repeated parts find nothing more, and only take time.
    fileprivate init(_ parts: [PartialQuery], _ combination: SearchBoxSyntax.Operator) {
        let queries = parts.compactMap(\.query).withoutRepetitions
        self.init(
            query: combination == .and ? FTS5Query.all(queries) : FTS5Query.any(queries),
            excluded: parts.flatMap(\.excluded).withoutRepetitions)
    }

    /// The part with its query as an exclusion. A part without a query excludes nothing.
    fileprivate var negated: PartialQuery {
        PartialQuery(excluded: [resolved.query].compactMap(\.self))
    }
}

extension [FTS5Query] {
    /// The queries, each once.
    fileprivate var withoutRepetitions: [FTS5Query] {
        var seen: Set<FTS5Query> = []
        return filter { seen.insert($0).inserted }
    }
}

extension [String] {
    /// The columns that are in both lists, compared case-insensitively.
    fileprivate func intersection(with columns: [String]) -> [String] {
        let names = Set(columns.map(TableName.init))
        return filter { names.contains(TableName($0)) }
    }
}

extension SearchBoxToken {
    fileprivate var isAnd: Bool { if case .and = self { true } else { false } }

    fileprivate var isOr: Bool { if case .or = self { true } else { false } }
}
