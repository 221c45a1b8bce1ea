extension FTS5TokenizerModule {
    /// Returns a tokenizer for text in several writing systems: it combines ``cjkBigrams(named:)``,
    /// ``southEastAsianPairs(named:)`` and ``emoji(named:)``. The wrapped tokenizer receives the rest of the text, such as
    /// words in Latin letters.
    ///
    /// ```swift
    /// let multilingual = FTS5TokenizerModule.multilingual()
    /// configuration.prepareDatabase { db in db.add(tokenizer: multilingual) }
    /// let tokenizer = multilingual.descriptor(wrapping: .unicode61(diacritics: .remove))
    /// // "東京Tower 🗼 กิน"   東京|東 京 tower 🗼 กิน|กิ น
    /// ```
    ///
    /// Words of different writing systems need no space between them: the patterns `東京tower` and `京t*` match the text
    /// of the example.
    public static func multilingual(named name: String = "multilingual") -> FTS5TokenizerModule {
        FTS5TokenizerModule(wrappingAs: name) { wrapped in
            let emoji = EmojiTokenizer(WrappedTokenizer(wrapped))
            let pairs = PairTokenizer<SouthEastAsianScript>(WrappedTokenizer(emoji))
            return PairTokenizer<CJKScript>(WrappedTokenizer(pairs))
        }
    }
}
