import AmalgamCore

/// A tokenizer that handles some segments of the text itself, and passes the rest to a wrapped tokenizer.
class SegmentTokenizer: ByteTokenizer {
    let wrapped: WrappedTokenizer

    init(_ wrapped: WrappedTokenizer) {
        self.wrapped = wrapped
    }

    /// The next segment that this tokenizer handles.
    func nextSegment(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? { nil }

    /// Passes the tokens of a segment to a closure, with offsets in the whole text.
    ///
    /// - Returns: A last token that the caller must pass only if another token follows; nil if all tokens were passed.
    func passSegment(
        _ range: Range<Int>, of text: TokenizedText, to body: (RawToken) throws -> Void
    ) throws -> KeptToken? { nil }

    final func passTokens(of text: TokenizedText, to body: (RawToken) throws -> Void) throws {
        var pending: KeptToken?
        func pass(_ token: RawToken) throws {
            if let last = pending {
                pending = nil
                try last.withRawToken(body)
            }
            try body(token)
        }
        var start = 0
        while let segment = nextSegment(in: text.bytes, from: start) {
            if segment.lowerBound > start { try passRest(start..<segment.lowerBound, of: text, to: pass) }
            pending = try passSegment(segment, of: text.part(segment), to: pass)
            start = segment.upperBound
        }
        if start < text.bytes.count { try passRest(start..<text.bytes.count, of: text, to: pass) }
        if let last = pending, text.isContinued { try last.withRawToken(body) }
    }

    /// Passes a range of the text to the wrapped tokenizer.
    final func passRest(_ range: Range<Int>, of text: TokenizedText, to body: (RawToken) throws -> Void) throws {
        var part = text.part(range)
        part.bytes = UnsafeRawBufferPointer(rebasing: text.bytes[range])
        try wrapped.passTokens(of: part) { token in
            var token = token
            token.start += range.lowerBound
            token.end += range.lowerBound
            try body(token)
        }
    }
}

extension TokenizedText {
    /// The text with the tokenization of one of its segments: only the last segment can end with a prefix. A segment
    /// follows all others.
    fileprivate func part(_ range: Range<Int>) -> TokenizedText {
        var text = self
        if range.upperBound < bytes.count {
            text.tokenization.remove(.prefix)
            text.isContinued = true
        }
        return text
    }
}
