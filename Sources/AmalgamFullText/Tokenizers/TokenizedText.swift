import AmalgamCore

/// A text to tokenize. It is valid while the tokenizer runs.
struct TokenizedText {
    /// The UTF-8 bytes of the text. They haven't been validated.
    var bytes: UnsafeRawBufferPointer

    /// The reason for tokenizing the text.
    var tokenization: FTS5Tokenization

    /// The UTF-8 bytes of the locale's name; empty for text without a locale.
    var locale: UnsafeRawBufferPointer

    /// Whether the text is a part of a longer one, and a token of a wrapping tokenizer follows it.
    var isContinued = false

    init(
        bytes: UnsafeRawBufferPointer, tokenization: FTS5Tokenization,
        locale: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        self.bytes = bytes
        self.tokenization = tokenization
        self.locale = locale
    }

    init(
        _ text: UnsafePointer<CChar>?, _ count: CInt, _ tokenization: FTS5Tokenization, locale: UnsafePointer<CChar>?,
        _ localeCount: CInt
    ) {
        self.init(
            bytes: UnsafeRawBufferPointer(text, count), tokenization: tokenization,
            locale: UnsafeRawBufferPointer(locale, localeCount))
    }

    /// The text with different bytes.
    func with(bytes: UnsafeRawBufferPointer) -> TokenizedText {
        var text = self
        text.bytes = bytes
        return text
    }
}

extension UnsafeRawBufferPointer {
    fileprivate init(_ start: UnsafePointer<CChar>?, _ count: CInt) {
        self.init(start: start, count: start == nil ? 0 : Int(Swift.max(0, count)))
    }

    /// The bytes as a C pointer that isn't null.
    var cText: UnsafePointer<CChar> {
        (baseAddress ?? UnsafeRawPointer(StaticString("").utf8Start)).assumingMemoryBound(to: CChar.self)
    }
}

/// A token that a tokenizer passes to a receiver. It is valid during the call.
struct RawToken {
    /// The UTF-8 bytes of the token.
    var bytes: UnsafeRawBufferPointer

    var flags: FTS5TokenFlags

    /// The start offset of the token in the text, in bytes.
    var start: Int

    /// The end offset of the token in the text, in bytes.
    var end: Int

    init(bytes: UnsafeRawBufferPointer, flags: FTS5TokenFlags = [], start: Int, end: Int) {
        self.bytes = bytes
        self.flags = flags
        self.start = start
        self.end = end
    }

    /// The byte range of the token in text of the given size. The range may be outside of the text.
    ///
    /// - Throws: `SQLITE_ERROR` if the token ends before it begins.
    func place(inTextOf byteCount: Int) throws -> Range<Int> {
        guard start <= end else { throw DatabaseError.misplacedToken(start, end, textCount: byteCount) }
        return start..<end
    }
}
