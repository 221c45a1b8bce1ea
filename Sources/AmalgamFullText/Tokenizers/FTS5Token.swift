import AmalgamCore

/// A token, and where it is in its text.
public struct FTS5Token: Hashable, Sendable {
    /// The token.
    public let text: String

    /// What is special about it.
    public let flags: FTS5TokenFlags

    /// Its place in the text: between characters.
    public let range: Range<String.Index>
}

extension FTS5TokenFlags: Hashable {}

extension String {
    /// The whole characters that these UTF-8 bytes of the string are a part of. What is outside of the string is left out.
    func range(ofBytes bytes: Range<Int>) -> Range<String.Index> {
        let bytes = bytes.clamped(to: 0..<utf8.count)
        let start = utf8.index(startIndex, offsetBy: bytes.lowerBound)
        let end = utf8.index(start, offsetBy: bytes.count)
        let wholeEnd = characterStart(end)
        return characterStart(start)..<(wholeEnd < end ? index(after: wholeEnd) : wholeEnd)
    }

    /// Where the character at a place begins.
    private func characterStart(_ place: Index) -> Index {
        place < endIndex ? index(before: index(after: place)) : endIndex
    }
}
