import Amalgam
import Foundation
import TestSupport
import Testing

@Suite("Auxiliary functions")
struct FunctionTests {
    private let texts = ["sqlite is a database", "a database holds tables of a database", "nothing to see"]
    private let pattern = FTS5Pattern(matchingPhrase: "database")

    /// Returns the rowids and the values of an expression, for the rows that match.
    private func values<Value: DatabaseValueConvertible>(
        _ expression: SQLExpression, as type: Value.Type, _ db: Database, pattern: FTS5Pattern? = nil
    ) throws -> [Value] {
        try Document.matching(pattern ?? self.pattern).select(expression, as: type).order(Column.rowID).fetchAll(db)
    }

    // MARK: Functions of FTS5

    @Test("highlight and snippet")
    func highlight() throws {
        try withDocuments(texts) { db in
            let body = Document.Columns.body
            let request = Document.matching(pattern).select { FTS5.highlight($0.body, from: "<", to: ">") }
            expectEqual(
                try request.expandedSQL(db),
                #"SELECT highlight("document", 1, '<', '>') FROM "document" WHERE "document" MATCH '"database"'"#)
            expectEqual(
                try values(FTS5.highlight(body, from: "<", to: ">"), as: String.self, db),
                ["sqlite is a <database>", "a <database> holds tables of a <database>"])
            expectEqual(
                try values(FTS5.snippet(body, from: "<", to: ">", tokenCount: 2), as: String.self, db),
                ["…a <database>", "a <database>…"])
            expectEqual(
                try values(FTS5.snippet(from: "[", to: "]", ellipsis: "...", tokenCount: 2), as: String.self, db),
                ["...a [database]", "a [database]..."])
            expectEqual(try values(FTS5.snippet(body, from: "", to: "", tokenCount: -5), as: String.self, db).count, 2)
        }
    }

    @Test("bm25 with weights by the names of columns")
    func bm25() throws {
        try withDocuments(texts) { db in
            let request = Document.matching(pattern)
            expectEqual(
                try request.order(FTS5.bm25(weights: ["body": 0.5])).expandedSQL(db),
                #"SELECT * FROM "document" WHERE "document" MATCH '"database"' ORDER BY bm25("document", 1.0, 0.5)"#)
            expectEqual(
                try request.order(FTS5.bm25()).expandedSQL(db),
                #"SELECT * FROM "document" WHERE "document" MATCH '"database"' ORDER BY bm25("document")"#)
            let plain = try values(FTS5.bm25(), as: Double.self, db)
            let ranks = try values(Column.rank.sqlExpression, as: Double.self, db)
            #expect(plain == ranks)
            let weighted = try values(FTS5.bm25(weights: ["body": 10]), as: Double.self, db)
            #expect(zip(plain, weighted).allSatisfy { $0 > $1 })
            expectError(.SQLITE_ERROR, "no such column: author in table document") {
                _ = try request.order(FTS5.bm25(weights: ["author": 1])).fetchAll(db)
            }
        }
    }

    @Test("a ranking that a search asks for")
    func ranked() throws {
        try withDocuments(texts) { db in
            let byTitle = FTS5Function("byTitle") { match, arguments in
                let title = try match.text(ofColumn: 0)
                return (Double(title) ?? 0) * (Double.fromDatabaseValue(arguments[0]) ?? 0)
            }
            try db.add(auxiliaryFunction: byTitle)
            let request = Document.matching(pattern)
            expectEqual(
                try request.ranked(by: .bm25([10, 1])).expandedSQL(db),
                #"SELECT * FROM "document" WHERE ("document" MATCH '"database"') AND ("rank" MATCH 'bm25(10.0, 1.0)') ORDER BY "rank""#
            )
            expectEqual(try request.ranked(by: .bm25()).fetchAll(db).map(\.title), ["1", "0"])
            expectEqual(try request.ranked(by: .function(byTitle, 1)).fetchAll(db).map(\.title), ["0", "1"])
            expectEqual(try request.ranked(by: .function(byTitle, -1)).fetchAll(db).map(\.title), ["1", "0"])
        }
    }

    @Test(
        "weights of any size: FTS5 reads no exponents",
        arguments: [1e-7, 1.25e20, -3e-300, .leastNonzeroMagnitude, 1e308, .infinity, 0.1])
    func rankedByAnyWeight(weight: Double) throws {
        try withArticles { db in
            let request = Article.matching("swift").ranked(by: .bm25([weight]))
            expectEqual(try request.fetchAll(db).count, 2)
            let scores = try request.select(Column.rank, as: Double?.self).fetchAll(db)
            let others = try Article.matching("swift").order(FTS5.bm25(weights: ["title": weight]))
                .select(FTS5.bm25(weights: ["title": weight]), as: Double?.self).fetchAll(db)
            #expect(scores == others)
        }
    }

    @Test("a contentless table without sizes says so")
    func noSizes() throws {
        let size = FTS5Function("size") { match, _ in try match.size() }
        let titleSize = FTS5Function("titleSize") { match, _ in try match.size(ofColumn: 0) }
        try DatabaseQueue().write { db in
            for function in [size, titleSize] { try db.add(auxiliaryFunction: function) }
            try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(body, content='', columnsize=0)")
            try db.execute(sql: "INSERT INTO document(rowid, body) VALUES (1, 'a b')")
            for function in [size, titleSize] {
                let request = Table("document").matching("a" as FTS5Query).select(function(), as: Int.self)
                expectError(.SQLITE_ERROR, "a contentless table with columnsize=0 knows no sizes of texts") {
                    _ = try request.fetchOne(db)
                }
            }
        }
    }

    // MARK: Functions in Swift

    @Test("what a function knows of the row and the search")
    func view() throws {
        let describe = FTS5Function("describe") { match, arguments in
            let hits = try match.hits().map { "\($0.phrase)/\($0.column)/\($0.tokenOffset)" }
            let phrases = try (0..<match.phraseCount).map { try match.tokens(ofPhrase: $0).joined(separator: "+") }
            let columns = try match.columns(ofPhrase: 0)
            return """
                \(match.rowID): \(phrases) \(hits) \(columns) \(try match.size(ofColumn: 1)) of \(try match.size()), \
                \(match.columnCount) columns, \(try match.size(ofPhrase: 1)) tokens
                """
        }
        try withDocuments(texts) { db in
            try db.add(auxiliaryFunction: describe)
            let pattern = try FTS5Pattern(rawPattern: "database AND \"of a\"")
            expectEqual(
                try values(describe(), as: String.self, db, pattern: pattern),
                [#"2: ["database", "of+a"] ["0/1/1", "1/1/4", "0/1/6"] [1] 7 of 8, 2 columns, 2 tokens"#])
        }
    }

    @Test("bm25 in Swift is that of FTS5")
    func bm25InSwift() throws {
        let bm25 = FTS5Function("swiftBM25") { match, arguments in
            let weights = try match.cached([Double].self) { match in
                let rows = Double(try match.rowCount())
                return try (0..<match.phraseCount).map { phrase in
                    let count = Double(try match.rowCount(ofPhrase: phrase))
                    return max(1e-6, log((rows - count + 0.5) / (count + 0.5)))
                }
            }
            let size = Double(try match.size())
            let average = try match.averageSize()
            var frequencies = [Double](repeating: 0, count: weights.count)
            for hit in try match.hits() { frequencies[hit.phrase] += 1 }
            return -zip(weights, frequencies).reduce(0.0) { sum, phrase in
                let (weight, frequency) = phrase
                return sum + weight * (frequency * 2.2) / (frequency + 1.2 * (0.25 + 0.75 * size / average))
            }
        }
        var texts = texts
        for number in 0..<20 { texts.append("filler \(number)") }
        try withDocuments(texts) { db in
            try db.add(auxiliaryFunction: bm25)
            let ours = try values(bm25(), as: Double.self, db)
            let theirs = try values(FTS5.bm25(), as: Double.self, db)
            #expect(ours.count == 2)
            #expect(zip(ours, theirs).allSatisfy { abs($0 - $1) < 1e-9 })
            expectEqual(try Document.matching(pattern).order(bm25()).fetchAll(db).map(\.title), ["1", "0"])
        }
    }

    @Test("what is cached is made once for a search, and goes away with it")
    func cache() throws {
        final class Counter: @unchecked Sendable {
            // Sendable: only one thread uses it.
            var made = 0
            var alive = 0
        }
        final class Token {
            let counter: Counter
            init(_ counter: Counter) {
                self.counter = counter
                counter.made += 1
                counter.alive += 1
            }
            deinit { counter.alive -= 1 }
        }
        let counter = Counter()
        let cached = FTS5Function("cached") { match, arguments in
            try match.cached { _ in Token(counter) }.counter.made
        }
        try withDocuments(texts) { db in
            try db.add(auxiliaryFunction: cached)
            expectEqual(try values(cached(), as: Int.self, db), [1, 1])
            expectEqual(try values(cached(), as: Int.self, db), [2, 2])
            #expect(counter.alive == 0)
        }
    }

    @Test("numbers that are too large, and errors of the closure")
    func errors() throws {
        struct Failure: Error {}
        let function = FTS5Function("failing") { match, arguments in
            switch Int.fromDatabaseValue(arguments[0]) {
            case 0: return try match.text(ofColumn: 2)
            case 1: return try match.size(ofColumn: -1)
            case 2: return try match.size(ofPhrase: 1)
            case 3: return try match.columns(ofPhrase: -1).count
            case 4: throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "no")
            case 5:
                try match.forEachRow(ofPhrase: 0) { _ in throw Failure() }
                return nil
            default: return nil
            }
        }
        try withDocuments(texts) { db in
            try db.add(auxiliaryFunction: function)
            let columns = "the full-text table has 2 columns"
            let phrases = "the pattern has 1 phrases"
            for (number, code, message) in [
                (0, ResultCode.SQLITE_RANGE, "there is no column 2: \(columns)"),
                (1, .SQLITE_RANGE, "there is no column -1: \(columns)"),
                (2, .SQLITE_RANGE, "there is no phrase 1: \(phrases)"),
                (3, .SQLITE_RANGE, "there is no phrase -1: \(phrases)"), (4, .SQLITE_MISMATCH, "no"),
                (5, .SQLITE_ERROR, "Failure()"),
            ] {
                expectError(code, message) { _ = try values(function(number), as: Int?.self, db) }
            }
            expectEqual(try values(function(9), as: Int?.self, db), [nil, nil])
            expectError(.SQLITE_ERROR, "unable to use function failing in the requested context") {
                try db.execute(sql: "SELECT failing(1)")
            }
        }
    }

    @Test("a function takes the place of another one")
    func replacement() throws {
        try withDocuments(texts) { db in
            let one = FTS5Function("number") { _, _ in 1 }
            let two = FTS5Function("number") { _, _ in 2 }
            try db.add(auxiliaryFunction: one)
            expectEqual(try values(one(), as: Int.self, db), [1, 1])
            try db.add(auxiliaryFunction: two)
            expectEqual(try values(one(), as: Int.self, db), [2, 2])
            expectError(.SQLITE_MISUSE, "an auxiliary function needs a name without NUL characters") {
                try db.add(auxiliaryFunction: FTS5Function("") { _, _ in nil })
            }
        }
    }

    @Test("functions belong to requests")
    func noTable() throws {
        try withDocuments([]) { db in
            expectError(.SQLITE_MISUSE, "auxiliary functions of FTS5 belong to a request of a full-text table") {
                let query: SQL = "SELECT \(FTS5.bm25())"
                try db.execute(literal: query)
            }
        }
    }
}
