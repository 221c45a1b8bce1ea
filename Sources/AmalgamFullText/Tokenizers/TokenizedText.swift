import AmalgamCore

/// A text that becomes tokens. It is valid while the tokenizer runs.
struct TokenizedText {
    /// The UTF-8 bytes of the text. They may be those of anything: nobody has checked them.
    var bytes: UnsafeRawBufferPointer

    /// Why the text is tokenized.
    var tokenization: FTS5Tokenization

    /// The UTF-8 bytes of the locale's name; none for a text without locale.
    var locale: UnsafeRawBufferPointer

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

    /// The same text, or another one in its place, or a part of it.
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

    /// What C takes for these bytes: a pointer that is not null.
    var cText: UnsafePointer<CChar> {
        (baseAddress ?? UnsafeRawPointer(StaticString("").utf8Start)).assumingMemoryBound(to: CChar.self)
    }
}

/// A token on its way from a tokenizer to who receives it. It is valid during the call that passes it.
struct RawToken {
    /// The UTF-8 bytes of the token.
    var bytes: UnsafeRawBufferPointer

    var flags: FTS5TokenFlags

    /// Where the token begins in the text, in bytes.
    var start: Int

    /// Where the token ends in the text, in bytes.
    var end: Int

    init(bytes: UnsafeRawBufferPointer, flags: FTS5TokenFlags = [], start: Int, end: Int) {
        self.bytes = bytes
        self.flags = flags
        self.start = start
        self.end = end
    }

    /// The place of the token in a text of so many bytes. It may be outside of the text.
    ///
    /// - throws: `SQLITE_ERROR` for a token that ends before it begins.
    func place(inTextOf byteCount: Int) throws -> Range<Int> {
        guard start <= end else { throw DatabaseError.misplacedToken(start, end, textCount: byteCount) }
        return start..<end
    }
}
