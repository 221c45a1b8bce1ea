import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Random queries with NOT, NEAR and phrases, nested below OR and AND.
private struct NestedQueries {
    var random: SeededGenerator

    mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }

    mutating func word() -> String { ["a", "b", "c", "d", "e"].randomElement(using: &random)! }

    mutating func query(depth: Int) -> String {
        if depth == 0 || number(0...3) == 0 {
            return switch number(0...4) {
            case 0: word()
            case 1: word() + "*"
            case 2: "\"\(word()) \(word())\""
            case 3: "NEAR(\(word()) \(word()), \(number(0...3)))"
            default: "NEAR(\"\(word()) \(word())\" \(word()) \(word()), \(number(0...5)))"
            }
        }
        let operation = ["OR", "AND", "NOT"].randomElement(using: &random)!
        return "(\(query(depth: depth - 1)) \(operation) \(query(depth: depth - 1)))"
    }

    mutating func document() -> String {
        (0..<number(0...14)).map { _ in ["a", "b", "c", "d", "e", "f"].randomElement(using: &random)! }
            .joined(separator: " ")
    }
}

@Suite("Highlights of nested queries")
struct NestedHighlightTests {
    private func withTable(_ seed: UInt64, _ test: (Database, inout NestedQueries) throws -> Void) throws {
        var queries = NestedQueries(random: SeededGenerator(seed: seed))
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE d USING fts5(body)")
            for rowID in 0..<60 {
                try db.execute(
                    sql: "INSERT INTO d(rowid, body) VALUES (?, ?)",
                    arguments: [rowID * queries.number(1...3) + 200 * rowID, queries.document()])
            }
            try test(db, &queries)
        }
    }

    @Test("a ranked search marks the phrases that FTS5 marks", arguments: seeds(30))
    func highlights(seed: UInt64) throws {
        try withTable(seed) { db, queries in
            for _ in 0..<20 {
                let sql = """
                    SELECT rowid, highlight(d, 0, '[', ']'), rank FROM d WHERE d MATCH ?
                    \(queries.number(0...2) == 0 ? "AND rowid BETWEEN 1000 AND 9000" : "")
                    ORDER BY rank, rowid LIMIT \(queries.number(1...50))
                    """
                let arguments: StatementArguments = [queries.query(depth: 4)]
                let found = try Row.fetchAll(db, sql: sql, arguments: arguments)
                let expected = try db.withoutRankedSearches { try Row.fetchAll(db, sql: sql, arguments: arguments) }
                #expect(found == expected, "seed \(seed): \(arguments)")
            }
        }
    }
}
