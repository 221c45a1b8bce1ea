import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// Excerpts of documents with very many matches take time in proportion to the matches, and stop at a limit.
@Suite("Excerpts of large documents")
struct LargeDocumentTests {
    private static let line = "about an okapi and a apple\n"
    private static let hostile = Array(repeating: "a*", count: 20).joined(separator: " OR ")

    private func withDocument(lines: Int, _ test: (Database) throws -> Void) throws {
        try withDocuments([String(repeating: Self.line, count: lines)]) { db in try test(db) }
    }

    @Test("a text of 3.9 MB with a word on each line has an excerpt")
    func excerpt() throws {
        try withDocument(lines: 145_000) { db in
            let time = try threadTime {
                let request = Document.matching(FTS5Query(searchBox: "okapi"))
                    .select(FTS5.markedSnippet(Document.Columns.body, tokenCount: 8), as: FTS5MarkedSnippet.self)
                let excerpt = try #require(try request.fetchOne(db))
                expectEqual(
                    FTS5.html(excerpt, from: "[", to: "]"), "about an [okapi] and a apple\nabout an…")
            }
            // A comparison of each match with each other one would take hours.
            #expect(time < .seconds(20))
        }
    }

    @Test("snippet() of SQLite takes time in proportion to the matches")
    func snippet() throws {
        try withDocument(lines: 20_000) { db in
            let time = try threadTime {
                let request = Document.matching(try FTS5Pattern(rawPattern: Self.hostile))
                    .select(
                        FTS5.snippet(Document.Columns.body, from: "[", to: "]", tokenCount: 3), as: String.self)
                expectEqual(try request.fetchOne(db), "[about] [an] okapi…")
            }
            #expect(time < .seconds(20))
        }
    }

    @Test(
        "a search with many repeated words stops at its limit",
        arguments: ["marked", "snippet", "highlight", "text", "rank"])
    func limit(function: String) throws {
        try withDocument(lines: 50_000) { db in
            let column = Document.Columns.body
            let expression =
                switch function {
                case "marked": FTS5.markedSnippet(column)
                case "snippet": FTS5.snippet(column, from: "[", to: "]")
                case "highlight": FTS5.highlight(column, from: "[", to: "]")
                case "text": FTS5.markedText(column)
                default: FTS5.bm25()
                }
            let request = Document.matching(try FTS5Pattern(rawPattern: Self.hostile))
                .select(expression, as: DatabaseValue.self)
            let time = threadTime {
                let error = expectCode(.SQLITE_INTERRUPT) {
                    try db.withLimits(.time(.milliseconds(20))) { try request.fetchOne(db) }
                }
                #expect(error?.exceededLimit == .time)
            }
            #expect(time < .seconds(1))
            // The connection finds the document afterwards.
            expectEqual(try Document.matching("okapi").fetchCount(db), 1)
        }
    }

    @Test("excerpts read white space once, even if very many tokens begin in it", arguments: [true, false])
    func whiteSpace(isMarked: Bool) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE t USING fts5(x, tokenize = 'trigram');
                    INSERT INTO t VALUES ('a.' || replace(hex(zeroblob(400000)), '00', ' ') || 'needle. And more.')
                    """)
            let column = Column("x")
            let time = try threadTime {
                let request = Table("t").matching(try FTS5Pattern(rawPattern: "needle"))
                if isMarked {
                    let excerpt = try request.select(
                        FTS5.markedSnippet(column, tokenCount: 8), as: FTS5MarkedSnippet.self
                    ).fetchOne(db)
                    expectEqual(excerpt.map { FTS5.html($0, from: "[", to: "]").contains("[needle]") }, true)
                } else {
                    let excerpt = try request.select(
                        FTS5.snippet(column, from: "[", to: "]", tokenCount: 8), as: String.self
                    ).fetchOne(db)
                    expectEqual(excerpt?.contains("[needle]"), true)
                }
            }
            // To read it again for each token would take minutes.
            #expect(time < .seconds(20))
        }
    }

    @Test("an interruption stops an excerpt")
    func interruption() throws {
        try withDocument(lines: 20_000) { db in
            nonisolated(unsafe) let connection = db.sqliteConnection
            db.add(
                function: DatabaseFunction("interrupt", argumentCount: 0) { _ in
                    sqlite3_interrupt(connection)
                    return nil
                })
            expectCode(.SQLITE_INTERRUPT) {
                try Row.fetchOne(
                    db,
                    sql: """
                        SELECT interrupt(), highlight(document, 1, '[', ']') FROM document WHERE document MATCH 'a*'
                        """)
            }
        }
    }

    @Test("a tokenizer written in Swift stops at the limit")
    func tokenizer() throws {
        final class Endless: FTS5CustomTokenizer {
            static let name = "endless"
            init(db: Database, arguments: [String]) {}
            func tokenize(
                context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?,
                nText: CInt, tokenCallback: @escaping FTS5TokenCallback
            ) -> CInt {
                while true {
                    let code = "a".withCString { tokenCallback(context, 0, $0, 1, 0, 0) }
                    if code != 0 { return code }
                }
            }
        }
        try DatabaseQueue().write { db in
            db.add(tokenizer: Endless.self)
            try db.create(virtualTable: "endless", using: FTS5()) { t in
                t.tokenizer = Endless.tokenizerDescriptor()
                t.column("body")
            }
            let error = expectCode(.SQLITE_INTERRUPT) {
                try db.withLimits(.time(.milliseconds(20))) {
                    try Row.fetchAll(db, sql: "SELECT * FROM endless('a')")
                }
            }
            #expect(error?.exceededLimit == .time)
        }
    }

    @Test("repeated words of a search box are dropped")
    func repeatedWords() {
        func pattern(_ text: String) -> FTS5Query? { FTS5Query(searchBox: text) }
        #expect(pattern(Self.hostile) == pattern("a*"))
        #expect(pattern("okapi okapi OR okapi zebra -a -a") == pattern("okapi zebra -a"))
        #expect(pattern("a* a") != pattern("a*"))
    }
}
