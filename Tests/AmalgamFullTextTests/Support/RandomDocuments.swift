import Amalgam

/// Documents of random words, for tests that hold for any document.
struct RandomDocuments {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed) }

    /// A document of some of the pieces.
    mutating func document(of pieces: [String], count: ClosedRange<Int> = 1...12) -> String {
        (0..<Int.random(in: count, using: &generator)).map { _ in pieces.randomElement(using: &generator)! }.joined()
    }

    /// A part of a sequence.
    mutating func part(of count: Int) -> ClosedRange<Int> {
        let start = Int.random(in: 0..<count, using: &generator)
        return start...Int.random(in: start..<count, using: &generator)
    }

    mutating func element<T>(of values: [T]) -> T { values.randomElement(using: &generator)! }
}

extension Database {
    /// The rowids of the documents that a query matches.
    func rowIDs(of query: FTS5Query?) throws -> [Int64] {
        try Document.matching(query).select(Column.rowID, as: Int64.self).order(Column.rowID).fetchAll(self)
    }

    /// The rowids of the documents that a search box finds.
    func rowIDs(searchBox text: String, syntax: SearchBoxSyntax = SearchBoxSyntax()) throws -> [Int64] {
        try rowIDs(of: FTS5Query(searchBox: text, syntax: syntax))
    }
}
