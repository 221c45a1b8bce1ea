import Amalgam
import TestSupport

/// Generates documents of random words.
struct RandomDocuments {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// Returns a document with some of the pieces.
    mutating func document(of pieces: [String], count: ClosedRange<Int> = 1...12) -> String {
        (0..<Int.random(in: count, using: &generator)).map { _ in pieces.randomElement(using: &generator)! }.joined()
    }

    /// Returns a random range of a sequence.
    mutating func part(of count: Int) -> ClosedRange<Int> {
        let start = Int.random(in: 0..<count, using: &generator)
        return start...Int.random(in: start..<count, using: &generator)
    }

    mutating func element<T>(of values: [T]) -> T { values.randomElement(using: &generator)! }
}

extension Database {
    /// Returns the rowids of the documents that a query matches.
    func rowIDs(of query: FTS5Query?) throws -> [Int64] {
        try Document.matching(query).select(Column.rowID, as: Int64.self).order(Column.rowID).fetchAll(self)
    }

    /// Returns the rowids of the documents that a search box finds.
    func rowIDs(searchBox text: String, syntax: SearchBoxSyntax = SearchBoxSyntax()) throws -> [Int64] {
        try rowIDs(of: FTS5Query(searchBox: text, syntax: syntax))
    }
}
