import AmalgamCore

extension FTS5TokenizerModule {
    /// Returns a tokenizer for Chinese, Japanese and Korean text, which is written without spaces between words: each
    /// pair of adjacent characters is a token. The wrapped tokenizer receives the rest of the text.
    ///
    /// ```swift
    /// let bigrams = FTS5TokenizerModule.cjkBigrams()
    /// // "東京都 Tower"   東京|東 京都|京 都 tower
    /// ```
    ///
    /// In the example, `|` separates tokens with the same position. A pattern of two or more characters matches text
    /// with the same sequence of characters. A pattern of one character matches as well, because each character is also
    /// indexed, at the position of its pair. For such a pattern, `highlight()` marks two characters, and
    /// ``FTS5/markedText(_:)`` marks one. Patterns such as `東京2020` match documents with this string.
    ///
    /// ``multilingual(named:)`` adds Thai, Lao, Khmer, Burmese, and emoji.
    ///
    /// With `.trigram()`, patterns of less than three characters, such as most Chinese words, match nothing.
    public static func cjkBigrams(named name: String = "cjk_bigrams") -> FTS5TokenizerModule {
        FTS5TokenizerModule(wrappingAs: name) { wrapped in PairTokenizer<CJKScript>(WrappedTokenizer(wrapped)) }
    }
}

/// Chinese, Japanese and Korean.
enum CJKScript: PairedScript {
    static var firstByte: UInt8 { 0xE1 }

    static func kind(of scalar: UInt32) -> PairedScalar {
        scalar.isCJK ? .letter : scalar.extendsCJK ? .mark : .foreign
    }
}

extension UInt32 {
    /// Whether the code point is a Chinese, Japanese or Korean letter.
    fileprivate var isCJK: Bool {
        switch self {
        case 0x1100...0x11FF, 0x2E80...0x2FDF, 0x3005...0x3007, 0x3031...0x3035, 0x3041...0x3096, 0x309D...0x309F,
            0x30A1...0x30FA, 0x30FC...0x30FF, 0x3105...0x312F, 0x3131...0x318E, 0x31A0...0x31BF, 0x31F0...0x31FF,
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA960...0xA97C, 0xAC00...0xD7FB, 0xF900...0xFAFF, 0xFF66...0xFF9D,
            0x1B000...0x1B16F, 0x20000...0x323AF:
            true
        default: false
        }
    }

    /// Whether the code point modifies the previous letter: Japanese sound marks, and variation selectors.
    fileprivate var extendsCJK: Bool {
        switch self {
        case 0x3099...0x309A, 0xFE00...0xFE0F, 0xFF9E...0xFF9F, 0xE0100...0xE01EF: true
        default: false
        }
    }
}
