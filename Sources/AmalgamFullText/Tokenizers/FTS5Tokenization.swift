import AmalgamCore
import CAmalgam

/// Why a text is tokenized: <https://www.sqlite.org/fts5.html#custom_tokenizers>.
public struct FTS5Tokenization: OptionSet, Sendable {
    public let rawValue: CInt

    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The text is part of a pattern.
    public static let query = FTS5Tokenization(rawValue: FTS5_TOKENIZE_QUERY)

    /// The text is part of a pattern, and the last token of it is a prefix. ``query`` is there as well.
    public static let prefix = FTS5Tokenization(rawValue: FTS5_TOKENIZE_PREFIX)

    /// The text is indexed, or removed from the index.
    public static let document = FTS5Tokenization(rawValue: FTS5_TOKENIZE_DOCUMENT)

    /// The text is looked at by a function such as `highlight()`.
    public static let aux = FTS5Tokenization(rawValue: FTS5_TOKENIZE_AUX)
}

/// What is special about a token: <https://www.sqlite.org/fts5.html#synonym_support>.
public struct FTS5TokenFlags: OptionSet, Sendable {
    public let rawValue: CInt

    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The token has the same place in the text as the one before it: it is a synonym.
    public static let colocated = FTS5TokenFlags(rawValue: FTS5_TOKEN_COLOCATED)
}

/// The C function that takes the tokens of a tokenizer, one by one.
///
/// Its arguments are: the context that the tokenizer was given; the raw value of ``FTS5TokenFlags``; the UTF-8 bytes of
/// the token and how many they are; where the token begins and ends in the text, in bytes. It returns 0, or else the
/// tokenizer stops and returns the same.
public typealias FTS5TokenCallback =
    @convention(c) (UnsafeMutableRawPointer?, CInt, UnsafePointer<CChar>?, CInt, CInt, CInt) -> CInt
