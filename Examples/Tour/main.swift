import Amalgam

struct Author: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String

    static let books = hasMany(Book.self)
}

struct Book: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var authorId: Int64
    var title: String
    var year: Int
    var tags: [String]  // stored as JSON

    enum Columns {
        static let year = Column("year")
        static let tags = JSONColumn("tags")
    }

    static let text = hasOne(BookText.self, using: ForeignKey(["rowid"]))
}

struct BookText: TableRecord {}

// An author with their books: fetched by two statements, however many authors there are.
struct AuthorInfo: Decodable, FetchableRecord {
    var author: Author
    var books: [Book]
}

// The audit log records the changes of books, column by column, in the transactions that make them.
var config = Configuration()
config.audit("book")
let dbPool = try DatabasePool(path: "library.sqlite", configuration: config)

try await dbPool.write { db in
    try db.create(table: "author") { t in
        t.primaryKey("id", .integer)
        t.column("name", .text).notNull()
    }
    try db.create(table: "book") { t in
        t.primaryKey("id", .integer)
        t.belongsTo("author").notNull()
        t.column("title", .text).notNull()
        t.column("year", .integer)
        t.column("tags", .jsonText).notNull()
    }
    try db.create(virtualTable: "bookText", using: FTS5()) { t in
        t.synchronize(withTable: "book")
        t.column("title")
    }
    try Author(id: 1, name: "Herman Melville").insert(db)
    try Book(id: 1, authorId: 1, title: "Moby-Dick", year: 1852, tags: ["sea", "whale"]).insert(db)
}

// Reads run concurrently with writes, and each read sees one state of the database.
let infos = try await dbPool.read { db in
    let old = Author.books.filter { $0.year < 1900 }.order(\.year)
    return try Author.including(all: old).asRequest(of: AuthorInfo.self).fetchAll(db)
}
print(infos[0].author.name, infos[0].books.map(\.title))  // Herman Melville ["Moby-Dick"]

// Queries in the syntax of search boxes, and queries of JSON arrays.
let found = try await dbPool.read { db in
    let syntax = SearchBoxSyntax(matchesPrefixOfLastWord: true)
    let request = Book.joining(required: Book.text.matching(searchBox: "moby -jaws di", syntax: syntax))
    return try request.filter { $0.tags.each.contains("whale") }.fetchAll(db)
}
print(found.map(\.title))  // ["Moby-Dick"]

// Observed values: each is read at the snapshot of a commit.
let years = ValueObservation.tracking { db in try Book.select({ $0.year }, as: Int.self).fetchAll(db) }
for try await value in years.values(in: dbPool) {
    print(value)  // [1852], then [1851]
    if value == [1851] { break }
    try await dbPool.write { db in
        try db.auditing(as: "user:42", reason: "first edition") {
            try db.execute(sql: "UPDATE book SET year = 1851 WHERE id = 1")
        }
    }
}
let history = try await dbPool.read { db in try AuditLog.history(of: "book", key: 1).fetchAll(db) }
print(history[1])  // UPDATE book 1 (year: 1852 -> 1851) by user:42

// SQL functions and tables in Swift, changes that are undone or sent to others, untrusted SQL, and an online backup.
let words = try await dbPool.write { db in
    db.add(function: DatabaseFunction("decade", pure: true) { (year: Int) in year / 10 * 10 })
    try db.add(
        tableFunction: DatabaseTableFunction("words", arguments: ["text"], columns: ["word"]) { arguments in
            try (arguments["text"] as String).split(separator: "-").map(String.init)
        })
    try db.apply(db.recordChanges { try db.execute(sql: "UPDATE book SET year = decade(year)") }.inverted())
    let untrusted = "SELECT word, year FROM book, words(title)"
    return try db.sandboxed(.readOnly(tables: ["book", "words"])) {
        try Row.fetchAll(db, sql: untrusted).map(\.description)
    }
}
print(words)  // ["[word:\"Moby\" year:1851]", "[word:\"Dick\" year:1851]"]
try dbPool.backup(to: DatabaseQueue(path: "copy.sqlite"))
