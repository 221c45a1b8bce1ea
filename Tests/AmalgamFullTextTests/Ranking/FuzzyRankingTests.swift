import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// The alternatives of a word are one word to the rules of ranking, and to the rank.
@Suite("The ranking of queries with typos")
struct FuzzyRankingTests {
    private static let tolerance = TypoTolerance(joinsAndSplitsWords: false)

    private static func fuzzy(_ text: String) -> FTS5Query { .fuzzy(text, tolerance: tolerance) }

    /// Returns the bodies of the documents that match, in the order of the rules, and then of the documents.
    private func bodies(_ texts: [String], _ query: FTS5Query, _ rules: [FTS5RankingRule]) throws -> [String] {
        try withDocuments(texts) { db in
            try Document.matching(query).ranked(by: rules + [.expression(Column.rowID)]).fetchAll(db).map(\.body)
        }
    }

    @Test("the SQL of the rules")
    func sql() throws {
        try withDocuments(["engine", "engines"]) { db in
            let request = Document.matching(Self.fuzzy("engine")).ranked(by: [.words, .typos, .relevance])
            expectEqual(
                try request.expandedSQL(db),
                """
                SELECT * FROM "document" WHERE ("document" MATCH 'engine OR engines') \
                AND ("rank" MATCH 'amalgam_typos(''0:0 0:1'')') ORDER BY amalgam_rank_words("document"), \
                amalgam_rank_typos("document"), "rank"
                """)
            expectEqual(
                try Document.matching("engine").ranked(by: [.typos]).expandedSQL(db),
                #"SELECT * FROM "document" WHERE "document" MATCH 'engine' ORDER BY amalgam_rank_typos("document")"#)
        }
    }

    @Test("two alternatives are one word")
    func words() throws {
        let query = Self.fuzzy("engine") || Self.fuzzy("database")
        expectEqual(
            try bodies(["engine engines", "databse", "engin databse", "other"], query, [.words]),
            ["engin databse", "engine engines", "databse"])
    }

    @Test("fewer typos first, each word with its best alternative")
    func typos() throws {
        let texts = ["engin databse", "engines database", "engine database", "databases engin engine"]
        expectEqual(
            try bodies(texts, Self.fuzzy("engine database"), [.typos]),
            ["engine database", "engines database", "databases engin engine", "engin databse"])
        // A word that isn't in the document has no typos: it is the rule for words that comes first.
        expectEqual(
            try bodies(["engine databse", "engine"], Self.fuzzy("engine") || Self.fuzzy("database"), [.typos]),
            ["engine", "engine databse"])
        // In a query without typos, all documents are equal.
        expectEqual(try bodies(["b", "a", "a b"], "a" || "b", [.typos]), ["b", "a", "a b"])
    }

    /// In a contentless table, FTS5 knows that a word is in a row, but not how often.
    @Test(
        "fewer typos first in tables whose index has no positions",
        arguments: ["content='', ", "content='', contentless_delete=1, ", "content='', columnsize=0, ", ""],
        ["detail=none", "detail=column"])
    func typosWithoutPositions(content: String, detail: String) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(body, \(content)\(detail))")
            for (index, text) in ["databse engine", "database engines", "databse engines", "database engine"]
                .enumerated()
            {
                try db.execute(sql: "INSERT INTO note(rowid, body) VALUES (?, ?)", arguments: [index + 1, text])
            }
            let request = Table("note").matching(Self.fuzzy("database engine")).select(Column.rowID, Column.rank)
            let ascending = request.order(Column.rank, Column.rowID)
            for (request, rowIDs) in [
                (ascending, [4, 1, 2, 3]), (ascending.limit(2), [4, 1]),
                (request.order(Column.rank.desc, Column.rowID), [3, 1, 2, 4]),
                (request.order(Column.rowID), [1, 2, 3, 4]),
            ] {
                let rows = try Row.fetchAll(db, request)
                #expect(rows.map { $0[0] as Int } == rowIDs)
                let typos = [1: 1, 2: 1, 3: 2, 4: 0]
                #expect(rows.map { ($0[1] as Double / 1_000_000).rounded() } == rowIDs.map { Double(typos[$0]!) })
            }
        }
    }

    @Test("the closest alternatives of two words")
    func proximity() throws {
        let texts = ["engine x x database", "engine x x engin database", "databse x engine", "database engines x"]
        expectEqual(
            try bodies(texts, Self.fuzzy("engine database"), [.proximity]),
            ["engine x x engin database", "database engines x", "engine x x database", "databse x engine"])
        // Two alternatives of one word are at no distance from each other.
        expectEqual(
            try bodies(["engine x x x engines", "engine"], Self.fuzzy("engine"), [.proximity]),
            ["engine x x x engines", "engine"])
    }

    @Test("the best column of a word's alternatives")
    func attribute() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE note USING fts5(title, body, tags);
                    INSERT INTO note VALUES ('x', 'engin', 'engine'), ('engines', 'x', 'engine'), ('x', 'x', 'engine')
                    """)
            func rowIDs(_ rule: FTS5RankingRule) throws -> [Int] {
                try Table("note").matching(Self.fuzzy("engine")).ranked(by: [rule, .expression(Column.rowID)])
                    .select(Column.rowID, as: Int.self).fetchAll(db)
            }
            expectEqual(try rowIDs(.attribute), [2, 1, 3])
            expectEqual(try rowIDs(.attribute(["tags"])), [1, 2, 3])
            expectEqual(try rowIDs(.attribute(["body", "title"])), [1, 2, 3])
        }
    }

    @Test("a word with a typo isn't exact")
    func exactness() throws {
        let texts = ["engin database", "an engine and a databse", "an engine", "engine database", "engines"]
        expectEqual(
            try bodies(texts, Self.fuzzy("engine") || Self.fuzzy("database"), [.exactness]),
            [
                "engine database", "engin database", "an engine and a databse", "an engine", "engines",
            ])
        expectEqual(
            try bodies(["engines", "an engine", "engine"], Self.fuzzy("engine"), [.exactness]),
            ["engine", "an engine", "engines"])
    }

    @Test("the phrases of an exact query are words, with and without a plan")
    func exactQueries() throws {
        let texts = ["engine x engines", "engines", "engine"]
        let query: FTS5Query = "engine" || "engines"
        expectEqual(try bodies(texts, query, [.words]), ["engine x engines", "engines", "engine"])
        try withDocuments(texts) { db in
            // The function is known after the first query with typos.
            _ = try Document.matching(Self.fuzzy("engine")).order(Column.rank).fetchAll(db)
            for plan in ["junk", "0:0", "0:0 2:0", "0:0 1:0"] {
                let bodies = try String.fetchAll(
                    db,
                    sql: """
                        SELECT body FROM document WHERE document MATCH 'engine OR engines' AND rank MATCH ?
                        ORDER BY rank, rowid
                        """, arguments: ["amalgam_typos('\(plan)')"])
                expectEqual(bodies, ["engine x engines", "engines", "engine"], "\(plan)")
            }
        }
    }

    @Test("random documents: the ranks and the rules are those of a simple model", arguments: ["", "5.0, 0.25"])
    func model(weights: String) throws {
        var random = RandomSearches(seed: 5, words: RandomSearches.similarWords)
        let columnWeights = weights.isEmpty ? [1, 1] : [5, 0.25]
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(title, body)")
            if !weights.isEmpty {
                try db.execute(
                    sql: "INSERT INTO document(document, rank) VALUES ('rank', ?)", arguments: ["bm25(\(weights))"])
            }
            var documents: [Int64: [[String]]] = [:]
            for rowID in 1...200 as ClosedRange<Int64> {
                let texts = [random.text(words: 4), random.text(words: 12)]
                documents[rowID] = texts.map { $0.split(separator: " ").map(String.init) }
                try db.execute(
                    sql: "INSERT INTO document(rowid, title, body) VALUES (?, ?, ?)",
                    arguments: [rowID, texts[0], texts[1]])
            }
            for number in 0..<60 {
                let (first, second) = (random.typo(), random.typo())
                let query =
                    number % 2 == 0 ? Self.fuzzy("\(first) \(second)") : Self.fuzzy(first) || Self.fuzzy(second)
                let expansions = try query.expansions(db, forTable: "document")
                // Words without alternatives aren't among the expansions.
                guard expansions.count == 2 else { continue }
                let model = Model(documents: documents, words: expansions, weights: columnWeights)
                let matches = model.matches(minimumWordCount: number % 2 == 0 ? 2 : 1)
                let request = Document.matching(query).select(Column.rowID, Column.rank)
                let found = try Row.fetchAll(db, request.order(Column.rank, Column.rowID)).map { RankedRow($0) }
                let ranked = matches.sorted { ($0.rank, $0.rowID) < ($1.rank, $1.rowID) }
                expectEqual(found.map(\.rowID), ranked.map(\.rowID), "\(query)")
                expectEqual(found.map(\.rank), ranked.map(\.rank.bitPattern), "\(query)")
                let rules: [FTS5RankingRule] = [.words, .typos, .expression(Column.rowID)]
                let ruled = try Row.fetchAll(db, request.ranked(by: rules)).map { $0[0] as Int64 }
                let sorted = matches.sorted {
                    (-$0.wordCount, $0.typoCount, $0.rowID) < (-$1.wordCount, $1.typoCount, $1.rowID)
                }
                expectEqual(ruled, sorted.map(\.rowID), "\(query)")
            }
        }
    }
}

/// The ranking by typos, computed from the words of the documents.
private struct Model {
    /// A document that matches.
    struct Match {
        var rowID: Int64
        var wordCount = 0
        var typoCount = 0
        var rank = 0.0
    }

    let documents: [Int64: [[String]]]
    let words: [FTS5Query.Expansion]
    let weights: [Double]

    func matches(minimumWordCount: Int) -> [Match] {
        let total = documents.values.reduce(0) { $0 + $1.joined().count }
        let average = Double(total) / Double(documents.count)
        return documents.map { match($0.key, $0.value, average) }.filter { $0.wordCount >= minimumWordCount }
    }

    /// BM25, minus a million for each typo. FTS5 negates it.
    private func match(_ rowID: Int64, _ columns: [[String]], _ average: Double) -> Match {
        var match = Match(rowID: rowID)
        let tokens = Set(columns.joined())
        var score = 0.0
        for word in words {
            guard let typos = word.alternatives.filter({ tokens.contains($0.text) }).map(\.typoCount).min() else {
                continue
            }
            match.wordCount += 1
            match.typoCount += typos
            let texts = word.alternatives.filter { $0.typoCount == typos }.map(\.text)
            let frequency = zip(columns, weights).reduce(0) { sum, column in
                sum + column.1 * Double(column.0.count { texts.contains($0) })
            }
            score += idf(word) * fraction(frequency, length: columns.joined().count, average)
        }
        match.rank = -1 * (score - 1e6 * Double(match.typoCount))
        return match
    }

    private func idf(_ word: FTS5Query.Expansion) -> Double {
        let (count, hits) = (Double(documents.count), Double(word.alternatives.map(\.documentCount).max() ?? 0))
        let idf = log((count - hits + 0.5) / (hits + 0.5))
        return idf <= 0 ? 1e-6 : idf
    }

    private func fraction(_ frequency: Double, length: Int, _ average: Double) -> Double {
        let (k1, b) = (1.2, 0.75)
        let denominator = frequency + k1 * (1 - b + b * Double(length) / average)
        return (frequency * (k1 + 1)) / denominator
    }
}
