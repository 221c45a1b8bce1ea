/// A phrase: consecutive tokens in a document.
///
/// ```swift
/// let phrase: FTS5Phrase = "full text"               // "full text"
/// let beginning = FTS5Phrase.prefix("full te")       // "full te"*
/// let sum = "full" + FTS5Phrase.prefix("te")         // "full te"*
/// ```
///
/// The tokenizer of the table splits the string into tokens. Words such as `AND` aren't operators in the string. A
/// string without tokens, such as `"?!"`, matches nothing if it is the only phrase of a query. Next to other phrases,
/// it is ignored. See <https://www.sqlite.org/fts5.html#fts5_phrases>.
public struct FTS5Phrase: Hashable, Sendable {
    /// A string, and whether its last token is a prefix.
    struct Part: Hashable, Sendable {
        var text: String
        var isPrefix = false
    }

    private(set) var parts: [Part]

    /// Whether a user has typed the phrase, in a search box or as a word that may have typos. If the index has no
    /// positions, the words of the phrase are searched for.
    private(set) var isTyped = false

    private init(parts: [Part], isTyped: Bool = false) {
        self.parts = parts
        self.isTyped = isTyped
    }

    /// Whether two phrases match the same rows of a table with positions.
    public static func == (lhs: FTS5Phrase, rhs: FTS5Phrase) -> Bool { lhs.parts == rhs.parts }

    public func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    /// Creates a phrase of the tokens of a string.
    public init(_ text: String) {
        self.init(parts: [Part(text: text)])
    }

    /// Returns a phrase of the tokens of a string. The last token matches all tokens that begin with it.
    ///
    /// ```swift
    /// Document.matching(.phrase(.prefix("full te")))
    /// // finds "full text" and "full tea pot"
    /// ```
    ///
    /// Prefix queries are faster in tables with prefix indexes: <https://www.sqlite.org/fts5.html#prefix_indexes>.
    public static func prefix(_ text: String) -> FTS5Phrase {
        FTS5Phrase(parts: [Part(text: text, isPrefix: true)])
    }

    /// Concatenates two phrases: `"one two"`. If the first one ends with a prefix, the result is `one* + two`.
    public static func + (lhs: FTS5Phrase, rhs: FTS5Phrase) -> FTS5Phrase {
        guard let last = lhs.parts.last, !last.isPrefix, let first = rhs.parts.first else {
            return FTS5Phrase(parts: lhs.parts + rhs.parts)
        }
        // The last part of the first phrase and the first part of the second one become one string. FTS5 tokenizes each
        // part separately, but some tokenizers, such as that of CJK bigrams, need the text that follows.
        let joined = Part(text: "\(last.text) \(first.text)", isPrefix: first.isPrefix)
        return FTS5Phrase(parts: lhs.parts.dropLast() + [joined] + rhs.parts.dropFirst())
    }
}

extension FTS5Phrase: ExpressibleByStringLiteral {
    /// Creates a phrase of the tokens of a string literal.
    public init(stringLiteral text: String) { self.init(text) }
}

extension FTS5Phrase {
    /// The phrase as one that a user has typed.
    var asTyped: FTS5Phrase { FTS5Phrase(parts: parts, isTyped: true) }

    /// The phrase with transformed strings.
    func mapTexts(_ transform: (Part) throws -> String) rethrows -> FTS5Phrase {
        FTS5Phrase(
            parts: try parts.map { Part(text: try transform($0), isPrefix: $0.isPrefix) }, isTyped: isTyped)
    }
}
