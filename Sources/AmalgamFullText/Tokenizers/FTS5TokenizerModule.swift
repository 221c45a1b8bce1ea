public import AmalgamCore

/// A tokenizer with a name, ready to be added to connections.
///
/// Those that come with this package wrap other tokenizers, and each other:
///
/// ```swift
/// let stopWords = FTS5TokenizerModule.stopWords(["the", "of"])
/// let html = FTS5TokenizerModule.html()
///
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
/// | module | does |
/// | --- | --- |
/// | ``stopWords(_:named:)`` | leaves words out |
/// | ``synonyms(_:expanding:named:)`` | finds words by others that mean the same |
/// | ``folding(_:named:)`` | removes differences between letters: "ﬁ" and "fi", "Łódź" and "Lodz" |
/// | ``cjkBigrams(named:)`` | finds words of languages that are written without spaces |
/// | ``identifiers(capitals:named:)`` | finds the parts of names in programs: `camelCase`, `snake_case` |
/// | ``html(named:)`` | indexes what a reader of a page sees |
/// | ``json(includesKeys:named:)`` | indexes the texts in JSON |
///
/// All of them tell the tokenizers they wrap of the locale of a text, and give each token a place in the original text:
/// between characters. The name, and not the settings, of a tokenizer is stored in the file: after a change of settings,
/// as of a list of stop words, use ``FTS5Index/rebuild(_:)``.
public struct FTS5TokenizerModule: Sendable {
    /// Makes a tokenizer of its arguments.
    public typealias Make = @Sendable (Database, [String]) throws -> any FTS5Tokenizer

    /// The name, as tables refer to it.
    public let name: String

    let make: Make

    /// A tokenizer that a closure makes, for each table and connection.
    ///
    /// ```swift
    /// let module = FTS5TokenizerModule("mine") { db, arguments in try MyTokenizer(settings) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - make: is given the connection, and what follows the name in the descriptor of a table. Its error is that of
    ///     the statement that needs the table.
    public init(_ name: String, make: @escaping Make) {
        self.name = name
        self.make = make
    }

    /// A tokenizer that wraps another one: the descriptor of that one is its arguments.
    init(
        wrappingAs name: String, _ make: @escaping @Sendable (any FTS5Tokenizer) throws -> any ByteTokenizer
    ) {
        self.init(name) { db, arguments in
            let descriptor = arguments.isEmpty ? .unicode61() : FTS5TokenizerDescriptor(components: arguments)
            return try make(db.makeTokenizer(descriptor))
        }
    }

    /// The descriptor of the tokenizer, with arguments.
    public func descriptor(arguments: [String] = []) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: [name] + arguments)
    }

    /// The descriptor of the tokenizer around another one. Without one, the tokenizers of this package wrap
    /// `unicode61`.
    public func descriptor(wrapping base: FTS5TokenizerDescriptor) -> FTS5TokenizerDescriptor {
        descriptor(arguments: base.components)
    }
}
