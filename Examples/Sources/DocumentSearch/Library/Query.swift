import Amalgam

/// A query of the user.
struct Query {
    /// The text that the user typed.
    let text: String
    private let search: FTS5Query?

    /// The syntax of the search box: phrases, `-word`, `OR`, parentheses, and these names before a colon. Words may
    /// have typos.
    static let syntax = SearchBoxSyntax(
        fields: ["title": ["title"], "path": ["path"], "text": ["body"]], typoTolerance: .standard)

    /// Parses the text of a search box, which can't have syntax errors.
    ///
    /// - Throws: a `Failure` if there is nothing to search for.
    init(searchBox text: String) throws {
        guard let search = FTS5Query(searchBox: text, syntax: Self.syntax) else {
            throw Failure("There is nothing to look for in the query \(text).", exitCode: 2)
        }
        self.init(text: text, search: search)
    }

    /// Takes the text as FTS5 syntax, which may be invalid: <https://sqlite.org/fts5.html#full_text_query_syntax>.
    init(raw text: String) {
        self.init(text: text, search: nil)
    }

    /// Finds the documents that contain these words next to each other.
    init(phrase text: String) {
        self.init(text: text, search: FTS5Query(text))
    }

    private init(text: String, search: FTS5Query?) {
        self.text = text
        self.search = search
    }

    /// Whether the text is FTS5 syntax.
    var isRaw: Bool { search == nil }

    /// Returns the FTS5 pattern of the query.
    ///
    /// - Throws: a `DatabaseError` if the FTS5 syntax is invalid.
    func pattern(_ db: Database) throws -> FTS5Pattern {
        let table = DocumentText.databaseTableName
        return try search?.pattern(db, forTable: table) ?? db.makeFTS5Pattern(rawPattern: text, forTable: table)
    }

    /// Returns a request of the full-text index, restricted to the documents that match. Ordered by rank, the documents
    /// with the fewest typos come first.
    ///
    /// - Throws: a `DatabaseError` if the FTS5 syntax is invalid.
    func matches<Request: TableRequest & FilteredRequest>(of request: Request, _ db: Database) throws -> Request {
        if let search { return request.matching(search) }
        return try request.matching(pattern(db))
    }

    /// Returns the similar words that are searched for each word of the query, as if it had typos: those that documents
    /// contain, and at most four for each word.
    func corrections(_ db: Database) throws -> [Correction] {
        let expansions = try search?.expansions(db, forTable: DocumentText.databaseTableName) ?? []
        return expansions.compactMap { expansion in
            let found = expansion.alternatives.filter { $0.typoCount > 0 && $0.documentCount > 0 }
            // Fewer typos come first, then more documents.
            let best = found.sorted { ($0.typoCount, $1.documentCount) < ($1.typoCount, $0.documentCount) }.prefix(4)
            return best.isEmpty ? nil : Correction(word: expansion.word, similar: best.map(\.text))
        }
    }

    struct Correction: Equatable {
        let word: String
        let similar: [String]
    }
}
