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

        var source: Range<Int> { sourceStart..<sourceStart + sourceCount }
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

    // MARK: From the source to the text

    /// A mark of the source, with offsets in the text. Nil if it marks no part of the text.
    func place(_ mark: MarkedBytes.Mark) -> MarkedBytes.Mark? {
        let parts = parts(in: mark.start..<mark.end)
        guard let first = parts.first, let last = parts.last else { return nil }
        let start = first.start + (first.isCopy ? max(0, mark.start - first.sourceStart) : 0)
        let end = last.isCopy ? last.start + min(last.sourceCount, mark.end - last.sourceStart) : self.end(of: parts)
        return MarkedBytes.Mark(phrase: mark.phrase, start: start, end: end)
    }

    /// The parts of a range of the source that are in the text, except for tags that became spaces. Adjacent parts are
    /// merged.
    func visibleRanges(_ range: Range<Int>, of source: UnsafeRawBufferPointer) -> [Range<Int>] {
        if range.isEmpty { return [] }
        var ranges: [Range<Int>] = []
        for part in parts(in: range) where part.isCopy || source[part.sourceStart] != UInt8(ascii: "<") {
            let visible = part.source.clamped(to: range)
            if let last = ranges.last, last.upperBound == visible.lowerBound {
                ranges[ranges.count - 1] = last.lowerBound..<visible.upperBound
            } else {
                ranges.append(visible)
            }
        }
        return ranges
    }

    /// The parts that overlap a range of the source.
    private func parts(in range: Range<Int>) -> ArraySlice<Part> {
        let start = firstIndex { $0.source.upperBound > range.lowerBound }
        return parts[start..<max(start, firstIndex { $0.sourceStart >= range.upperBound })]
    }

    /// The index of the first part that meets a condition, which all parts after it meet as well.
    private func firstIndex(where condition: (Part) -> Bool) -> Int {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if condition(parts[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The offset in the text at which some of its parts end.
    private func end(of parts: ArraySlice<Part>) -> Int {
        parts.endIndex < self.parts.count ? self.parts[parts.endIndex].start : bytes.count
    }

    // MARK: From the text to the source

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
