extension FTS5Query {
    /// What a text typed into a search box looks for; nil when it looks for nothing.
    ///
    /// ```swift
    /// FTS5Query(searchBox: "swift -java \"full text")   // swift "full text" NOT java
    /// FTS5Query(searchBox: "-java")                     // nil: FTS5 looks for something, before it leaves it out
    /// ```
    ///
    /// No text is an error: see ``SearchBoxSyntax``. The first 8,192 Unicode scalars are read, which are 32 KB at most, and
    /// the first 256 words: FTS5 takes a time that grows with the square of the number of words.
    public init?(searchBox text: String, syntax: SearchBoxSyntax = SearchBoxSyntax()) {
        var parser = SearchBoxParser(text, syntax)
        guard let query = parser.query() else { return nil }
        self = query
    }
}
