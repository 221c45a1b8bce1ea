import AmalgamCore

/// A writing system without spaces between words, whose text is indexed as pairs of adjacent characters.
protocol PairedScript {
    /// The first UTF-8 byte of all its code points is not smaller.
    static var firstByte: UInt8 { get }

    static func kind(of scalar: UInt32) -> PairedScalar
}

/// What a code point is to a writing system.
enum PairedScalar {
    /// A code point of a different writing system.
    case foreign

    /// The first code point of a character.
    case letter

    /// A code point that belongs to the character before it.
    case mark

    /// A mark that also joins the next letter to the character.
    case joiner

    /// A code point that isn't indexed, such as a zero-width space between words.
    case ignored
}

extension PairedScript {
    /// The next part of the text in this writing system.
    static func nextSegment(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        var position = start
        while position < bytes.count {
            if bytes[position] < firstByte {
                position += 1
                continue
            }
            let (scalar, count) = bytes.scalar(at: position)
            if kind(of: scalar) == .letter { return position..<end(of: bytes, from: position) }
            position += count
        }
        return nil
    }

    /// The end of the last character of the segment. Ignored code points after it are outside.
    private static func end(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var (position, end) = (start, start)
        while position < bytes.count {
            let (scalar, count) = bytes.scalar(at: position)
            let kind = self.kind(of: scalar)
            if kind == .foreign { break }
            position += count
            if kind != .ignored { end = position }
        }
        return end
    }

    /// The bytes without ignored code points.
    static func indexedBytes(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var indexed: [UInt8] = []
        var position = 0
        while position < bytes.count {
            let (scalar, count) = bytes.scalar(at: position)
            if kind(of: scalar) != .ignored { indexed += bytes[position..<position + count] }
            position += count
        }
        return indexed
    }
}

/// Indexes the text of a writing system as pairs of characters. The wrapped tokenizer receives the rest of the text.
final class PairTokenizer<Script: PairedScript>: SegmentTokenizer {
    override func nextSegment(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        Script.nextSegment(in: bytes, from: start)
    }

    /// In a document, a segment of n characters has n positions: n - 1 pairs, and the last character alone. At the end
    /// of a pattern, the last character alone is omitted: the last pair contains it. If another token follows in the
    /// pattern, the last character is passed, because it has its own position in documents.
    override func passSegment(
        _ range: Range<Int>, of text: TokenizedText, to body: (RawToken) throws -> Void
    ) throws -> KeptToken? {
        let (characters, hasIgnored) = self.characters(in: text.bytes, range)
        func withToken(
            _ range: Range<Int>, _ flags: FTS5TokenFlags = [], _ body: (RawToken) throws -> Void
        ) throws {
            let bytes = UnsafeRawBufferPointer(rebasing: text.bytes[range])
            let token = RawToken(bytes: bytes, flags: flags, start: range.lowerBound, end: range.upperBound)
            if !hasIgnored { return try body(token) }
            try Script.indexedBytes(of: bytes).withUnsafeBytes { bytes in
                var token = token
                token.bytes = bytes
                try body(token)
            }
        }
        let isQuery = text.tokenization.contains(.query)
        for (character, next) in zip(characters, characters.dropFirst()) {
            try withToken(character.lowerBound..<next.upperBound, [], body)
            if !isQuery { try withToken(character, .colocated, body) }
        }
        guard let last = characters.last else { return nil }
        var pending: KeptToken?
        try withToken(last) { token in
            if isQuery && characters.count > 1 { pending = KeptToken(token) } else { try body(token) }
        }
        return pending
    }

    /// The characters: letters with their marks. Ignored code points may be between them.
    private func characters(
        in bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) -> (characters: [Range<Int>], hasIgnored: Bool) {
        var characters: [Range<Int>] = []
        var (position, isJoined, hasIgnored) = (range.lowerBound, false, false)
        while position < range.upperBound {
            let (scalar, count) = bytes.scalar(at: position)
            let kind = Script.kind(of: scalar)
            if kind == .ignored {
                hasIgnored = true
            } else if let last = characters.last, kind != .letter || isJoined {
                characters[characters.count - 1] = last.lowerBound..<position + count
                isJoined = kind == .joiner
            } else {
                characters.append(position..<position + count)
            }
            position += count
        }
        return (characters, hasIgnored)
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
