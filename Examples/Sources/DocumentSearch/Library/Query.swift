import Amalgam

/// What the user looks for.
struct Query {
    /// What the user typed.
    let text: String
    private let search: FTS5Query?

    /// The search box knows phrases, `-word`, `OR`, parentheses, and these names before a colon.
    static let syntax = SearchBoxSyntax(fields: ["title": ["title"], "path": ["path"], "text": ["body"]])

    /// Takes the text as people type into a search box: none is an error.
    ///
    /// - throws: a `Failure` when there is nothing to look for.
    init(searchBox text: String) throws {
        guard let search = FTS5Query(searchBox: text, syntax: Self.syntax) else {
            throw Failure("There is nothing to look for in the query \(text).", exitCode: 2)
        }
        self.init(text: text, search: search)
    }

    /// Takes the text as FTS5 syntax, which may be wrong: <https://sqlite.org/fts5.html#full_text_query_syntax>.
    init(raw text: String) {
        self.init(text: text, search: nil)
    }

    /// Finds the documents that have these words side by side.
    init(phrase text: String) {
        self.init(text: text, search: FTS5Query(text))
    }

    private init(text: String, search: FTS5Query?) {
        self.text = text
        self.search = search
    }

    /// Whether the text is FTS5 syntax.
    var isRaw: Bool { search == nil }

    /// - throws: a `DatabaseError` for FTS5 syntax that is wrong.
    func pattern(_ db: Database) throws -> FTS5Pattern {
        let table = DocumentText.databaseTableName
        return try search?.pattern(db, forTable: table) ?? db.makeFTS5Pattern(rawPattern: text, forTable: table)
    }
}
