import AmalgamCore

extension FTS5TokenizerModule {
    /// Leaves words out, in texts and in patterns: the index is smaller, and rows are ranked by the other words.
    ///
    /// ```swift
    /// .stopWords(["the", "of"])
    /// // "The theory of the firm"   theory firm
    /// ```
    ///
    /// Words are compared as the wrapped tokenizer leaves them, so that the case does not count with `unicode61`. A phrase
    /// is found across words that were left out. A prefix, as in `th*`, is none of these words. A pattern of nothing but
    /// such words finds nothing.
    ///
    /// - Parameters:
    ///   - words: the words. ``englishStopWords`` are those of English.
    ///   - name: the name of the tokenizer: each list needs its own.
    public static func stopWords(
        _ words: some Sequence<String>, named name: String = "stop_words"
    ) -> FTS5TokenizerModule {
        stopWords(byLocale: ["": Array(words)], named: name)
    }

    /// Leaves words out, after the locale of the text: see ``FTS5/localized(_:locale:)``.
    ///
    /// ```swift
    /// .stopWords(byLocale: ["en": ["the", "of"], "de": ["der", "die", "das"], "": []])
    /// // "The theory of the firm", en_GB   theory firm
    /// ```
    ///
    /// - Parameters:
    ///   - words: the words, by a locale (`de_AT`) or by its language (`de`). Those of the empty name are for texts of
    ///     other locales, and without one.
    ///   - name: the name of the tokenizer: each list needs its own.
    public static func stopWords(
        byLocale words: [String: [String]], named name: String = "stop_words"
    ) -> FTS5TokenizerModule {
        FTS5TokenizerModule(wrappingAs: name) { wrapped in try StopWordTokenizer(wrapped, words) }
    }

    /// Words that most English texts have.
    public static let englishStopWords: Set<String> = [
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "from", "had", "has", "have", "he", "her", "his",
        "if", "in", "into", "is", "it", "its", "no", "not", "of", "on", "or", "she", "so", "such", "that", "the",
        "their", "then", "there", "these", "they", "this", "to", "was", "were", "which", "will", "with",
    ]
}

private final class StopWordTokenizer: TokenFilter {
    private let wordsByLocale: [String: TokenTable<Void>]

    /// The words of texts without locale.
    private let words: TokenTable<Void>

    /// Whether the last token that isn't a synonym was left out.
    private var hasLeftOut = false

    init(_ tokenizer: any FTS5Tokenizer, _ words: [String: [String]]) throws {
        let wrapped = WrappedTokenizer(tokenizer)
        wordsByLocale = try words.mapValues { words in
            let tokens = try words.flatMap { try wrapped.tokens(of: $0) }
            return TokenTable(Dictionary(tokens.map { ($0, ()) }, uniquingKeysWith: { first, _ in first }))
        }
        self.words = wordsByLocale[""] ?? TokenTable([:])
        super.init(wrapped)
    }

    override func accept(
        _ token: RawToken, isPrefix: Bool, in text: TokenizedText, _ pass: (RawToken) throws -> Void
    ) throws {
        let isStopWord = !isPrefix && words(for: text.locale)[token.bytes] != nil
        let isSynonym = token.flags.contains(.colocated)
        if !isSynonym { hasLeftOut = isStopWord }
        // In a pattern, the synonym of a stop word would be taken for a word of its own: documents don't have its position.
        let hasLostPosition = isSynonym && hasLeftOut && text.tokenization.contains(.query)
        if !isStopWord && !hasLostPosition { try pass(token) }
    }

    private func words(for locale: UnsafeRawBufferPointer) -> TokenTable<Void> {
        if !locale.isEmpty {
            let locale = String(decoding: locale, as: UTF8.self)
            if let words = wordsByLocale[locale] { return words }
            let language = locale.prefix { $0 != "_" && $0 != "-" }
            if let words = wordsByLocale[String(language)] { return words }
        }
        return words
    }
}
