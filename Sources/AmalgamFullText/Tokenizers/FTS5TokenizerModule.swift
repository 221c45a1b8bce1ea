public import AmalgamCore

/// A named tokenizer that can be registered on connections.
///
/// The tokenizers of this package wrap tokenizers of SQLite, and each other:
///
/// ```swift
/// let stopWords = FTS5TokenizerModule.stopWords(["the", "of"])
/// let html = FTS5TokenizerModule.html()
///
/// var configuration = Configuration()
/// configuration.prepareDatabase { db in
///     db.add(tokenizer: stopWords)
///     db.add(tokenizer: html)
/// }
/// try db.create(virtualTable: "page", using: FTS5()) { t in
///     t.tokenizer = html.descriptor(wrapping: stopWords.descriptor(wrapping: .porter()))
///     t.column("text")
/// }
/// // CREATE VIRTUAL TABLE "page" USING fts5(text, tokenize='''html'' ''stop_words'' ''porter''')
/// ```
///
/// | module | effect |
/// | --- | --- |
/// | ``stopWords(_:named:)`` | omits stop words |
/// | ``synonyms(_:expanding:named:)`` | matches words by their synonyms |
/// | ``folding(_:named:)`` | folds variants of letters: "ﬁ" and "fi", "Łódź" and "Lodz" |
/// | ``cjkBigrams(named:)`` | matches words in Chinese, Japanese and Korean, which are written without spaces |
/// | ``southEastAsianPairs(named:)`` | matches words in Thai, Lao, Khmer and Burmese, which are written without spaces |
/// | ``southEastAsianWords(named:)`` | matches whole words in these languages, by the dictionaries of ICU |
/// | ``emoji(named:)`` | matches emoji |
/// | ``multilingual(named:)`` | combines the three tokenizers above |
/// | ``identifiers(capitals:named:)`` | matches the parts of identifiers in source code: `camelCase`, `snake_case` |
/// | ``html(named:)`` | indexes the visible text of HTML |
/// | ``json(includesKeys:named:)`` | indexes the strings and numbers of JSON |
///
/// All these tokenizers pass the locale to the tokenizers that they wrap, and report ranges of whole characters in the
/// original text. The database file stores the name of a tokenizer, not its settings. After a change of settings, such
/// as the stop words, call ``FTS5Index/rebuild(_:)``.
public struct FTS5TokenizerModule: Sendable {
    /// A closure that creates a tokenizer from the connection and the arguments.
    public typealias Make = @Sendable (Database, [String]) throws -> any FTS5Tokenizer

    /// The name by which tables refer to the tokenizer.
    public let name: String

    let make: Make

    /// Creates a module. The closure creates a tokenizer for each table and connection.
    ///
    /// ```swift
    /// let module = FTS5TokenizerModule("letters") { db, arguments in LetterTokenizer(db: db, arguments: arguments) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name by which tables refer to the tokenizer.
    ///   - make: The closure. It receives the connection and the arguments that follow the name in the descriptor. If
    ///     it throws an error, the statement that uses the table fails with this error.
    public init(_ name: String, make: @escaping Make) {
        self.name = name
        self.make = make
    }

    /// Creates a module whose tokenizer wraps a different one. Its arguments are the components of the wrapped
    /// tokenizer's descriptor.
    init(
        wrappingAs name: String, _ make: @escaping @Sendable (any FTS5Tokenizer) throws -> any ByteTokenizer
    ) {
        self.init(name) { db, arguments in
            let descriptor = arguments.isEmpty ? .unicode61() : FTS5TokenizerDescriptor(components: arguments)
            return try make(db.makeTokenizer(descriptor))
        }
    }

    /// Returns the descriptor with which tables use the tokenizer.
    ///
    /// ```swift
    /// FTS5TokenizerModule.html().descriptor().components   // ["html"]
    /// ```
    public func descriptor(arguments: [String] = []) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: [name] + arguments)
    }

    /// Returns the descriptor with which tables use the tokenizer, wrapping a given tokenizer. If a descriptor names no
    /// wrapped tokenizer, as in `html().descriptor()`, the tokenizers of this package wrap `unicode61`.
    ///
    /// ```swift
    /// FTS5TokenizerModule.html().descriptor(wrapping: .porter()).components   // ["html", "porter"]
    /// ```
    public func descriptor(wrapping base: FTS5TokenizerDescriptor) -> FTS5TokenizerDescriptor {
        descriptor(arguments: base.components)
    }
}
