import Amalgam
import TestSupport
import Testing

// Articles in a full-text table, and the tables of its terms.

struct Article: Codable, FetchableRecord, MutablePersistableRecord, Hashable {
    enum Columns {
        static let title = Column("title")
        static let body = Column("body")
        static let author = Column("author")
        static let metadata = Column("metadata")
    }

    var title: String
    var body: String
    var author: String?
    var metadata: String?
}

let articles = [
    Article(
        title: "SQLite in Swift", body: "How to search a database: full text, phrases, ranking.",
        author: "Anna", metadata: #"{"year":2024,"kind":"guide"}"#),
    Article(
        title: "Databases", body: "SQLite is a database in a file. A database has tables.",
        author: "Bob", metadata: #"{"year":2023,"kind":"guide"}"#),
    Article(
        title: "Java and Swift", body: "Two languages, one text each. Rock & roll.",
        author: "Anna", metadata: #"{"year":2024,"kind":"essay"}"#),
    Article(
        title: "Full moon", body: "Once upon a time there was a café in the text of a story.",
        author: nil, metadata: #"{"year":2022,"kind":"story"}"#),
]

let articleSchema = """
    CREATE VIRTUAL TABLE article USING fts5(title, body, author UNINDEXED, metadata UNINDEXED);
    CREATE VIRTUAL TABLE articleTerms USING fts5vocab('article', 'row');
    CREATE VIRTUAL TABLE articleColumnTerms USING fts5vocab('article', 'col');
    CREATE VIRTUAL TABLE articleInstances USING fts5vocab('article', 'instance');
    """

/// Runs a test on the articles, in a transaction.
@discardableResult
func withArticles<T>(_ test: (Database) throws -> T) throws -> T {
    try DatabaseQueue().write { db in
        try db.execute(sql: articleSchema)
        for var article in articles { try article.insert(db) }
        return try test(db)
    }
}

/// Returns the titles of the documents that a pattern matches, in the order of the articles.
func titles(_ db: Database, matching rawPattern: String) throws -> [String] {
    try String.fetchAll(
        db, sql: "SELECT title FROM article WHERE article MATCH ? ORDER BY rowid", arguments: [rawPattern])
}

/// Expects the syntax of a query, and the documents that it matches.
func expectQuery(
    _ query: FTS5Query, _ syntax: String, finds expectedTitles: [String]? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let rawPattern = try query.rawPattern()
    #expect(rawPattern == syntax, sourceLocation: sourceLocation)
    try withArticles { db in
        let actual = try titles(db, matching: rawPattern)
        if let expectedTitles { #expect(actual == expectedTitles, sourceLocation: sourceLocation) }
    }
}

/// Returns the SQL that a closure runs, without FTS5's own statements, which SQLite marks.
func statements(_ db: Database, _ body: () throws -> Void) throws -> [String] {
    try db.tracing(body).filter { !$0.hasPrefix("--") }
}

/// Expects the SQL that a closure runs, without FTS5's own statements.
func expectSQL(
    _ db: Database, _ sql: [String], sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) throws {
    let actual = try statements(db, body)
    #expect(actual == sql, sourceLocation: sourceLocation)
}

/// Expects an error with this description.
func expectThrows<E: Error>(
    _ type: E.Type, _ text: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    do {
        try body()
        Issue.record("no error", sourceLocation: sourceLocation)
    } catch let error as E {
        #expect("\(error)" == text, sourceLocation: sourceLocation)
    } catch {
        Issue.record("another error: \(error)", sourceLocation: sourceLocation)
    }
}
