import Amalgam
import Foundation
import TestSupport
import Testing

@testable import AmalgamFullText

@Suite("More like this")
struct SimilarityTests {
    let vocabulary = FTS5Terms("articleTerms", of: "article")

    @Test("terms that are often in the article, and in few others, come first")
    func significantTerms() throws {
        try withArticles { db in
            let terms = try vocabulary.significantTerms(db, ofDocument: 2, columns: ["title", "body"])
            #expect(terms.map(\.term) == ["database", "a", "sqlite", "in"])
            #expect(terms.map(\.occurrenceCount) == [2, 3, 1, 1])
            #expect(terms.map(\.documentCount) == [2, 3, 2, 3])
            for (term, next) in zip(terms, terms.dropFirst()) { #expect(term.weight >= next.weight) }
            #expect(try vocabulary.significantTerms(db, ofDocument: 2, limit: 1).count == 1)
            #expect(try vocabulary.significantTerms(db, ofDocument: 2, limit: -1).isEmpty)
            #expect(try vocabulary.significantTerms(db, ofDocument: 99).isEmpty)
        }
    }

    @Test("the weight is that of bm25, times the occurrences")
    func weights() throws {
        try withArticles { db in
            let terms = try vocabulary.significantTerms(db, of: "SQLite sqlite text")
            // log(1 + (4 - 2 + 0.5) / (2 + 0.5)) = log(2), twice; log(1 + (4 - 3 + 0.5) / (3 + 0.5))
            #expect(terms.map(\.term) == ["sqlite", "text"])
            #expect(abs(terms[0].weight - 2 * 0.693147) < 0.0001)
            #expect(abs(terms[1].weight - 0.356675) < 0.0001)
        }
    }

    @Test("the index of terms and the text say the same")
    func instances() throws {
        try withArticles { db in
            for id in 1...4 as ClosedRange<Int64> {
                let byText = try vocabulary.significantTerms(db, ofDocument: id, columns: ["title", "body"])
                let byIndex = try vocabulary.significantTerms(db, ofDocument: id, inInstances: "articleInstances")
                #expect(byText == byIndex)
            }
        }
    }

    @Test("a contentless table that cannot be read from end to end")
    func unreadableTable() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE document USING fts5(body, content='', columnsize=0);
                    CREATE VIRTUAL TABLE terms USING fts5vocab('document', 'row');
                    CREATE VIRTUAL TABLE instances USING fts5vocab('document', 'instance');
                    INSERT INTO document(rowid, body) VALUES (1, 'a a b'), (2, 'a c'), (3, 'b c c'), (4, 'd')
                    """)
            let vocabulary = FTS5Terms("terms", of: "document")
            expectEqual(try vocabulary.significantTerms(db, of: "c c a").map(\.term), ["c", "a"])
            let terms = try vocabulary.significantTerms(db, ofDocument: 1, inInstances: "instances")
            #expect(terms.map(\.term) == ["a", "b"])
        }
    }

    @Test("the rows are not counted: FTS5 knows how many there are")
    func sql() throws {
        try withArticles { db in
            let sql = try statements(db) { _ = try vocabulary.query(db, similarTo: "swift") }
            #expect(!sql.contains { $0.contains("COUNT") })
        }
    }

    @Test("a query for similar documents")
    func queries() throws {
        try withArticles { db in
            let query = try #require(try vocabulary.query(db, similarToDocument: 2, columns: ["title", "body"]))
            #expect(query.description == "database OR a OR sqlite OR in")
            let similar = try Article.matching(query).filter(Column.rowID != 2).order(Column.rank).fetchAll(db)
            #expect(similar.first?.title == "SQLite in Swift")
            let text = try #require(try vocabulary.query(db, similarTo: "A story of the moon, in a text"))
            #expect(text.description == "a OR in OR text")
            expectEqual(try vocabulary.query(db, similarTo: "nothing of this"), nil)
            expectEqual(try vocabulary.query(db, similarToDocument: 99), nil)
        }
    }

    @Test("a table of other values than instances is an error")
    func wrongInstances() throws {
        try withArticles { db in
            try db.execute(sql: "CREATE TABLE other (term, doc); INSERT INTO other VALUES (NULL, 1)")
            #expect(throws: RowDecodingError.self) {
                try vocabulary.significantTerms(db, ofDocument: 1, inInstances: "other")
            }
        }
    }

    @Test("an unknown column")
    func unknownColumn() throws {
        try withArticles { db in
            let error = #expect(throws: DatabaseError.self) {
                _ = try vocabulary.significantTerms(db, ofDocument: 1, columns: ["missing"])
            }
            #expect(error?.message?.hasPrefix(#"no such column: "missing""#) == true)
        }
    }

    @Test("a stem that has a stem of its own is searched for by a word of the document")
    func stems() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE document USING fts5(title, body, tokenize = 'porter');
                    CREATE VIRTUAL TABLE terms USING fts5vocab('document', 'row');
                    CREATE VIRTUAL TABLE instances USING fts5vocab('document', 'instance');
                    INSERT INTO document VALUES ('', 'Databases of otters'), ('', 'the DATABASE'), ('', 'herons');
                    """)
            let vocabulary = FTS5Terms("terms", of: "document", tokenizer: .porter())
            expectEqual(try vocabulary.significantTerms(db, ofDocument: 1).map(\.term), ["databas"])
            for query in [
                try vocabulary.query(db, similarToDocument: 1), try vocabulary.query(db, similarTo: "a database"),
            ] {
                expectEqual(try db.rowIDs(of: query), [1, 2])
            }
            expectEqual(try vocabulary.query(db, similarToDocument: 1)?.description, "Databases")
            // The rows aren't counted for the term either.
            let sql = try statements(db) { _ = try vocabulary.query(db, similarToDocument: 1) }
            #expect(!sql.contains { $0.contains("COUNT") })
        }
    }

    @Test("a table without texts, whose only term is a stem")
    func stemsWithoutTexts() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE document USING fts5(body, content='', columnsize=0, tokenize = 'porter');
                    CREATE VIRTUAL TABLE terms USING fts5vocab('document', 'row');
                    CREATE VIRTUAL TABLE instances USING fts5vocab('document', 'instance');
                    INSERT INTO document(rowid, body) VALUES (1, 'databases'), (2, 'database')
                    """)
            let vocabulary = FTS5Terms("terms", of: "document", tokenizer: .porter())
            let terms = try vocabulary.significantTerms(db, ofDocument: 1, inInstances: "instances")
            #expect(terms.map(\.term) == ["databas"])
        }
    }

    static let tokenizers: [RoundTrip] = {
        let stopWords = FTS5TokenizerModule.stopWords(FTS5TokenizerModule.englishStopWords)
        let synonyms = FTS5TokenizerModule.synonyms([["commit", "write"], ["database", "file"]])
        let late = FTS5TokenizerModule.synonyms([["commit", "write"]], expanding: .queries, named: "late")
        let html = FTS5TokenizerModule.html()
        return [
            RoundTrip([]), RoundTrip([], .porter()), RoundTrip([], .trigram()),
            RoundTrip([stopWords, synonyms], .porter()),
            RoundTrip([late, .identifiers()], .porter()), RoundTrip([.folding(), .cjkBigrams()], .porter()),
            RoundTrip([html], .porter(), .html), RoundTrip([.json()], .porter(), .json),
        ]
    }()

    @Test("each term of the query for a document finds the document", arguments: tokenizers)
    func everyTerm(roundTrip: RoundTrip) throws {
        let documents = try Self.paragraphs().map(roundTrip.document)
        try withDocuments(documents, tokenizer: roundTrip.descriptor, modules: roundTrip.modules) { db in
            try db.create(virtualTable: "terms", using: FTS5VocabTable(of: "document"))
            let vocabulary = FTS5Terms("terms", of: "document", tokenizer: roundTrip.descriptor)
            var termCount = 0
            for id in 1...Int64(documents.count) {
                let terms = try vocabulary.significantTerms(db, ofDocument: id, columns: ["body"])
                let query = try vocabulary.query(db, similarToDocument: id, columns: ["body"])
                let phrases: [FTS5Query] =
                    switch query?.node {
                    case .or(let queries): queries
                    default: [query].compactMap(\.self)
                    }
                #expect(phrases.count == terms.count, "\(terms.map(\.term)) → \(query?.description ?? "")")
                for phrase in phrases {
                    let found = try db.rowIDs(of: phrase)
                    #expect(found.contains(id), "\(phrase)")
                }
                termCount += terms.count
            }
            #expect(termCount > 500)
        }
    }

    /// Returns English prose: the paragraphs of the documentation.
    private static func paragraphs() throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let pages = [
            "internals/connections", "internals/observation", "internals/statements", "internals/requests",
            "internals/records", "internals/wal", "internals/engine", "internals/json", "full-text",
        ]
        let texts = try pages.map { "docs/\($0).md" }.map { path in
            try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        let paragraphs = texts.flatMap { $0.components(separatedBy: "\n\n") }
        let plain = paragraphs.filter { $0.count > 80 && !$0.contains(#/["<\\]/#) }
        return plain.prefix(80).map { $0.replacing("\n", with: " ") }
    }

    @Test("a document matches the query for similar ones, but a shorter one may be a better match")
    func shorterDocument() throws {
        try DatabaseQueue().write { db in
            let filler = String(repeating: "filler ", count: 60)
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE page USING fts5(body);
                    CREATE VIRTUAL TABLE terms USING fts5vocab('page', 'row');
                    INSERT INTO page VALUES ('sqlite swift \(filler)'), ('sqlite swift'), ('other'), ('more'), ('words')
                    """)
            let query = try #require(try FTS5Terms("terms", of: "page").query(db, similarToDocument: 1))
            let found = Table("page").matching(query).order(Column.rank).select(Column.rowID, as: Int64.self)
            expectEqual(try found.fetchAll(db), [2, 1])
        }
    }
}
