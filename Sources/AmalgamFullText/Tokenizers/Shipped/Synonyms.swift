import AmalgamCore

/// Whether synonyms are added to documents or to patterns: see ``FTS5TokenizerModule/synonyms(_:expanding:named:)``.
///
/// ```swift
/// let synonyms = FTS5TokenizerModule.synonyms([["car", "automobile"]], expanding: .queries)
/// ```
public enum FTS5SynonymExpansion: Sendable {
    /// Indexes all words of a group if a document contains one of them. The index is larger, and searches are as fast
    /// as without synonyms. After a change of the groups, call ``FTS5Index/rebuild(_:)``.
    case documents

    /// Searches for all words of a group if the pattern contains one of them. The index contains no synonyms. New
    /// groups apply to all documents, on connections that are opened afterwards.
    case queries
}

extension FTS5TokenizerModule {
    /// Returns a tokenizer with which words match their synonyms.
    ///
    /// ```swift
    /// let synonyms = FTS5TokenizerModule.synonyms([["car", "automobile"], ["fast", "quick", "rapid"]])
    /// // "a fast car"   a fast|quick|rapid car|automobile
    /// ```
    ///
    /// In the example, `|` separates tokens with the same position: the phrase "rapid automobile" matches "a fast car".
    /// Words are compared after the wrapped tokenizer has processed them. Prefixes aren't expanded: with `.queries`,
    /// `automobile*` doesn't match "car".
    ///
    /// A synonym must be one token, because FTS5 has no synonyms of several tokens. Creating a table throws
    /// `SQLITE_MISUSE` for a synonym of several tokens, such as "New York", or "wi-fi" with `unicode61`. Search for
    /// such synonyms with OR instead: `FTS5Query("nyc") || FTS5Query("New York")`.
    ///
    /// - Parameters:
    ///   - groups: Groups of synonyms. A word in several groups has the synonyms of all these groups.
    ///   - expansion: Whether synonyms are added to documents or to patterns.
    ///   - name: The name of the tokenizer. Tokenizers with different groups need different names.
    public static func synonyms(
        _ groups: [[String]], expanding expansion: FTS5SynonymExpansion = .documents,
        named name: String = "synonyms"
    ) -> FTS5TokenizerModule {
        FTS5TokenizerModule(wrappingAs: name) { wrapped in try SynonymTokenizer(wrapped, groups, expansion) }
    }
}

private final class SynonymTokenizer: TokenFilter {
    /// The other words of all groups that contain a word, by word.
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
        // A function such as `highlight()` tokenizes a document again, with the reason `.aux`. With `.documents`, this
        // adds the synonyms again, because a tokenizer that wraps this one may omit the word itself. A synonym may then
        // be the only token at its position in the index.
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
