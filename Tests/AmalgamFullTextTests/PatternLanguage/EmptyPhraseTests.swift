import Amalgam
import Foundation
import TestSupport
import Testing

@Suite("Phrases without token are ignored next to others")
struct EmptyPhraseTests {
    private let texts = ["swift and java", "rust", "swift", "java rust"]

    @Test("in the text of a search box, also next to a group")
    func searchBoxes() throws {
        try withDocuments(texts) { db in
            let syntax = SearchBoxSyntax(fields: ["body", "title"])
            let found: [(String, [Int64])] = [
                ("swift 😀", [1, 3]), ("(swift OR rust) 😀", [1, 2, 3, 4]), ("swift|rust 🚀", [1, 2, 3, 4]),
                ("(swift OR rust) €", [1, 2, 3, 4]), ("(swift OR rust) \u{200B}", [1, 2, 3, 4]),
                ("😀 (swift OR rust) java", [1, 4]), ("(swift OR rust) 😀 -java", [2, 3]),
                ("(swift OR rust) (😀 OR 🚀)", [1, 2, 3, 4]), ("(swift OR rust) (😀 -java)", [2, 3]),
                ("(swift OR rust) body:😀", [1, 2, 3, 4]), ("body:((swift OR rust) 😀)", [1, 2, 3, 4]),
                ("body:(😀 (swift OR rust)) java", [1, 4]), ("((swift OR rust) 😀) OR 🚀", [1, 2, 3, 4]),
                ("(swift OR 😀) (java OR rust)", [1]), ("(swift OR rust) -😀", [1, 2, 3, 4]),
                ("(swift OR rust) -(😀 OR java)", [2, 3]), ("(swift OR rust) -(😀 java)", [2, 3]),
                (#"(swift OR rust) "😀 🚀"*"#, [1, 2, 3, 4]), ("(swift OR rust) 😀java", [1, 4]),
                ("title:(swift OR rust) 😀", []),
                ("😀", []), ("😀 🚀", []), ("(😀 OR 🚀) 🎉", []), ("😀 -java", []), ("😀 (🚀 OR 🎉) -java", []),
            ]
            for (text, rowIDs) in found {
                expectEqual(try db.rowIDs(searchBox: text, syntax: syntax), rowIDs, "\(text)")
            }
        }
    }

    @Test("stop words have no token, and the tokenizer of the table knows them")
    func stopWords() throws {
        let module = FTS5TokenizerModule.stopWords(["the"])
        try withDocuments(["war of the worlds", "phone"], tokenizer: module.descriptor(), modules: [module]) { db in
            expectEqual(try db.rowIDs(searchBox: "(war OR phone) the"), [1, 2])
            expectEqual(try db.rowIDs(searchBox: "war|phone the"), [1, 2])
            expectEqual(try db.rowIDs(searchBox: "war|phone the*"), [])
            expectEqual(try db.rowIDs(of: ("war" || "phone") && "the"), [1, 2])
        }
    }

    @Test("two spellings of AND are one query")
    func spellings() throws {
        let both: FTS5Query = "swift" && "😀"
        #expect(both == FTS5Query.all(["swift", "😀"]))
        #expect(FTS5Query("a").and("b").and("c") == FTS5Query.all(["a", "b", "c"]))
        try withDocuments(texts) { db in
            expectEqual(try db.rowIDs(of: "swift" && "😀"), [1, 3])
            expectEqual(try db.rowIDs(of: ("swift" || "rust") && "😀"), [1, 2, 3, 4])
            let group: FTS5Query = "swift" || "rust"
            expectEqual(try db.rowIDs(of: FTS5Query.near("😀", "🚀") && group), [1, 2, 3, 4])
            expectEqual(try db.rowIDs(of: FTS5Query.initial("😀") && group), [1, 2, 3, 4])
            let prefix = FTS5Query.phrase("😀" + FTS5Phrase.prefix("ja"))
            expectEqual(try db.rowIDs(of: prefix && group), [1, 4])
            expectEqual(try db.rowIDs(of: group && FTS5Query("java").inColumns([])), [])
        }
    }

    @Test("a query without columns matches nothing, also in an OR with a phrase that is ignored")
    func nothing() throws {
        let nothing = FTS5Query("swift").inColumns([])
        try withDocuments(texts) { db in
            expectEqual(try db.rowIDs(of: nothing || "😀"), [])
            expectEqual(try db.rowIDs(of: "😀" || nothing), [])
            expectEqual(try db.rowIDs(of: "swift" && (nothing || "😀")), [])
            expectEqual(try db.rowIDs(of: ("😀" || nothing || "🚀") && ("swift" || "rust")), [])
            // Such an operand of AND excludes nothing.
            let excluded: FTS5Query = (nothing || "😀") && "🚀" && "swift"
            expectEqual(try db.rowIDs(of: "swift" && !excluded), [1, 3])
            // Next to a phrase with tokens, it has no effect.
            expectEqual(try db.rowIDs(of: nothing || "rust"), try db.rowIDs(of: "rust"))
            expectEqual(try db.rowIDs(of: "swift" && (nothing || "swift" || "😀")), [1, 3])
            expectEqual(
                try (nothing || "rust" || nothing).pattern(db, forTable: "document").rawPattern, "rust")
            expectEqual(try db.rowIDs(of: nothing || nothing), [])
            expectEqual(try (nothing || nothing).rawPattern(), "\"\"")
        }
    }

    @Test("the pattern of a table has no such phrases; that of a query alone has them")
    func patterns() throws {
        try withDocuments(texts) { db in
            let query: FTS5Query = ("swift" || "rust") && "😀" && !FTS5Query("java")
            #expect(query.description == "((swift OR rust) AND 😀) NOT java")
            expectEqual(try query.pattern(db, forTable: "document").rawPattern, "(swift OR rust) NOT java")
            // FTS5 ignores such a phrase outside of groups.
            let list: FTS5Query = "rock" && "😀"
            expectEqual(try list.pattern(db, forTable: "document").rawPattern, "rock 😀")
            // The search reports that the table doesn't exist.
            expectEqual(try query.pattern(db, forTable: "missing").rawPattern, query.description)
            try db.execute(sql: "CREATE TABLE plain (a)")
            expectEqual(try query.pattern(db, forTable: "plain").rawPattern, query.description)
        }
    }

    @Test("a connection that hasn't used the table yet asks its tokenizer, too")
    func newConnection() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "amalgam-\(UUID().uuidString).sqlite")
        let path = url.path(percentEncoded: false)
        defer { try? FileManager.default.removeItem(at: url) }
        let dbQueue = try DatabaseQueue(path: path)
        try dbQueue.write { db in try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(title, body)") }
        try dbQueue.close()
        let query: FTS5Query = ("swift" || "rust") && "😀"
        let pattern = try DatabaseQueue(path: path).read { db in try query.pattern(db, forTable: "document") }
        #expect(pattern.rawPattern == "swift OR rust")
    }

    @Test("the error of a tokenizer is that of the search")
    func failingTokenizer() throws {
        let module = FTS5TokenizerModule("failing") { db, _ in FailingTokenizer(try db.makeTokenizer(.unicode61())) }
        try withDocuments(texts, tokenizer: module.descriptor(), modules: [module]) { db in
            expectError(.SQLITE_ERROR, "no patterns today") {
                _ = try db.rowIDs(of: ("swift" || "rust") && "java")
            }
            expectError(.SQLITE_ERROR, "no patterns today") { _ = try db.rowIDs(of: "swift") }
        }
    }

    @Test("a tokenizer that drops its table while a query is looked at fails to do so")
    func tokenizerThatDropsItsTable() throws {
        let module = FTS5TokenizerModule("dropping") { db, _ in
            DroppingTokenizer(db, try db.makeTokenizer(.unicode61()))
        }
        try withDocuments(texts, tokenizer: module.descriptor(), modules: [module]) { db in
            expectEqual(try db.rowIDs(of: ("swift" || "rust") && "java"), [1, 4])
            expectEqual(try db.tableExists("document"), true)
        }
    }

    @Test("a search box with such words finds what it finds without them")
    func randomBoxes() throws {
        let words = [
            "swift", "rust", "java", "-swift", "-java", "(swift OR rust)", "(java OR -rust)", "body:(java rust)",
        ]
        let empty = ["😀", "\"😀 🚀\"", "(😀 OR 🚀)", "body:😀", "-😀", "(😀)", "€*"]
        var random = RandomDocuments(seed: 3)
        let syntax = SearchBoxSyntax(fields: ["body"])
        try withDocuments(texts) { db in
            var count = 0
            for _ in 0..<1_000 {
                let terms = (0...random.part(of: 4).upperBound).map { _ in random.element(of: words) }
                var crowded = terms
                for _ in 0...random.part(of: 3).upperBound {
                    crowded.insert(random.element(of: empty), at: random.part(of: crowded.count + 1).lowerBound)
                }
                let (text, box) = (crowded.joined(separator: " "), terms.joined(separator: " "))
                let found = try db.rowIDs(searchBox: box, syntax: syntax)
                expectEqual(try db.rowIDs(searchBox: text, syntax: syntax), found, "\(text)")
                count += found.count
            }
            #expect(count > 200)
        }
    }
}

private final class FailingTokenizer: FTS5WrapperTokenizer {
    static let name = "failing"
    let wrappedTokenizer: any FTS5Tokenizer

    init(_ wrapped: any FTS5Tokenizer) { wrappedTokenizer = wrapped }

    init(db: Database, arguments: [String]) throws { wrappedTokenizer = try db.makeTokenizer(.unicode61()) }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        if tokenization.contains(.query) { throw DatabaseError(message: "no patterns today") }
        try tokenCallback(token, flags)
    }
}

private final class DroppingTokenizer: FTS5WrapperTokenizer {
    static let name = "dropping"
    let wrappedTokenizer: any FTS5Tokenizer
    private let db: Database

    init(_ db: Database, _ wrapped: any FTS5Tokenizer) {
        self.db = db
        wrappedTokenizer = wrapped
    }

    init(db: Database, arguments: [String]) throws {
        self.db = db
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        if tokenization.contains(.query) {
            let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "DROP TABLE document") }
            // The first code if SQLite calls the tokenizer, the second one if the pattern calls it.
            #expect(error.map { [.SQLITE_READONLY, .SQLITE_LOCKED].contains($0.resultCode) } == true)
        }
        try tokenCallback(token, flags)
    }
}
