import AmalgamCore

/// A token, and the part of the string that the tokenizer has reported for it.
///
/// The part is extended to whole Unicode scalars, and not to whole characters as the range of an ``FTS5Token``: in the scripts
/// of India, one character may have several tokens. The part can be tokenized again.
struct TokenWord {
    var token: String
    var flags: FTS5TokenFlags

    /// The part of the string.
    var word: String

    /// The number of bytes before the part.
    var start: Int
}

extension FTS5Tokenizer {
    /// Returns the tokens of a string, with the part of the string for each of them.
    ///
    /// - Throws: The error of the tokenizer; `SQLITE_ERROR` if a token ends before it begins.
    func words(of text: String, for tokenization: FTS5Tokenization) throws -> [TokenWord] {
        let byteCount = text.utf8.count
        return try tokens(of: text, for: tokenization, locale: nil) { token in
            let range = text.scalars(ofBytes: try token.place(inTextOf: byteCount))
            return TokenWord(
                token: String(decoding: token.bytes, as: UTF8.self), flags: token.flags,
                word: String(text.unicodeScalars[range]),
                start: text.utf8.distance(from: text.startIndex, to: range.lowerBound))
        }
    }
}

extension String {
    /// Converts a range of UTF-8 bytes to a range of the string, extended to whole Unicode scalars. Bytes outside of the
    /// string are ignored.
    func scalars(ofBytes bytes: Range<Int>) -> Range<String.Index> {
        let bytes = bytes.clamped(to: 0..<utf8.count)
        var start = utf8.index(startIndex, offsetBy: bytes.lowerBound)
        var end = utf8.index(start, offsetBy: bytes.count)
        while start > startIndex, isInsideScalar(start) { start = utf8.index(before: start) }
        while isInsideScalar(end) { end = utf8.index(after: end) }
        return start..<end
    }

    private func isInsideScalar(_ place: String.Index) -> Bool { place < endIndex && utf8[place] & 0xC0 == 0x80 }
}
