import AmalgamCore

/// Where synonyms are put in: see ``FTS5TokenizerModule/synonyms(_:expanding:named:)``.
public enum FTS5SynonymExpansion: Sendable {
    /// The index has all words of a group where a text has one of them. It is larger, and searches are as fast as without
    /// synonyms. New groups are for new texts, and for the others after ``FTS5Index/rebuild(_:)``.
    case documents

    /// Searches are for all words of a group where the pattern has one of them. The index is as it was, and new groups
    /// are there at once, on connections that are opened from then on.
    case queries
}

extension FTS5TokenizerModule {
    /// Finds words by others that mean the same.
    ///
    /// ```swift
    /// .synonyms([["car", "automobile"], ["fast", "quick", "rapid"]])
    /// // "a fast car"   a fast|quick|rapid car|automobile
    /// ```
    ///
    /// Synonyms stand in the same place: the phrase "rapid automobile" is found in "a fast car". Words are compared as the
    /// wrapped tokenizer leaves them. Prefixes aren't expanded: with `.queries`, `automobile*` doesn't find "car".
    ///
    /// A synonym is one token, because tokens of one position are single tokens in FTS5. Creating a table throws
    /// `SQLITE_MISUSE` for a synonym of several tokens, such as "New York", or "wi-fi" with `unicode61`. Expand such
    /// words in the query: `"nyc" || "New York"`.
    ///
    /// - Parameters:
    ///   - groups: words that mean the same. A word that is in several groups means what those of all of them do.
    ///   - expansion: whether synonyms are put into the index, or into searches.
    ///   - name: the name of the tokenizer: each list needs its own.
    public static func synonyms(
        _ groups: [[String]], expanding expansion: FTS5SynonymExpansion = .documents,
        named name: String = "synonyms"
    ) -> FTS5TokenizerModule {
        FTS5TokenizerModule(wrappingAs: name) { wrapped in try SynonymTokenizer(wrapped, groups, expansion) }
    }
}

private final class SynonymTokenizer: TokenFilter {
    /// The other words of the groups of each word.
    private let synonyms: TokenTable<[[UInt8]]>

    private let expansion: FTS5SynonymExpansion

    init(_ tokenizer: any FTS5Tokenizer, _ groups: [[String]], _ expansion: FTS5SynonymExpansion) throws {
        let wrapped = WrappedTokenizer(tokenizer)
        var synonyms: [[UInt8]: [[UInt8]]] = [:]
        for group in groups {
            let tokens = try group.map { word in try Self.token(of: word, wrapped) }
            for token in tokens {
                for other in tokens where other != token && synonyms[token]?.contains(other) != true {
                    synonyms[token, default: []].append(other)
                }
            }
        }
        self.synonyms = TokenTable(synonyms)
        self.expansion = expansion
        super.init(wrapped)
    }

    private static func token(of word: String, _ wrapped: WrappedTokenizer) throws -> [UInt8] {
        let tokens = try wrapped.tokens(of: word)
        guard tokens.count == 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the synonym \"\(word)\" has \(tokens.count) tokens: a synonym is one word")
        }
        return tokens[0]
    }

    override func accept(
        _ token: RawToken, isPrefix: Bool, in text: TokenizedText, _ pass: (RawToken) throws -> Void
    ) throws {
        try pass(token)
        let isQuery = text.tokenization.contains(.query)
        // Functions such as highlight() need them as well: in the index, the synonym of a word that another tokenizer leaves
        // out may be the only token of its position.
        let expands =
            switch expansion {
            case .documents: !isQuery
            case .queries: isQuery && !isPrefix
            }
        guard expands, let others = synonyms[token.bytes] else { return }
        for other in others {
            try other.withUnsafeBytes { bytes in
                try pass(
                    RawToken(bytes: bytes, flags: token.flags.union(.colocated), start: token.start, end: token.end))
            }
        }
    }
}
