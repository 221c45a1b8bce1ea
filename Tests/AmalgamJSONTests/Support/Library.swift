import Amalgam
import CAmalgam
import Testing

// A library: books, what is known about them as JSON, their tags, and their ratings as JSONB.

struct Book: TableRecord {
    enum Columns {
        static let id = Column("id")
        static let title = Column("title")
        static let minimum = Column("minimum")
        static let info = JSONColumn("info")
        static let tags = JSONColumn("tags")
        static let ratings = JSONBColumn("ratings")
    }

    static let author = belongsTo(Author.self)
}

struct Author: TableRecord {
    enum Columns {
        static let id = Column("id")
        static let info = JSONColumn("info")
    }

    static let books = hasMany(Book.self)
}

let id = Column("id")
let title = Column("title")
let info = JSONColumn("info")
let tags = JSONColumn("tags")
let ratings = JSONBColumn("ratings")

let librarySchema = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, info TEXT);
    CREATE TABLE book (
        id INTEGER PRIMARY KEY, title TEXT, authorId INTEGER REFERENCES author, minimum INTEGER,
        info TEXT, tags TEXT, ratings BLOB);
    INSERT INTO author VALUES (1, '{"name":"Melville"}'), (2, '{"name":"Austen"}');
    INSERT INTO book VALUES
        (1, 'Moby-Dick', 1, 4, '{"year":1851,"country":"US","pages":{"count":635,"lost":[3,7]}}',
         '["sea","whale"]', jsonb('[5,4,5]')),
        (2, 'Emma', 2, 3, '{"year":1815,"country":"GB","draft":true}', '["love"]', jsonb('[4,3]')),
        (3, 'Persuasion', 2, 1, NULL, '["love","sea"]', jsonb('[]')),
        (4, 'Sanditon', 2, NULL, '{"country":null}', NULL, NULL);
    """

/// Runs a test on the library.
func withLibrary<T>(_ test: (Database) throws -> T) throws -> T {
    try DatabaseQueue().write { db in
        try db.execute(sql: librarySchema)
        return try test(db)
    }
}

extension Statement {
    var expandedSQL: String {
        let text = sqlite3_expanded_sql(sqliteStatement)!
        defer { sqlite3_free(text) }
        return String(cString: text)
    }
}

/// Expects the SQL of a request, which SQLite then runs, so that it is valid.
func expectSQL(
    _ request: some FetchRequest, _ sql: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try withLibrary { db in
        let prepared = try request.makePreparedRequest(db, forSingleResult: false)
        #expect(prepared.statement.expandedSQL == sql, sourceLocation: sourceLocation)
        _ = try Row.fetchAll(prepared.statement)
    }
}

/// Expects the SQL of an expression of a book, and its values for the books 1 to 4.
func expectExpression(
    _ expression: some SQLSpecificExpressible, _ sql: String, _ values: [(any DatabaseValueConvertible)?],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try withLibrary { db in
        let request = Book.select(expression).order(\.id)
        let statement = try request.makePreparedRequest(db, forSingleResult: false).statement
        #expect(statement.expandedSQL == "SELECT \(sql) FROM \"book\" ORDER BY \"id\"", sourceLocation: sourceLocation)
        let actual = try DatabaseValue.fetchAll(statement)
        #expect(actual == values.map { $0?.databaseValue ?? .null }, sourceLocation: sourceLocation)
    }
}

/// Expects the SQL of an expression without a table, and its value.
func expectValue(
    _ expression: SQLExpression, _ sql: String, _ value: (any DatabaseValueConvertible)?,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try DatabaseQueue().read { db in
        let (text, arguments) = try SQL("SELECT \(expression)").build(db)
        let statement = try db.makeStatement(sql: text)
        try statement.setArguments(arguments)
        #expect(statement.expandedSQL == "SELECT \(sql)", sourceLocation: sourceLocation)
        let actual = try DatabaseValue.fetchOne(statement)
        #expect(actual == value?.databaseValue ?? .null, sourceLocation: sourceLocation)
    }
}

/// Returns the values that a request for one column fetches.
func values<T: DatabaseValueConvertible>(_ request: QueryInterfaceRequest<T>) throws -> [T] {
    try withLibrary { db in try request.fetchAll(db) }
}

/// Expects a `DatabaseError` with this message.
func expectError(
    _ message: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.message == message, sourceLocation: sourceLocation)
}
