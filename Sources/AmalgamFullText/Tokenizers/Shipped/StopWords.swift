import AmalgamCore

extension FTS5TokenizerModule {
    /// Returns a tokenizer that omits stop words, in documents and in patterns. This makes the index smaller, and only
    /// the other words influence the ranks of rows.
    ///
    /// ```swift
    /// let stopWords = FTS5TokenizerModule.stopWords(["the", "of"])
    /// // "The theory of the firm"   theory firm
    /// ```
    ///
    /// Words are compared after the wrapped tokenizer has processed them, so that `unicode61` makes the comparison
    /// case-insensitive. Omitted words have no position: the phrase "theory firm" matches the text of the example. A
    /// prefix, as in `th*`, is never a stop word. A pattern that consists only of stop words matches nothing.
    ///
    /// - Parameters:
    ///   - words: The stop words. For English, use ``englishStopWords``.
    ///   - name: The name of the tokenizer. Tokenizers with different lists need different names.
    public static func stopWords(
        _ words: some Sequence<String>, named name: String = "stop_words"
    ) -> FTS5TokenizerModule {
        stopWords(byLocale: ["": Array(words)], named: name)
    }

    /// Returns a tokenizer that omits the stop words of the text's locale: see ``FTS5/localized(_:locale:)``.
    ///
    /// ```swift
    /// let stopWords = FTS5TokenizerModule.stopWords(
    ///     byLocale: ["en": ["the", "of"], "de": ["der", "die", "das"], "": []])
    /// // "The theory of the firm", en_GB   theory firm
    /// ```
    ///
    /// - Parameters:
    ///   - words: The stop words by locale (`de_AT`) or language (`de`). The key "" is for text with any other locale,
    ///     and for text without a locale.
    ///   - name: The name of the tokenizer. Tokenizers with different lists need different names.
    public static func stopWords(
        byLocale words: [String: [String]], named name: String = "stop_words"
    ) -> FTS5TokenizerModule {
        FTS5TokenizerModule(wrappingAs: name) { wrapped in try StopWordTokenizer(wrapped, words) }
    }

    /// Common English stop words.
    public static let englishStopWords: Set<String> = [
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "from", "had", "has", "have", "he", "her", "his",
        "if", "in", "into", "is", "it", "its", "no", "not", "of", "on", "or", "she", "so", "such", "that", "the",
        "their", "then", "there", "these", "they", "this", "to", "was", "were", "which", "will", "with",
    ]
}

private final class StopWordTokenizer: TokenFilter {
    private let wordsByLocale: [String: TokenTable<Void>]

    /// The stop words for text without a locale.
    private let words: TokenTable<Void>

    /// Whether the last token that isn't a synonym was omitted.
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
        // FTS5 would search for a synonym of an omitted stop word at a position that documents don't have. Therefore,
        // patterns also omit the synonym.
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
