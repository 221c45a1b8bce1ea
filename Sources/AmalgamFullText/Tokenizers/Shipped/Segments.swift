import AmalgamCore

/// A tokenizer that handles parts of a text by itself, and gives the rest to another tokenizer.
class SegmentTokenizer: ByteTokenizer {
    let wrapped: WrappedTokenizer

    init(_ wrapped: WrappedTokenizer) {
        self.wrapped = wrapped
    }

    /// The next part of a text that is to be handled here.
    func nextSegment(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? { nil }

    /// Passes the tokens of such a part. Places are those in the whole text.
    ///
    /// - Returns: a token that ends the part if another token of the text follows, and is left out otherwise.
    func passSegment(
        _ range: Range<Int>, of text: TokenizedText, to body: (RawToken) throws -> Void
    ) throws -> RawToken? { nil }

    final func passTokens(of text: TokenizedText, to body: (RawToken) throws -> Void) throws {
        var pending: RawToken?
        func pass(_ token: RawToken) throws {
            if let last = pending {
                pending = nil
                try body(last)
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
    }

    /// Gives a part of a text to the other tokenizer.
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
    /// The text, as it is asked for a part of it: the last token is a prefix in the last part only.
    fileprivate func part(_ range: Range<Int>) -> TokenizedText {
        var text = self
        if range.upperBound < bytes.count { text.tokenization.remove(.prefix) }
        return text
    }
}
