extension FTS5Query {
    /// Creates a query from the text of a search box. Returns nil if the text has nothing to search for.
    ///
    /// ```swift
    /// FTS5Query(searchBox: "swift -java \"full text")   // swift "full text" NOT java
    /// FTS5Query(searchBox: "-java")                     // nil: FTS5 has no unary NOT
    /// ```
    ///
    /// Every string is valid: see ``SearchBoxSyntax``, also in tables whose index has no phrases. Repeated words are dropped. The initializer reads only the first
    /// 8,192 Unicode scalars and the first 256 words, because the time of a search grows with the square of the number
    /// of words.
    public init?(searchBox text: String, syntax: SearchBoxSyntax = SearchBoxSyntax()) {
        var parser = SearchBoxParser(text, syntax)
        guard let query = parser.query() ?? Self.operatorWords(text, syntax) else { return nil }
        self = query
    }

    /// A text that consists of the words AND, OR and NOT searches for these words.
    private static func operatorWords(_ text: String, _ syntax: SearchBoxSyntax) -> FTS5Query? {
        guard text.utf8.count <= 64 else { return nil }
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard words.allSatisfy({ ["AND", "OR", "NOT"].contains($0) }) else { return nil }
        let queries = words.map { FTS5Query.phrase(FTS5Phrase($0).asTyped) }
        return syntax.defaultOperator == .and ? all(queries) : any(queries)
    }
}
