import AmalgamCore

/// The byte ranges of the tokens in one column value, by the position of the token: 0 for the first token, and so on.
///
/// Several tokens may have the same position. Usually, as in the case of synonyms, they also have the same range. The
/// ranges may differ: for `URLSession`, the range of the token "url" is `URL`, and that of "urlsession" is the whole
/// identifier. FTS5 only reports the positions of matches. To find the range of a match, `place(at:matching:)` compares
/// the tokens at the position with the token of the pattern.
struct TokenPlaces {
    /// A token at a position whose tokens have different ranges.
    private struct Token {
        let bytes: [UInt8]
        let place: Range<Int>
    }

    /// The ranges of the first tokens of all positions.
    private var places: [Range<Int>] = []

    /// All tokens of the positions that have several ranges.
    private var tokens: [Int: [Token]] = [:]

    /// The first token of the last position.
    private var first: [UInt8] = []

    /// Whether the text has no further positions.
    var isComplete = true

    init() {}

    /// The number of positions.
    var count: Int { places.count }

    mutating func append(_ token: RawToken, at place: Range<Int>) {
        guard token.flags.contains(.colocated), let firstPlace = places.last else {
            places.append(place)
            first.removeAll(keepingCapacity: true)
            return first.append(contentsOf: token.bytes)
        }
        guard place != firstPlace else { return }
        tokens[places.count - 1, default: [Token(bytes: first, place: firstPlace)]]
            .append(Token(bytes: Array(token.bytes), place: place))
    }

    /// The range of the first token at a position; nil if the position is outside of the text.
    func place(at position: Int) -> Range<Int>? { places.indices.contains(position) ? places[position] : nil }

    /// The range of the token at a position that matches a token of the pattern: an equal token, otherwise the first
    /// token that begins with the pattern, otherwise the first token at the position.
    ///
    /// - Returns: nil if the position is outside of the text.
    func place(at position: Int, matching pattern: String) -> Range<Int>? {
        guard places.indices.contains(position) else { return nil }
        guard let tokens = tokens[position] else { return places[position] }
        let pattern = Array(pattern.utf8)
        let token = tokens.first { $0.bytes == pattern } ?? tokens.first { $0.bytes.starts(with: pattern) }
        return token?.place ?? places[position]
    }

    /// A range that doesn't cut tokens which share the position of other tokens, such as the token of a whole
    /// identifier. Tokens of more than 256 bytes are cut.
    func wholeRange(_ range: Range<Int>) -> Range<Int> {
        var whole = range
        for token in tokens.values.lazy.flatMap({ $0.dropFirst() }) where token.place.count <= 256 {
            if token.place.lowerBound < range.lowerBound, token.place.upperBound > range.lowerBound {
                whole = min(whole.lowerBound, token.place.lowerBound)..<whole.upperBound
            }
            if token.place.lowerBound < range.upperBound, token.place.upperBound > range.upperBound {
                whole = whole.lowerBound..<max(whole.upperBound, token.place.upperBound)
            }
        }
        return whole
    }
}
