/// A full-text query, in FTS5's own language: <https://sqlite.org/fts5.html#full_text_query_syntax>.
struct Query {
    /// What the user typed.
    let text: String
    let pattern: String

    /// Takes the text as FTS5 syntax, which may be wrong.
    init(raw text: String) {
        self.init(text: text, pattern: text)
    }

    /// Finds the documents that have these words side by side.
    init(phrase text: String) {
        self.init(text: text, pattern: Self.quoted(text))
    }

    /// Finds the documents that have all words. Each word is quoted, so that nothing in it is syntax.
    ///
    /// - throws: a `Failure` when there is no letter and no digit in the text.
    init(words text: String) throws {
        let words = text.split(whereSeparator: \.isWhitespace).filter { $0.contains { $0.isLetter || $0.isNumber } }
        if words.isEmpty { throw Failure("There is no word in the query \(text).", exitCode: 2) }
        self.init(text: text, pattern: words.map(Self.quoted).joined(separator: " "))
    }

    private static func quoted(_ text: some StringProtocol) -> String {
        "\"" + String(text).replacing("\"", with: "\"\"") + "\""
    }

    private init(text: String, pattern: String) {
        self.text = text
        self.pattern = pattern
    }
}
