import AmalgamConcurrency
import AmalgamCore
import AmalgamFullText
import AmalgamQuery
import AmalgamRecords

/// The parser of search boxes. SQLite runs the query of any text, and suggestions for any text are made without an error.
///
/// The first byte selects the syntax, and whether suggestions are made, which take longer. The others are the text.
struct SearchBoxFuzz: FuzzRun {
    private static let syntaxes = [
        SearchBoxSyntax(),
        SearchBoxSyntax(fields: ["title", "body"], matchesPrefixOfLastWord: true),
        SearchBoxSyntax(
            fields: ["by": ["title", "body"], "in": []], matchesPrefixOfLastWord: true, defaultOperator: .or),
        SearchBoxSyntax(fields: ["title", "body"], matchesPrefixOfLastWord: true, typoTolerance: .standard),
    ]

    private static let terms = FTS5Terms("terms", of: "document")
    private let database: DatabaseQueue

    init() throws {
        database = try DatabaseQueue()
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE document USING fts5(title, body);
                    CREATE VIRTUAL TABLE terms USING fts5vocab(document, row);
                    INSERT INTO document VALUES ('a title', 'some words in a body'), ('OR', 'x y z'), ('word', 'words worded');
                    """)
        }
    }

    func run(_ input: FuzzInput) throws {
        var input = input
        let settings = Int(input.byte())
        let syntax = Self.syntaxes[settings % Self.syntaxes.count]
        let text = input.text
        try database.read { db in
            if let query = FTS5Query(searchBox: text, syntax: syntax) {
                do {
                    _ = try Table("document").matching(query).fetchCount(db)
                } catch {
                    throw BrokenPromise(description: "\(text.debugDescription) → \(query): \(error)")
                }
            }
            if settings & 4 == 0 { return }
            do {
                _ = try Self.terms.completions(db, ofSearchBox: text, syntax: syntax)
                if let correction = try Self.terms.correction(db, ofSearchBox: text, syntax: syntax) {
                    let query = FTS5Query(searchBox: correction, syntax: syntax)
                    try expect(query != nil, "\(text.debugDescription) is corrected to \(correction.debugDescription)")
                }
            } catch let error as DatabaseError {
                throw BrokenPromise(description: "suggestions for \(text.debugDescription): \(error)")
            }
        }
    }
}
