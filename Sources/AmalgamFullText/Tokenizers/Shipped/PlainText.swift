import AmalgamCore

/// A text made of parts of another one, which knows where they come from.
///
/// A tokenizer of HTML or JSON gives it to the wrapped tokenizer, and translates the places of tokens back.
struct PlainText {
    /// A part: bytes that were copied one by one, or bytes that stand for others as a whole.
    private struct Part {
        let start: Int
        let sourceStart: Int
        let sourceCount: Int
        let isCopy: Bool
    }

    private(set) var bytes: [UInt8] = []
    private var parts: [Part] = []

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// Copies a part of the source.
    mutating func append(_ range: Range<Int>, of source: UnsafeRawBufferPointer) {
        guard !range.isEmpty else { return }
        parts.append(
            Part(start: bytes.count, sourceStart: range.lowerBound, sourceCount: range.count, isCopy: true))
        bytes.append(contentsOf: source[range])
    }

    /// Writes a character that stands for a part of the source.
    mutating func append(_ scalar: Unicode.Scalar, for range: Range<Int>) {
        parts.append(
            Part(start: bytes.count, sourceStart: range.lowerBound, sourceCount: range.count, isCopy: false))
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encode("\u{FFFD}")!)
    }

    /// Ends a word.
    mutating func appendSpace(for range: Range<Int>) {
        if bytes.last != UInt8(ascii: " ") { append(" ", for: range) }
    }

    /// Passes the tokens of the text, with their places in the source.
    func passTokens(
        of source: TokenizedText, by tokenizer: WrappedTokenizer, to body: (RawToken) throws -> Void
    ) throws {
        try bytes.withUnsafeBytes { bytes in
            try tokenizer.passTokens(of: source.with(bytes: bytes)) { token in
                var token = token
                guard 0 <= token.start, token.start <= token.end, token.end <= bytes.count else {
                    throw DatabaseError.misplacedToken(token.start, token.end, textCount: bytes.count)
                }
                let start = token.start < bytes.count ? sourceStart(token.start) : source.bytes.count
                token.end = token.start < token.end ? sourceEnd(token.end) : start
                token.start = start
                try body(token)
            }
        }
    }

    private func sourceStart(_ place: Int) -> Int {
        let part = part(at: place)
        return part.isCopy ? part.sourceStart + place - part.start : part.sourceStart
    }

    private func sourceEnd(_ place: Int) -> Int {
        let part = part(at: place - 1)
        return part.sourceStart + (part.isCopy ? place - part.start : part.sourceCount)
    }

    /// The part that has a byte.
    private func part(at place: Int) -> Part {
        var (low, high) = (0, parts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if parts[middle].start <= place { low = middle } else { high = middle }
        }
        return parts[low]
    }
}

/// A tokenizer of texts that are written in a language: what is said in it is given to another tokenizer.
///
/// Patterns are not written in that language.
class MarkupTokenizer: ByteTokenizer {
    private let wrapped: WrappedTokenizer

    init(_ wrapped: any FTS5Tokenizer) {
        self.wrapped = WrappedTokenizer(wrapped)
    }

    /// What a text says; nil when it is plain text.
    func plainText(of bytes: UnsafeRawBufferPointer) -> PlainText? { nil }

    final func passTokens(of text: TokenizedText, to body: (RawToken) throws -> Void) throws {
        if !text.tokenization.contains(.query), let plainText = plainText(of: text.bytes) {
            try plainText.passTokens(of: text, by: wrapped, to: body)
        } else {
            try wrapped.passTokens(of: text, to: body)
        }
    }
}
