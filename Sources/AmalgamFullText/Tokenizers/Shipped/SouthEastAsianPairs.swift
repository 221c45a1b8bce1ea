import AmalgamCore

extension FTS5TokenizerModule {
    /// Returns a tokenizer for Thai, Lao, Khmer and Burmese text, which is written without spaces between words: each
    /// pair of adjacent characters is a token. The wrapped tokenizer receives the rest of the text, and digits.
    ///
    /// ```swift
    /// let pairs = FTS5TokenizerModule.southEastAsianPairs()
    /// // "กินข้าว ok"   กิน|กิ นข้|น ข้า|ข้ าว|า ว ok
    /// ```
    ///
    /// In the example, `|` separates tokens with the same position. A character is a letter with its marks: a grapheme
    /// cluster, by a fixed table, so that an index doesn't depend on the version of Unicode. In Khmer and Burmese,
    /// consonants that are stacked are one character. Zero-width spaces, which separate words in some documents only,
    /// are ignored, like the other invisible characters within such text.
    ///
    /// A pattern matches text with the same sequence of characters, as with ``cjkBigrams(named:)``. It also matches if
    /// the sequence begins or ends within a word.
    ///
    /// Without this tokenizer, `unicode61` divides such text at its vowel signs, and finds whole phrases only.
    public static func southEastAsianPairs(named name: String = "south_east_asian_pairs") -> FTS5TokenizerModule {
        FTS5TokenizerModule(wrappingAs: name) { wrapped in
            PairTokenizer<SouthEastAsianScript>(WrappedTokenizer(wrapped))
        }
    }
}

/// Thai, Lao, Khmer and Burmese. The marks are the code points with the property `Grapheme_Cluster_Break` of `Extend` or
/// `SpacingMark`: <https://www.unicode.org/reports/tr29/>.
enum SouthEastAsianScript: PairedScript {
    static var firstByte: UInt8 { 0xE0 }

    static func kind(of scalar: UInt32) -> PairedScalar {
        switch scalar {
        case 0x0E01...0x0E7F: thai(scalar)
        case 0x0E80...0x0EFF: lao(scalar)
        case 0x1000...0x109F, 0xA9E0...0xA9FF, 0xAA60...0xAA7F: burmese(scalar)
        case 0x1780...0x17FF: khmer(scalar)
        case 0x200B...0x200D, 0x2060: .ignored
        default: .foreign
        }
    }

    private static func thai(_ scalar: UInt32) -> PairedScalar {
        switch scalar {
        case 0x0E31, 0x0E33...0x0E3A, 0x0E47...0x0E4E: .mark
        case 0x0E01...0x0E30, 0x0E32, 0x0E40...0x0E46: .letter
        default: .foreign
        }
    }

    private static func lao(_ scalar: UInt32) -> PairedScalar {
        switch scalar {
        case 0x0EB1, 0x0EB3...0x0EBC, 0x0EC8...0x0ECE: .mark
        case 0x0E81...0x0EB0, 0x0EB2, 0x0EBD, 0x0EC0...0x0EC6, 0x0EDC...0x0EDF: .letter
        default: .foreign
        }
    }

    private static func khmer(_ scalar: UInt32) -> PairedScalar {
        switch scalar {
        case 0x17D2: .joiner
        case 0x17B4...0x17D3, 0x17DD: .mark
        case 0x1780...0x17B3, 0x17D7, 0x17DC: .letter
        default: .foreign
        }
    }

    private static func burmese(_ scalar: UInt32) -> PairedScalar {
        switch scalar {
        case 0x1039: .joiner
        case 0x102D...0x1037, 0x103A...0x103E, 0x1056...0x1059, 0x105E...0x1060, 0x1071...0x1074, 0x1082,
            0x1084...0x1086, 0x108D, 0x109D, 0xA9E5, 0xAA7C:
            .mark
        case 0x1040...0x104F, 0x1090...0x1099, 0x109E...0x109F, 0xA9F0...0xA9F9, 0xA9FF, 0xAA77...0xAA79: .foreign
        default: .letter
        }
    }
}
