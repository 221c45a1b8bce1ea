/// Splits the text of a search box into tokens. Every text is valid.
struct SearchBoxScanner {
    /// The limit counts Unicode scalars, because one character may have any number of them.
    private static let maximumLength = 8_192
    private static let maximumWordCount = 256

    private let text: Substring

    /// Whether the text was truncated.
    private let isShortened: Bool

    private let fields: [String: [String]]
    private var rest: Substring
    private var wordCount = 0

    /// Whether the previous token is a field, such as `title:`. The next token is then a word.
    private var isBehindField = false

    init(_ text: String, fields: [String: [String]]) {
        self.text = Substring(text.unicodeScalars.prefix(Self.maximumLength))
        isShortened = self.text.endIndex < text.endIndex
        self.fields = fields.isEmpty ? [:] : Dictionary(fields.map { ($0.lowercased(), $1) }) { $0 + $1 }
        rest = self.text
    }

    /// The tokens, from left to right.
    mutating func tokens() -> [SearchBoxToken] {
        var tokens: [SearchBoxToken] = []
        while wordCount < Self.maximumWordCount, let token = nextToken() { tokens.append(token) }
        return tokens
    }

    private mutating func nextToken() -> SearchBoxToken? {
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
            } else if let token = token(at: first) {
                return token
            }
        }
        return nil
    }

    /// The token at a character, or nil if the consumed characters aren't a token.
    private mutating func token(at first: Character) -> SearchBoxToken? {
        if first.isSearchBoxQuote { return phrase() }
        if first.isSearchBoxOpening { return consume(1, .open) }
        if first.isSearchBoxClosing { return consume(1, .close) }
        if first == "|" { return consume(rest.prefix { $0 == "|" }.count, .or) }
        if first.isSearchBoxMinus { return minus() }
        return word()
    }

    private mutating func consume(_ count: Int, _ token: SearchBoxToken) -> SearchBoxToken {
        rest = rest.dropFirst(count)
        return token
    }

    /// Scans a minus sign, which is an operator if a non-space character follows.
    private mutating func minus() -> SearchBoxToken? {
        rest = rest.drop(while: \.isSearchBoxMinus)
        guard let next = rest.first, !next.isWhitespace else { return nil }
        return .exclude
    }

    private mutating func phrase() -> SearchBoxToken? {
        rest.removeFirst()
        let content = rest.prefix { !$0.isSearchBoxQuote }
        rest = rest[content.endIndex...]
        let isClosed = rest.popFirst() != nil
        let stars = rest.prefix { $0 == "*" }
        rest = rest[stars.endIndex...]
        return word(content, isQuoted: true, hasStar: !stars.isEmpty, isOpen: !isClosed)
    }

    private mutating func word() -> SearchBoxToken? {
        let content = rest.prefix { !$0.endsSearchBoxWord }
        if let field = field(content) { return field }
        rest = rest[content.endIndex...]
        switch content {
        case "AND", "&&": return .and
        case "OR": return .or
        case "NOT": return .exclude
        default: break
        }
        let stars = content.reversed().prefix { $0 == "*" }.count
        return word(content.dropLast(stars), isQuoted: false, hasStar: stars > 0, isOpen: true)
    }

    /// Scans a field, such as `title` in `title:sqlite`, if the syntax allows it.
    private mutating func field(_ word: Substring) -> SearchBoxToken? {
        if isBehindField || fields.isEmpty { return nil }
        guard let colon = word.firstIndex(where: \.isSearchBoxColon),
            let columns = fields[word[..<colon].lowercased()]
        else { return nil }
        rest = rest[colon...].dropFirst()
        isBehindField = true
        return .field(columns)
    }

    /// A word or phrase, or nil if it contains nothing to search for.
    private mutating func word(
        _ content: Substring, isQuoted: Bool, hasStar: Bool, isOpen: Bool
    ) -> SearchBoxToken? {
        isBehindField = false
        if content.allSatisfy(\.isSearchBoxNoise) { return nil }
        wordCount += 1
        let isLast = isOpen && rest.isEmpty && !isShortened
        return .word(SearchBoxWord(text: content, isQuoted: isQuoted, hasStar: hasStar, isLast: isLast))
    }
}
