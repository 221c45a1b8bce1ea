/// The syntax of text that users enter into a search box.
///
/// ```swift
/// let syntax = SearchBoxSyntax(fields: ["title", "author"], matchesPrefixOfLastWord: true)
/// let query = FTS5Query(searchBox: "title:sqlite swif", syntax: syntax)
/// // (title : sqlite) swif*
/// ```
///
/// | input | matches |
/// | --- | --- |
/// | `full text` | documents with both words |
/// | `"full text"`, `“full text”` | documents with the phrase |
/// | `data*`, `"full te"*` | documents with a word or phrase that begins like this |
/// | `swift -java`, `swift NOT java` | documents with the first word, and without the second one |
/// | `swift OR rust`, `swift \| rust` | documents with at least one of the words |
/// | `swift AND rust` | documents with both words |
/// | `title:sqlite`, `title:"full text"`, `title:(a OR b)` | documents with matches in the columns of the field |
/// | `(swift OR rust) -java` | documents that match the group, and don't have the last word |
///
/// AND binds tighter than OR, and both bind tighter than a space: `apps swift OR rust` matches documents with "apps",
/// and with "swift" or "rust". Operators must be in upper case.
///
/// A text that consists of the words AND, OR and NOT searches for these words. A text that only excludes words,
/// such as `-java`, `NOT java` or `NOT near OR`, has nothing to search for: FTS5 has no unary NOT.
///
/// Every string is valid. Other operators without operands, superfluous closing parentheses, and punctuation that stands
/// alone have no effect. A missing closing quote or parenthesis is added at the end of the text. A colon after a name
/// that isn't a field is part of the word: `isbn:123` searches for the phrase "isbn:123".
///
/// In a table without phrase queries (`detail=column` or `detail=none`), a phrase such as `"full text"`, `e-mail` or `12:30`
/// matches documents with all of its words, in any order. A table with `detail=none` doesn't know columns: use no `fields`
/// there, because a search for a field throws a ``DatabaseError``.
///
/// If the tokenizer of the table returns no token for a word, such as an emoji or a stop word, the word is ignored. If
/// the text contains only such words, no document matches.
public struct SearchBoxSyntax: Hashable, Sendable {
    /// How adjacent words are combined.
    ///
    /// ```swift
    /// let syntax = SearchBoxSyntax(defaultOperator: .or)
    /// let query = FTS5Query(searchBox: "swift rust", syntax: syntax)   // swift OR rust
    /// ```
    public enum Operator: Hashable, Sendable {
        /// Documents must have all words.
        case and

        /// Documents must have at least one of the words.
        case or
    }

    /// The names that can be entered before a colon, and the columns of each name. Names are case-insensitive.
    public var fields: [String: [String]]

    /// Whether the last word is a prefix if no space follows it. Use it for results while the user types.
    ///
    /// The results have no holes: what a longer word finds, the typed word finds, too. A stemming tokenizer such as
    /// `porter` changes "running" to "run", which doesn't begin with "runnin". Therefore, requests also search for the
    /// words that an ending completes: `runnin* OR running`. The endings are those of the languages of
    /// ``FTS5TokenizerDescriptor/snowball(languages:stopWords:diacritics:wrapping:)`` in the definition of the table, and
    /// of English for `porter` and for stemming tokenizers of the application. If the tokenizer ignores stop words,
    /// documents needn't match a beginning of a stop word: "war and" finds "War and Peace".
    ///
    /// Holes are left where a stemmer removes the beginning of a word, and only this beginning is typed: `meng` doesn't
    /// find "mengambil", whose Indonesian stem is "ambil". `mengam` does. Most of these words are Arabic, Indonesian and
    /// Tamil.
    public var matchesPrefixOfLastWord: Bool

    /// How adjacent words are combined.
    public var defaultOperator: Operator

    /// The tolerated typos in words that aren't in quotes, excluded, or followed by an asterisk. If nil, words have to
    /// match exactly.
    public var typoTolerance: TypoTolerance?

    /// Creates a syntax from the names of fields, and the columns that each field searches. In the example, `by:lem`
    /// searches the columns `author` and `translator`.
    ///
    /// ```swift
    /// SearchBoxSyntax(fields: ["by": ["author", "translator"], "title": ["title"]])
    /// ```
    public init(
        fields: [String: [String]], matchesPrefixOfLastWord: Bool = false, defaultOperator: Operator = .and,
        typoTolerance: TypoTolerance? = nil
    ) {
        self.fields = fields
        self.matchesPrefixOfLastWord = matchesPrefixOfLastWord
        self.defaultOperator = defaultOperator
        self.typoTolerance = typoTolerance
    }

    /// Creates a syntax with one field for each column. A field has the name of its column: `title:sqlite` searches the
    /// column `title`.
    ///
    /// ```swift
    /// let syntax = SearchBoxSyntax(fields: ["title", "author"])
    /// ```
    public init(
        fields columns: [String] = [], matchesPrefixOfLastWord: Bool = false, defaultOperator: Operator = .and,
        typoTolerance: TypoTolerance? = nil
    ) {
        self.init(
            fields: Dictionary(columns.map { ($0, [$0]) }) { first, _ in first },
            matchesPrefixOfLastWord: matchesPrefixOfLastWord, defaultOperator: defaultOperator,
            typoTolerance: typoTolerance)
    }
}
