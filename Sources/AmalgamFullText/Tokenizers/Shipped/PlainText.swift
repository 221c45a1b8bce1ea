import AmalgamCore

/// Plain text that was extracted from a source, such as HTML or JSON.
///
/// The wrapped tokenizer receives the plain text. The ranges of the tokens are then converted to ranges in the source.
struct PlainText {
    /// A part of the text: a copy of source bytes, or a replacement for a range of the source.
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

    /// Copies a range of the source.
    mutating func append(_ range: Range<Int>, of source: UnsafeRawBufferPointer) {
        guard !range.isEmpty else { return }
        parts.append(
            Part(start: bytes.count, sourceStart: range.lowerBound, sourceCount: range.count, isCopy: true))
        bytes.append(contentsOf: source[range])
    }

    /// Appends a character that replaces a range of the source.
    mutating func append(_ scalar: Unicode.Scalar, for range: Range<Int>) {
        parts.append(
            Part(start: bytes.count, sourceStart: range.lowerBound, sourceCount: range.count, isCopy: false))
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encode("\u{FFFD}")!)
    }

    /// Appends a space that separates words, unless the text ends with one.
    mutating func appendSpace(for range: Range<Int>) {
        if bytes.last != UInt8(ascii: " ") { append(" ", for: range) }
    }

    /// Calls a closure with each token of the text, with its range in the source.
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

    /// The part that contains an offset.
    private func part(at place: Int) -> Part {
        var (low, high) = (0, parts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if parts[middle].start <= place { low = middle } else { high = middle }
        }
        return parts[low]
    }
}

/// A tokenizer of a markup language, which passes the plain text to a wrapped tokenizer.
///
/// Patterns are plain text, not markup.
class MarkupTokenizer: ByteTokenizer {
    private let wrapped: WrappedTokenizer

    init(_ wrapped: any FTS5Tokenizer) {
        self.wrapped = WrappedTokenizer(wrapped)
    }

    /// The plain text of markup; nil if the bytes contain no markup.
    func plainText(of bytes: UnsafeRawBufferPointer) -> PlainText? { nil }

    final func passTokens(of text: TokenizedText, to body: (RawToken) throws -> Void) throws {
        if !text.tokenization.contains(.query), let plainText = plainText(of: text.bytes) {
            try plainText.passTokens(of: text, by: wrapped, to: body)
        } else {
            try wrapped.passTokens(of: text, to: body)
        }
    }
}
