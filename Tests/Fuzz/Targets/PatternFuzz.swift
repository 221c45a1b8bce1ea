import AmalgamConcurrency
import AmalgamCore
import AmalgamFullText
import AmalgamQuery
import AmalgamRecords

/// Patterns of FTS5 and FTS3, LIKE and GLOB, and the cursors of search pages.
///
/// The first byte selects the kind, the others are the text. A pattern that is accepted can be searched for. LIKE and GLOB match
/// as ``TextPattern`` does.
struct PatternFuzz: FuzzRun {
    private enum Kind: CaseIterable { case fts5, tokens, fts3, like, likeWithEscape, glob, cursor }

    private let database: DatabaseQueue

    init() throws {
        database = try DatabaseQueue()
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE document USING fts5(title, body);
                    CREATE VIRTUAL TABLE old USING fts4(title, body);
                    INSERT INTO document VALUES ('a title', 'some words in a body'), ('OR', 'x y z');
                    INSERT INTO old SELECT * FROM document;
                    """)
        }
    }

    func run(_ input: FuzzInput) throws {
        var input = input
        let kind = input.element(of: Kind.allCases)
        try database.read { db in
            switch kind {
            case .fts5: try checkPattern(db, input.text)
            case .tokens: try checkTokens(db, input.text)
            case .fts3: try checkOldPattern(db, input.text)
            case .like: try checkMatch(db, .like(escape: nil), &input)
            case .likeWithEscape: try checkMatch(db, .like(escape: Unicode.Scalar(input.byte() & 0x7F)), &input)
            case .glob: try checkMatch(db, .glob, &input)
            case .cursor: try checkCursor(input.text)
            }
        }
    }

    // MARK: Full text

    private func checkPattern(_ db: Database, _ text: String) throws {
        _ = FTS5Pattern.fromDatabaseValue(text.databaseValue)
        guard let pattern = try? FTS5Pattern(rawPattern: text, allowedColumns: ["title", "body"]) else { return }
        try search(db, "document", pattern.rawPattern)
        try expect(
            FTS5Pattern.fromDatabaseValue(text.databaseValue) == pattern, "\(text.debugDescription) isn't decoded")
    }

    private func checkTokens(_ db: Database, _ text: String) throws {
        let patterns = [
            FTS5Pattern(matchingAnyTokenIn: text), FTS5Pattern(matchingAllTokensIn: text),
            FTS5Pattern(matchingAllPrefixesIn: text), FTS5Pattern(matchingPhrase: text),
            FTS5Pattern(matchingPrefixPhrase: text),
        ]
        for pattern in patterns { if let pattern { try search(db, "document", pattern.rawPattern) } }
        let oldPatterns = [
            FTS3Pattern(matchingAnyTokenIn: text), FTS3Pattern(matchingAllTokensIn: text),
            FTS3Pattern(matchingAllPrefixesIn: text), FTS3Pattern(matchingPhrase: text),
        ]
        for pattern in oldPatterns { if let pattern { try search(db, "old", pattern.rawPattern) } }
        // A phrase and a prefix of any text are searched for, not parsed.
        for query in [FTS5Query(text), .prefix(text), FTS5Query(text).inColumns("title")] {
            do {
                _ = try Table("document").matching(query).fetchCount(db)
            } catch {
                throw BrokenPromise(description: "\(text.debugDescription) → \(query): \(error)")
            }
        }
    }

    private func checkOldPattern(_ db: Database, _ text: String) throws {
        guard let pattern = try? FTS3Pattern(rawPattern: text) else { return }
        // A column filter of another table is text in this one.
        try search(db, "old", pattern.rawPattern)
    }

    private func search(_ db: Database, _ table: String, _ pattern: String) throws {
        do {
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table) WHERE \(table) MATCH ?", arguments: [pattern])
        } catch {
            throw BrokenPromise(description: "the pattern \(pattern.debugDescription) was accepted: \(error)")
        }
    }

    // MARK: LIKE and GLOB

    /// The pattern is a line, the rest is the text. SQLite's functions see both up to the first NUL.
    private func checkMatch(_ db: Database, _ kind: TextPattern.Kind, _ input: inout FuzzInput) throws {
        let pattern = input.line().replacing("\0", with: "")
        let text = input.text.replacing("\0", with: "")
        let expression =
            switch kind {
            case .like(let escape?): text.databaseValue.sqlExpression.like(pattern, escape: String(escape))
            case .like(nil): text.databaseValue.sqlExpression.like(pattern)
            case .glob: text.databaseValue.sqlExpression.glob(pattern)
            }
        let found: Bool?
        do {
            let request: SQLRequest<Bool> = "SELECT \(expression)"
            found = try request.fetchOne(db)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // An escape that isn't one character, or a pattern that is too long.
            return
        }
        let matches = TextPattern(pattern, kind).matches(text)
        try expect(
            found == matches,
            "\(text.debugDescription) \(kind) \(pattern.debugDescription) is \(found.map { "\($0)" } ?? "NULL")")
    }

    // MARK: Cursors

    private func checkCursor(_ text: String) throws {
        guard let cursor = SearchPageCursor(text) else { return }
        try expect(SearchPageCursor(cursor.description) == cursor, "the cursor \(cursor) isn't parsed as itself")
    }
}
