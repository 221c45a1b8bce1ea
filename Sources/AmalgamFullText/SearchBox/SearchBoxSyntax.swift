/// What the words that people type into a search box mean.
///
/// ```swift
/// let syntax = SearchBoxSyntax(fields: ["title", "author"], matchesPrefixOfLastWord: true)
/// let query = FTS5Query(searchBox: "title:sqlite swif", syntax: syntax)
/// // (title : sqlite) swif*
/// ```
///
/// | people type | and look for |
/// | --- | --- |
/// | `full text` | documents with both words |
/// | `"full text"`, `“full text”` | this phrase |
/// | `data*`, `"full te"*` | words that begin like this |
/// | `swift -java`, `swift NOT java` | the first word, without the second one |
/// | `swift OR rust`, `swift \| rust` | one of the words |
/// | `swift AND rust` | both words |
/// | `title:sqlite`, `title:"full text"`, `title:(a OR b)` | words in some columns |
/// | `(swift OR rust) -java` | what the parentheses say |
///
/// AND binds tighter than OR, and both bind tighter than a blank: `apps swift OR rust` looks for apps in one of two
/// languages. Operators are written in capitals. Whatever makes no sense has none: operators without a word, quotes and
/// parentheses that are not closed or not opened, characters that stand alone, fields that are not allowed. Words that the
/// tokenizer of the table makes no token of, such as emoji and stop words, are ignored next to others. Nothing is an error.
public struct SearchBoxSyntax: Hashable, Sendable {
    /// How words that stand side by side go together.
    public enum Operator: Hashable, Sendable {
        /// Documents have all words.
        case and

        /// Documents have one of the words.
        case or
    }

    /// The names that people may write before a colon, and the columns that they stand for. Their case does not count.
    public var fields: [String: [String]]

    /// Whether the last word is the beginning of one, as long as no blank follows it: for results while people type.
    public var matchesPrefixOfLastWord: Bool

    /// How words that stand side by side go together.
    public var defaultOperator: Operator

    /// A syntax with names for columns.
    ///
    /// ```swift
    /// SearchBoxSyntax(fields: ["by": ["author", "translator"], "title": ["title"]])
    /// ```
    public init(
        fields: [String: [String]], matchesPrefixOfLastWord: Bool = false, defaultOperator: Operator = .and
    ) {
        self.fields = fields
        self.matchesPrefixOfLastWord = matchesPrefixOfLastWord
        self.defaultOperator = defaultOperator
    }

    /// A syntax in which some columns are named as they are.
    public init(
        fields columns: [String] = [], matchesPrefixOfLastWord: Bool = false, defaultOperator: Operator = .and
    ) {
        self.init(
            fields: Dictionary(columns.map { ($0, [$0]) }) { first, _ in first },
            matchesPrefixOfLastWord: matchesPrefixOfLastWord, defaultOperator: defaultOperator)
    }
}
