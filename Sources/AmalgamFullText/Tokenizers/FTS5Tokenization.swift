import AmalgamCore
import CAmalgam

/// The reason for tokenizing text: <https://www.sqlite.org/fts5.html#custom_tokenizers>.
///
/// ```swift
/// let tokens = try db.makeTokenizer(.porter()).tokens(of: "full te", for: [.query, .prefix])
/// ```
public struct FTS5Tokenization: OptionSet, Sendable {
    public let rawValue: CInt

    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The text is a string of a pattern.
    public static let query = FTS5Tokenization(rawValue: FTS5_TOKENIZE_QUERY)

    /// The text is a string of a pattern, and its last token is a prefix. ``query`` is set as well.
    public static let prefix = FTS5Tokenization(rawValue: FTS5_TOKENIZE_PREFIX)

    /// The text is inserted into the index, or deleted from it.
    public static let document = FTS5Tokenization(rawValue: FTS5_TOKENIZE_DOCUMENT)

    /// The text is tokenized for an auxiliary function such as `highlight()`.
    public static let aux = FTS5Tokenization(rawValue: FTS5_TOKENIZE_AUX)
}

/// The flags of a token: <https://www.sqlite.org/fts5.html#synonym_support>.
///
/// ```swift
/// let tokens = try db.makeTokenizer(.porter()).tokens(of: "full text", for: .document)
/// let words = tokens.filter { !$0.flags.contains(.colocated) }   // without synonyms
/// ```
public struct FTS5TokenFlags: OptionSet, Sendable {
    public let rawValue: CInt

    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The token has the same position in the text as the previous one: it is a synonym.
    public static let colocated = FTS5TokenFlags(rawValue: FTS5_TOKEN_COLOCATED)
}

/// The C function that receives the tokens of a tokenizer one by one.
///
/// Its arguments are:
/// - the context that the tokenizer received;
/// - the raw value of ``FTS5TokenFlags``;
/// - the UTF-8 bytes of the token, and their number;
/// - the start and end offsets of the token in the text, in bytes.
///
/// If the function returns a code other than 0, the tokenizer stops and returns this code.
public typealias FTS5TokenCallback =
    @convention(c) (UnsafeMutableRawPointer?, CInt, UnsafePointer<CChar>?, CInt, CInt, CInt) -> CInt
