import AmalgamCore

/// A token, with its range in the tokenized string.
///
/// ```swift
/// let text = "Gustave Doré"
/// for token in try db.makeTokenizer(.unicode61()).tokens(of: text, for: .document) {
///     print(token.text, text[token.range])   // gustave Gustave, dore Doré
/// }
/// ```
public struct FTS5Token: Hashable, Sendable {
    /// The token.
    public let text: String

    /// The flags of the token.
    public let flags: FTS5TokenFlags

    /// The range of the token in the string. It contains whole characters.
    public let range: Range<String.Index>
}

extension FTS5TokenFlags: Hashable {}

extension String {
    /// Converts a range of UTF-8 bytes to a range of the string, extended to whole characters. Bytes outside of the
    /// string are ignored.
    func range(ofBytes bytes: Range<Int>) -> Range<String.Index> {
        let bytes = bytes.clamped(to: 0..<utf8.count)
        let start = utf8.index(startIndex, offsetBy: bytes.lowerBound)
        let end = utf8.index(start, offsetBy: bytes.count)
        let wholeEnd = characterStart(end)
        return characterStart(start)..<(wholeEnd < end ? index(after: wholeEnd) : wholeEnd)
    }

    /// The start of the character at a position.
    private func characterStart(_ place: Index) -> Index {
        place < endIndex ? index(before: index(after: place)) : endIndex
    }
}
