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
    /// With `.trigram()`, patterns of less than three characters, such as most Chinese words, match nothing.
    public static func cjkBigrams(named name: String = "cjk_bigrams") -> FTS5TokenizerModule {
        FTS5TokenizerModule(wrappingAs: name) { wrapped in BigramTokenizer(WrappedTokenizer(wrapped)) }
    }
}

private final class BigramTokenizer: SegmentTokenizer {
    override func nextSegment(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        var position = start
        while position < bytes.count {
            // CJK characters have three or four bytes.
            if bytes[position] < 0xE1 {
                position += 1
                continue
            }
            let (scalar, count) = bytes.scalar(at: position)
            if scalar.isCJK { return position..<end(of: bytes, from: position) }
            position += count
        }
        return nil
    }

    private func end(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position < bytes.count {
            let (scalar, count) = bytes.scalar(at: position)
            if !scalar.isCJK && !scalar.extendsCJK { break }
            position += count
        }
        return position
    }

    /// In a document, a segment of n characters has n positions: n - 1 pairs, and the last character alone. At the end
    /// of a pattern, the last character alone is omitted: the last pair contains it. If another token follows in the
    /// pattern, the last character is passed, because it has its own position in documents.
    override func passSegment(
        _ range: Range<Int>, of text: TokenizedText, to body: (RawToken) throws -> Void
    ) throws -> RawToken? {
        let characters = characters(in: text.bytes, range)
        let isQuery = text.tokenization.contains(.query)
        func token(_ range: Range<Int>, _ flags: FTS5TokenFlags = []) -> RawToken {
            RawToken(
                bytes: UnsafeRawBufferPointer(rebasing: text.bytes[range]), flags: flags, start: range.lowerBound,
                end: range.upperBound)
        }
        for (character, next) in zip(characters, characters.dropFirst()) {
            try body(token(character.lowerBound..<next.upperBound))
            if !isQuery { try body(token(character, .colocated)) }
        }
        guard let last = characters.last else { return nil }
        if isQuery && characters.count > 1 { return token(last) }
        try body(token(last))
        return nil
    }

    /// The characters, with the combining marks that follow them.
    private func characters(in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> [Range<Int>] {
        var characters: [Range<Int>] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let (scalar, count) = bytes.scalar(at: position)
            if scalar.extendsCJK, let last = characters.popLast() {
                characters.append(last.lowerBound..<position + count)
            } else {
                characters.append(position..<position + count)
            }
            position += count
        }
        return characters
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

extension UnsafeRawBufferPointer {
    /// The code point at an offset, and its number of UTF-8 bytes. Invalid UTF-8 is returned as single bytes.
    func scalar(at position: Int) -> (scalar: UInt32, count: Int) {
        let first = self[position]
        let count =
            switch first {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        guard count > 1, position + count <= self.count else { return (UInt32(first), 1) }
        var scalar = UInt32(first) & (0xFF >> UInt32(count + 1))
        for index in position + 1..<position + count {
            guard self[index] & 0xC0 == 0x80 else { return (UInt32(first), 1) }
            scalar = scalar << 6 | UInt32(self[index] & 0x3F)
        }
        return (scalar, count)
    }
}
