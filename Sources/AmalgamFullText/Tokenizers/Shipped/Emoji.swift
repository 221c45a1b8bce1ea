import AmalgamCore

extension FTS5TokenizerModule {
    /// Returns a tokenizer with which emoji can be searched: each emoji is a token. The wrapped tokenizer receives the
    /// rest of the text.
    ///
    /// ```swift
    /// let emoji = FTS5TokenizerModule.emoji()
    /// // "Pizza🍕 👍🏽 👩‍💻"   pizza 🍕 👍🏽|👍 👩‍💻
    /// ```
    ///
    /// In the example, `|` separates tokens with the same position: the pattern `👍` matches all skin tones, and `👍🏽`
    /// matches one. Flags, keycaps, and sequences with zero-width joiners are one token. Variation selectors are
    /// ignored. Symbols that are usually text, such as `©` and `↔`, are emoji if a variation selector follows them.
    ///
    /// The emoji are in a fixed table, which includes the code points that Unicode reserves for emoji, so that an index
    /// doesn't depend on the version of Unicode.
    public static func emoji(named name: String = "emoji") -> FTS5TokenizerModule {
        FTS5TokenizerModule(wrappingAs: name) { wrapped in EmojiTokenizer(WrappedTokenizer(wrapped)) }
    }
}

final class EmojiTokenizer: SegmentTokenizer {
    override func nextSegment(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        var position = start
        while position < bytes.count {
            let byte = bytes[position]
            if byte >= 0xC2 || byte.mayBeKeycap && position + 3 < bytes.count && bytes[position + 1] >= 0xE2 {
                if let end = bytes.endOfEmoji(from: position) { return position..<end }
                position += bytes.scalar(at: position).count
            } else {
                position += 1
            }
        }
        return nil
    }

    override func passSegment(
        _ range: Range<Int>, of text: TokenizedText, to body: (RawToken) throws -> Void
    ) throws -> KeptToken? {
        let (emoji, plain) = text.bytes.emojiToken(range)
        try emoji.withUnsafeBytes { bytes in
            try body(RawToken(bytes: bytes, start: range.lowerBound, end: range.upperBound))
        }
        if plain != emoji, !plain.isEmpty, !text.tokenization.contains(.query) {
            try plain.withUnsafeBytes { bytes in
                try body(
                    RawToken(bytes: bytes, flags: .colocated, start: range.lowerBound, end: range.upperBound))
            }
        }
        return nil
    }
}

extension UnsafeRawBufferPointer {
    /// The end of the emoji that begins at an offset; nil if none does. This is the grammar of Unicode's emoji:
    /// <https://www.unicode.org/reports/tr51/#EBNF_and_Regex>.
    fileprivate func endOfEmoji(from start: Int) -> Int? {
        if self[start] < 0x80 { return endOfKeycap(from: start) }
        guard var end = endOfElement(from: start) else { return nil }
        while let (scalar, next) = scalarIfPresent(at: end), scalar == 0x200D, let more = endOfElement(from: next) {
            end = more
        }
        return end
    }

    private func scalarIfPresent(at position: Int) -> (scalar: UInt32, end: Int)? {
        guard position < count else { return nil }
        let (scalar, count) = scalar(at: position)
        return (scalar, position + count)
    }

    private func endOfKeycap(from start: Int) -> Int? {
        guard self[start].mayBeKeycap, var (scalar, end) = scalarIfPresent(at: start + 1) else { return nil }
        if scalar.isVariationSelector, let next = scalarIfPresent(at: end) { (scalar, end) = next }
        return scalar == 0x20E3 ? end : nil
    }

    /// The end of an emoji with its variation selector, skin tone or tags, or of a flag.
    private func endOfElement(from start: Int) -> Int? {
        guard let (first, firstEnd) = scalarIfPresent(at: start) else { return nil }
        if first.isRegionalIndicator {
            guard let (second, end) = scalarIfPresent(at: firstEnd), second.isRegionalIndicator else { return firstEnd }
            return end
        }
        let next = scalarIfPresent(at: firstEnd)
        guard first.isEmoji || first.isTextSymbol && next?.scalar == 0xFE0F else { return nil }
        var end = firstEnd
        while let (scalar, next) = scalarIfPresent(at: end),
            scalar.isVariationSelector || scalar.isSkinTone || scalar.isEmojiTag
        {
            end = next
        }
        return end
    }

    /// The token of an emoji, which has no variation selectors, and the token without skin tones.
    fileprivate func emojiToken(_ range: Range<Int>) -> (emoji: [UInt8], plain: [UInt8]) {
        var (emoji, plain): ([UInt8], [UInt8]) = ([], [])
        var position = range.lowerBound
        while position < range.upperBound {
            let (scalar, count) = scalar(at: position)
            let bytes = self[position..<position + count]
            if !scalar.isVariationSelector {
                emoji += bytes
                // A skin tone alone is an emoji.
                if !scalar.isSkinTone || position == range.lowerBound { plain += bytes }
            }
            position += count
        }
        return (emoji, plain)
    }
}

extension UInt8 {
    fileprivate var mayBeKeycap: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || self == UInt8(ascii: "#") || self == UInt8(ascii: "*")
    }
}

extension UInt32 {
    fileprivate var isVariationSelector: Bool { self == 0xFE0E || self == 0xFE0F }

    fileprivate var isSkinTone: Bool { (0x1F3FB...0x1F3FF).contains(self) }

    fileprivate var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(self) }

    fileprivate var isEmojiTag: Bool { (0xE0020...0xE007F).contains(self) }

    /// Whether the code point is an emoji or a similar symbol, also without a variation selector.
    fileprivate var isEmoji: Bool {
        switch self {
        case 0x231A...0x231B, 0x23E9...0x23EC, 0x23F0, 0x23F3, 0x25FD...0x25FE, 0x2600...0x2767, 0x2794...0x27BF,
            0x2B1B...0x2B1C, 0x2B50, 0x2B55, 0x1F000...0x1F0FF, 0x1F10D...0x1F10F, 0x1F12F, 0x1F16C...0x1F171,
            0x1F17E...0x1F17F, 0x1F18E, 0x1F191...0x1F1E5, 0x1F200...0x1F2FF, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
            0x1F774...0x1F77F, 0x1F7D5...0x1F7FF, 0x1F90C...0x1FAFF, 0x1FC00...0x1FFFD:
            true
        default: false
        }
    }

    /// Whether the code point is an emoji only if a variation selector follows.
    fileprivate var isTextSymbol: Bool {
        switch self {
        case 0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, 0x2194...0x2199, 0x21A9...0x21AA, 0x2328, 0x23CF,
            0x23ED...0x23EF, 0x23F1...0x23F2, 0x23F8...0x23FA, 0x24C2, 0x25AA...0x25AB, 0x25B6, 0x25C0,
            0x25FB...0x25FC, 0x2934...0x2935, 0x2B05...0x2B07, 0x3030, 0x303D, 0x3297, 0x3299:
            true
        default: false
        }
    }
}
