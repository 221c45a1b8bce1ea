import AmalgamCore

extension FTS5TokenizerModule {
    /// Finds names in programs by their parts, and as a whole.
    ///
    /// ```swift
    /// .identifiers()
    /// // "let userID = parse_HTTPHeader()"   let user|userid id parse|parsehttpheader http header
    /// ```
    ///
    /// A pattern `HTTPHeader`, `http_header` or `"http header"` finds all three ways to write it, and `parsehttpheader`
    /// finds the whole name. Parts end at `_`, and where a capital letter follows a small one or a digit, or begins a word
    /// after an acronym. Each part is given to the wrapped tokenizer.
    public static func identifiers(named name: String = "identifiers") -> FTS5TokenizerModule {
        FTS5TokenizerModule(wrappingAs: name) { wrapped in IdentifierTokenizer(WrappedTokenizer(wrapped)) }
    }
}

private final class IdentifierTokenizer: SegmentTokenizer {
    /// The next name that has several parts.
    override func nextSegment(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        var position = start
        while position < bytes.count {
            let (isPart, count) = bytes.nameCharacter(at: position)
            guard isPart else {
                position += count
                continue
            }
            let end = bytes.endOfName(from: position)
            if IdentifierParts(bytes, position..<end).isCompound { return position..<end }
            position = end
        }
        return nil
    }

    override func passSegment(
        _ range: Range<Int>, of text: TokenizedText, to body: (RawToken) throws -> Void
    ) throws {
        var tokens: [KeptToken] = []
        for part in IdentifierParts(text.bytes, range) {
            try passRest(part, of: text) { tokens.append(KeptToken($0)) }
        }
        let parts = tokens.filter { !$0.isColocated }
        for (index, token) in tokens.enumerated() {
            try token.withRawToken(body)
            guard index == 0, parts.count > 1, !text.tokenization.contains(.query) else { continue }
            try parts.flatMap(\.bytes).withUnsafeBytes { whole in
                try body(
                    RawToken(bytes: whole, flags: .colocated, start: token.start, end: parts[parts.count - 1].end))
            }
        }
    }
}

/// The parts of a name, one after the other.
private struct IdentifierParts: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private let end: Int
    private var position: Int

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    var isCompound: Bool {
        var parts = self
        return parts.next() != nil && parts.next() != nil
    }

    mutating func next() -> Range<Int>? {
        while position < end, bytes[position] == underscore { position += 1 }
        guard position < end else { return nil }
        let start = position
        repeat { position += 1 } while position < end && !isBorder
        return start..<position
    }

    /// Whether a part ends before the byte at `position`.
    private var isBorder: Bool {
        let byte = bytes[position]
        if byte == underscore { return true }
        guard byte.isCapital else { return false }
        let previous = bytes[position - 1]
        if !previous.isCapital { return true }
        // The last capital letter of "HTTPHeader" begins a word.
        return position + 1 < end && bytes[position + 1].isSmall
    }
}

private let underscore = UInt8(ascii: "_")

extension UInt8 {
    fileprivate var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }

    fileprivate var isSmall: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }

    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension UnsafeRawBufferPointer {
    /// Whether the character at a place may be part of a name, and how many bytes it has.
    fileprivate func nameCharacter(at position: Int) -> (isPart: Bool, count: Int) {
        let byte = self[position]
        if byte < 0x80 { return (byte.isSmall || byte.isCapital || byte.isDigit || byte == underscore, 1) }
        let (value, count) = scalar(at: position)
        guard count > 1, let properties = Unicode.Scalar(value)?.properties else { return (false, count) }
        return (properties.isAlphabetic || properties.canonicalCombiningClass != .notReordered, count)
    }

    fileprivate func endOfName(from start: Int) -> Int {
        var position = start
        while position < count {
            let (isPart, count) = nameCharacter(at: position)
            if !isPart { break }
            position += count
        }
        return position
    }
}
