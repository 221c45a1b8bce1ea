/// Tokens that follow one another in a document.
///
/// ```swift
/// let phrase: FTS5Phrase = "full text"               // "full text"
/// let beginning = FTS5Phrase.prefix("full te")       // "full te"*
/// let sum = "full" + FTS5Phrase.prefix("te")         // "full te"*
/// ```
///
/// The tokenizer of the table makes tokens of the text, of any text: nothing in it is an operator. A text without token,
/// such as `"?!"`, matches nothing alone, and is ignored next to other phrases. See
/// <https://www.sqlite.org/fts5.html#fts5_phrases>.
public struct FTS5Phrase: Hashable, Sendable {
    /// A text, and whether its last token is the beginning of one.
    struct Part: Hashable, Sendable {
        var text: String
        var isPrefix = false
    }

    private(set) var parts: [Part]

    private init(parts: [Part]) {
        self.parts = parts
    }

    /// The tokens of a text.
    public init(_ text: String) {
        self.init(parts: [Part(text: text)])
    }

    /// The tokens of a text, the last one of which is the beginning of a token.
    ///
    /// ```swift
    /// Document.matching(.phrase(.prefix("full te")))
    /// // finds "full text" and "full tea pot"
    /// ```
    ///
    /// Tables with prefix indexes look them up faster: <https://www.sqlite.org/fts5.html#prefix_indexes>.
    public static func prefix(_ text: String) -> FTS5Phrase {
        FTS5Phrase(parts: [Part(text: text, isPrefix: true)])
    }

    /// One phrase after the other: `"one two"`. After a beginning, `one* + two`.
    public static func + (lhs: FTS5Phrase, rhs: FTS5Phrase) -> FTS5Phrase {
        guard let last = lhs.parts.last, !last.isPrefix, let first = rhs.parts.first else {
            return FTS5Phrase(parts: lhs.parts + rhs.parts)
        }
        // FTS5 gives each part to the tokenizer by itself. A tokenizer such as that of bigrams must see what follows.
        let joined = Part(text: "\(last.text) \(first.text)", isPrefix: first.isPrefix)
        return FTS5Phrase(parts: lhs.parts.dropLast() + [joined] + rhs.parts.dropFirst())
    }
}

extension FTS5Phrase: ExpressibleByStringLiteral {
    /// The tokens of a text.
    public init(stringLiteral text: String) { self.init(text) }
}

extension FTS5Phrase {
    /// The same phrase with other texts.
    func mapTexts(_ transform: (Part) throws -> String) rethrows -> FTS5Phrase {
        FTS5Phrase(parts: try parts.map { Part(text: try transform($0), isPrefix: $0.isPrefix) })
    }
}
