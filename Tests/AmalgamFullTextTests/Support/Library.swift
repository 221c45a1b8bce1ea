import Amalgam
import CAmalgam
import Testing

// A library: books, and a full-text table of them.

struct Book: Codable, FetchableRecord, PersistableRecord, Identifiable, Hashable {
    enum Columns {
        static let id = Column("id")
        static let title = Column("title")
        static let body = Column("body")
    }

    var id: Int64
    var title: String
    var body: String

    static let search = hasOne(BookSearch.self, using: ForeignKey([.rowID]))
}

/// A full-text table that is synchronized with the table of books.
struct BookSearch: TableRecord {
    enum Columns {
        static let title = Column("title")
        static let body = Column("body")
    }
}

/// A full-text table that stores its own content.
struct Document: Codable, FetchableRecord, PersistableRecord, Hashable {
    enum Columns {
        static let title = Column("title")
        static let body = Column("body")
    }

    var title: String
    var body: String
}

let books = [
    Book(id: 1, title: "Moby Dick", body: "Call me Ishmael, said the whaler of the white whale"),
    Book(id: 2, title: "Database design", body: "SQLite is a database, and databases hold tables"),
    Book(id: 3, title: "Café Müller", body: "the cafe of Gustave Doré"),
]

/// Runs a test on a table of books, and an `FTS5` table that is synchronized with it.
@discardableResult
func withLibrary<T>(
    _ configuration: Configuration = Configuration(), tokenizer: FTS5TokenizerDescriptor? = nil,
    _ test: (Database) throws -> T
) throws -> T {
    try DatabaseQueue(configuration: configuration).write { db in
        try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, body TEXT)")
        for book in books { try book.insert(db) }
        try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
            t.synchronize(withTable: "book")
            t.tokenizer = tokenizer
            t.column("title")
            t.column("body")
        }
        return try test(db)
    }
}

/// Runs a test on an `FTS5` table of documents.
@discardableResult
func withDocuments<T>(
    _ texts: [String], tokenizer: FTS5TokenizerDescriptor? = nil, modules: [FTS5TokenizerModule] = [],
    _ test: (Database) throws -> T
) throws -> T {
    try DatabaseQueue().write { db in
        for module in modules { db.add(tokenizer: module) }
        try db.create(virtualTable: "document", using: FTS5()) { t in
            t.tokenizer = tokenizer
            t.column("title")
            t.column("body")
        }
        for (index, text) in texts.enumerated() { try Document(title: "\(index)", body: text).insert(db) }
        return try test(db)
    }
}

extension Database {
    /// Returns the rowids of the rows of a full-text table that match a pattern.
    func rowIDs(matching pattern: String, in table: String = "document") throws -> [Int64] {
        try Int64.fetchAll(
            self, sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH ? ORDER BY rowid", arguments: [pattern])
    }
}

/// Expects a `DatabaseError` with this code and message.
func expectError(
    _ code: ResultCode, _ message: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.resultCode == code, sourceLocation: sourceLocation)
    #expect(error?.message == message, sourceLocation: sourceLocation)
}

extension FetchRequest {
    /// Returns the SQL of the request, with its values.
    func expandedSQL(_ db: Database) throws -> String {
        let statement = try makePreparedRequest(db, forSingleResult: false).statement
        let text = sqlite3_expanded_sql(statement.sqliteStatement)!
        defer { sqlite3_free(text) }
        return String(cString: text)
    }
}
