import Amalgam
import Workload

/// Searches by the queries of one class or of several.
protocol RankedCase: Case {
    static var documentCount: Int { get }
    static var hasPrefixes: Bool { get }
    static var classes: [String] { get }

    /// Prepares a search.
    static func search(_ pattern: FTS5Pattern, _ db: Database) throws -> RankedSearch.Search

    var ranked: RankedSearch { get }
    init(ranked: RankedSearch)
}

extension RankedCase {
    static var documentCount: Int { Int(RANKED_COUNT) }
    static var hasPrefixes: Bool { false }
    static var classes: [String] { [name] }

    static func search(_ pattern: FTS5Pattern, _ db: Database) -> RankedSearch.Search {
        { db in try FoundDocument.matching(pattern).order(Column.rank).limit(20).fetchAll(db) }
    }

    init(folder: Folder) throws {
        let index = RankedIndex(folder: folder, documentCount: Self.documentCount, hasPrefixes: Self.hasPrefixes)
        self.init(ranked: try RankedSearch(index: index, classes: Self.classes, search: Self.search))
    }

    func run() throws -> Int { try ranked.run() }
    func parts() -> [Duration] { ranked.times }
    func countedTime() -> Duration? { ranked.times.reduce(.zero, +) }
    func checksum(of result: Int) throws -> Int { try ranked.matchCount() }
}

let rankedCases: [any Case.Type] = [
    RankedCommon.self, RankedMiddling.self, RankedAll2.self, RankedAll3.self, RankedAny2.self, RankedAny5.self,
    RankedPrefix1.self, RankedPrefix2.self, RankedPrefix3.self,
    RankedPrefix1Indexed.self, RankedPrefix2Indexed.self, RankedPrefix3Indexed.self,
    RankedPage5.self,
    RankedGrowth10000.self, RankedGrowth30000.self, RankedGrowth100000.self, RankedGrowth300000.self,
    RankedGrowth1000000.self,
]

/// A word of 2 to 5 % of the documents.
struct RankedCommon: RankedCase {
    static let name = "ranked-common"
    let ranked: RankedSearch
}

/// A word of 0.1 to 0.3 % of the documents.
struct RankedMiddling: RankedCase {
    static let name = "ranked-middling"
    let ranked: RankedSearch
}

/// Both a common word and a middling one.
struct RankedAll2: RankedCase {
    static let name = "ranked-all-2"
    let ranked: RankedSearch
}

/// Two common words and a middling one.
struct RankedAll3: RankedCase {
    static let name = "ranked-all-3"
    let ranked: RankedSearch
}

/// A common word or a middling one.
struct RankedAny2: RankedCase {
    static let name = "ranked-any-2"
    let ranked: RankedSearch
}

/// One of five of the 500 commonest words.
struct RankedAny5: RankedCase {
    static let name = "ranked-any-5"
    let ranked: RankedSearch
}

// MARK: - Prefixes

/// A first letter.
struct RankedPrefix1: RankedCase {
    static let name = "ranked-prefix-1"
    let ranked: RankedSearch
}

struct RankedPrefix2: RankedCase {
    static let name = "ranked-prefix-2"
    let ranked: RankedSearch
}

struct RankedPrefix3: RankedCase {
    static let name = "ranked-prefix-3"
    let ranked: RankedSearch
}

/// A first letter, in an index that has all first letters.
struct RankedPrefix1Indexed: RankedCase {
    static let name = "ranked-prefix-1-indexed"
    static let hasPrefixes = true
    static let classes = RankedPrefix1.classes
    let ranked: RankedSearch
}

struct RankedPrefix2Indexed: RankedCase {
    static let name = "ranked-prefix-2-indexed"
    static let hasPrefixes = true
    static let classes = RankedPrefix2.classes
    let ranked: RankedSearch
}

struct RankedPrefix3Indexed: RankedCase {
    static let name = "ranked-prefix-3-indexed"
    static let hasPrefixes = true
    static let classes = RankedPrefix3.classes
    let ranked: RankedSearch
}

// MARK: - Pages

/// The fifth page of 20 documents with a common word.
struct RankedPage5: RankedCase {
    static let name = "ranked-page-5"
    static let classes = RankedCommon.classes
    let ranked: RankedSearch

    static func search(_ pattern: FTS5Pattern, _ db: Database) throws -> RankedSearch.Search {
        let request = FoundDocument.matching(pattern).order(Column.rank)
        var cursor: SearchPageCursor?
        for _ in 1...4 { cursor = try request.fetchPage(db, count: 20, after: cursor).next }
        return { [cursor] db in try request.fetchPage(db, count: 20, after: cursor).elements }
    }
}

// MARK: - Growth

/// All searches that aren't for prefixes, in an index of some of the documents.
protocol RankedGrowth: RankedCase {}

extension RankedGrowth {
    static var classes: [String] {
        let classes = [
            RankedCommon.classes, RankedMiddling.classes, RankedAll2.classes, RankedAll3.classes, RankedAny2.classes,
            RankedAny5.classes,
        ]
        return classes.flatMap { $0 }
    }
}

struct RankedGrowth10000: RankedGrowth {
    static let name = "ranked-growth-10000"
    static let documentCount = 10_000
    let ranked: RankedSearch
}

struct RankedGrowth30000: RankedGrowth {
    static let name = "ranked-growth-30000"
    static let documentCount = 30_000
    let ranked: RankedSearch
}

struct RankedGrowth100000: RankedGrowth {
    static let name = "ranked-growth-100000"
    static let documentCount = 100_000
    let ranked: RankedSearch
}

struct RankedGrowth300000: RankedGrowth {
    static let name = "ranked-growth-300000"
    static let documentCount = 300_000
    let ranked: RankedSearch
}

struct RankedGrowth1000000: RankedGrowth {
    static let name = "ranked-growth-1000000"
    static let documentCount = 1_000_000
    let ranked: RankedSearch
}
