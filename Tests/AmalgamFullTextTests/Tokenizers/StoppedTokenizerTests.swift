import Amalgam
import TestSupport
import Testing

/// Tokenizers that a time limit stops while no statement runs.
@Suite("Stopped tokenizers")
struct StoppedTokenizerTests {
    /// More tokens than a tokenizer gives between two looks at the limit.
    private let document = String(repeating: "word and ", count: 1_000)

    private func expectTimeLimit(_ db: Database, _ limits: ExecutionLimits, _ body: () throws -> Void) throws {
        let error = expectCode(.SQLITE_INTERRUPT) { try db.withLimits(limits, body) }
        #expect(error?.exceededLimit == .time)
        #expect(error?.message?.hasPrefix("interrupted: the limit of ") == true)
        expectEqual(try Int.fetchOne(db, sql: "SELECT 1"), 1)
    }

    @Test(
        "throw the error of the limit, in C and in Swift, and in each other",
        arguments: [
            FTS5TokenizerDescriptor.unicode61(), .porter(), .snowball(language: .english),
            FTS5TokenizerDescriptor(components: ["words", "unicode61"]),
            FTS5TokenizerDescriptor(components: ["porter", "words", "unicode61"]),
        ])
    func tokenizers(descriptor: FTS5TokenizerDescriptor) throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: .stopWords(["and"], named: "words"))
            let tokenizer = try db.makeTokenizer(descriptor)
            try expectTimeLimit(db, .time(.zero)) { _ = try tokenizer.tokenize(document: document) }
            expectEqual(try tokenizer.tokenize(document: "word").count, 1)
        }
    }

    @Test("throw the error of an inner limit, and none after it")
    func nestedLimits() throws {
        try DatabaseQueue().write { db in
            let tokenizer = try db.makeTokenizer(.unicode61())
            try db.withLimits(.time(.seconds(1_000))) {
                try expectTimeLimit(db, .time(.zero)) { _ = try tokenizer.tokenize(document: document) }
                expectEqual(try tokenizer.tokenize(document: document).count, 2_000)
            }
        }
    }

    @Test("stop the search for significant terms and similar documents")
    func similarity() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE VIRTUAL TABLE d USING fts5(x); CREATE VIRTUAL TABLE v USING fts5vocab(d, row)")
            let terms = FTS5Terms("v", of: "d")
            let text = String(repeating: "word and ", count: 1_000_000)
            let limits = ExecutionLimits.time(.milliseconds(20))
            try expectTimeLimit(db, limits) { _ = try terms.significantTerms(db, of: text) }
            try expectTimeLimit(db, limits) { _ = try terms.query(db, similarTo: text) }
        }
    }
}
