import AmalgamCore

/// The places of the tokens of a text, by their positions.
///
/// Several tokens may have one position. Mostly they have one place as well, as synonyms do. A tokenizer may also give a
/// token another place than the first one of the position: `URLSession` has "url" at `URL`, and "urlsession" at the whole
/// name. FTS5 knows the positions of matches only; which token of the position matches is told by the pattern.
struct TokenPlaces {
    /// A token that has another place than the first token of its position, or the first token of such a position.
    private struct Token {
        let bytes: [UInt8]
        let place: Range<Int>
    }

    /// The places of the first tokens of all positions.
    private var places: [Range<Int>] = []

    /// The tokens of the positions that have several places, the first one included.
    private var tokens: [Int: [Token]] = [:]

    /// The first token of the last position.
    private var first: [UInt8] = []

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

    /// The place of the token at a position that a token of a pattern matches: the same token; otherwise the first one
    /// that begins like it, which a prefix matches.
    ///
    /// - Returns: nil for a position outside of the text.
    func place(at position: Int, matching pattern: String) -> Range<Int>? {
        guard places.indices.contains(position) else { return nil }
        guard let tokens = tokens[position] else { return places[position] }
        let pattern = Array(pattern.utf8)
        let token = tokens.first { $0.bytes == pattern } ?? tokens.first { $0.bytes.starts(with: pattern) }
        return token?.place ?? places[position]
    }
}
