import Amalgam
import Workload

/// Searches by the queries of one class or of several.
protocol RankedCase: Case {
    static var documentCount: Int { get }
    static var hasPrefixes: Bool { get }
    static var classes: [String] { get }

    /// The pattern that matches the documents of a query.
    static func pattern(_ query: String, _ db: Database) throws -> FTS5Pattern

    /// Prepares a search: unless the case says otherwise, one of the best 20 documents with their titles.
    static func search(_ query: String, _ db: Database) throws -> RankedSearch.Search

    var ranked: RankedSearch { get }
    init(ranked: RankedSearch)
}

extension RankedCase {
    static var documentCount: Int { Int(RANKED_COUNT) }
    static var hasPrefixes: Bool { false }
    static var classes: [String] { [name] }

    static func index(folder: Folder) -> RankedIndex {
        RankedIndex(folder: folder, documentCount: documentCount, hasPrefixes: hasPrefixes)
    }

    static func pattern(_ query: String, _ db: Database) throws -> FTS5Pattern {
        try FTS5Pattern(rawPattern: query, allowedColumns: [])
    }

    static func search(_ query: String, _ db: Database) throws -> RankedSearch.Search {
        let pattern = try pattern(query, db)
        return { db in try FoundDocument.matching(pattern).fetchBest(db) }
    }

    init(folder: Folder) throws { self.init(ranked: try RankedSearch(Self.self, folder: folder)) }

    func run() throws -> Int { try ranked.run() }
    func parts() -> [Duration] { ranked.times }
    func countedTime() -> Duration? { ranked.times.reduce(.zero, +) }
    func checksum(of result: Int) throws -> Int { try ranked.matchCount() }
}

extension QueryInterfaceRequest<FoundDocument> {
    fileprivate func fetchBest(_ db: Database) throws -> Int {
        try order(Column.rank).limit(20).fetchAll(db).checksum
    }
}

extension [FoundDocument] {
    fileprivate var checksum: Int { reduce(0) { $0 &+ Int($1.id) &+ $1.title.utf8.count } }
}

let rankedCases: [any Case.Type] = [
    RankedCommon.self, RankedMiddling.self, RankedAll2.self, RankedAll3.self, RankedAny2.self, RankedAny5.self,
    RankedPrefix1.self, RankedPrefix2.self, RankedPrefix3.self,
    RankedPrefix1Indexed.self, RankedPrefix2Indexed.self, RankedPrefix3Indexed.self,
    RankedPage5.self, RankedFilter50.self, RankedFilter10.self, RankedFilter1.self, RankedFilter01.self,
    Fuzzy1.self, Fuzzy1Ranked.self,
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

    static func search(_ query: String, _ db: Database) throws -> RankedSearch.Search {
        let request = FoundDocument.matching(try pattern(query, db)).order(Column.rank)
        var cursor: SearchPageCursor?
        for _ in 1...4 { cursor = try request.fetchPage(db, count: 20, after: cursor).next }
        return { [cursor] db in try request.fetchPage(db, count: 20, after: cursor).elements.checksum }
    }
}

// MARK: - Filters

/// A common word, and a filter that a share of the documents passes.
protocol RankedFilter: RankedCase {
    /// One of how many documents passes.
    static var divisor: Int { get }
}

extension RankedFilter {
    static var classes: [String] { RankedCommon.classes }

    static func search(_ query: String, _ db: Database) throws -> RankedSearch.Search {
        let request = FoundDocument.matching(try pattern(query, db)).filter(sql: "rowid % \(divisor) = 0")
        return { db in try request.fetchBest(db) }
    }
}

struct RankedFilter50: RankedFilter {
    static let name = "ranked-filter-50"
    static let divisor = 2
    let ranked: RankedSearch
}

struct RankedFilter10: RankedFilter {
    static let name = "ranked-filter-10"
    static let divisor = 10
    let ranked: RankedSearch
}

struct RankedFilter1: RankedFilter {
    static let name = "ranked-filter-1"
    static let divisor = 100
    let ranked: RankedSearch
}

struct RankedFilter01: RankedFilter {
    static let name = "ranked-filter-0.1"
    static let divisor = 1_000
    let ranked: RankedSearch
}

// MARK: - Typos

/// A word with one typo, replaced by the similar words of the index. Nothing is searched.
struct Fuzzy1: RankedCase {
    static let name = "fuzzy-1"
    let ranked: RankedSearch

    static func query(_ word: String) -> FTS5Query {
        .fuzzy(word, tolerance: TypoTolerance(lengthForOneTypo: 1, lengthForTwoTypos: .max))
    }

    /// All similar words, so that as many documents match as in the peer.
    static func pattern(_ query: String, _ db: Database) throws -> FTS5Pattern {
        let tolerance = TypoTolerance(
            lengthForOneTypo: 1, lengthForTwoTypos: .max, maximumTermCount: 1_000, joinsAndSplitsWords: false)
        return try FTS5Query.fuzzy(query, tolerance: tolerance).pattern(db, forTable: FoundDocument.databaseTableName)
    }

    static func search(_ query: String, _ db: Database) throws -> RankedSearch.Search {
        let query = Self.query(query)
        return { db in try query.pattern(db, forTable: FoundDocument.databaseTableName).rawPattern.utf8.count }
    }
}

/// The best 20 documents with a word that has one typo.
struct Fuzzy1Ranked: RankedCase {
    static let name = "fuzzy-1-ranked"
    static let classes = Fuzzy1.classes
    let ranked: RankedSearch

    static func pattern(_ query: String, _ db: Database) throws -> FTS5Pattern { try Fuzzy1.pattern(query, db) }

    static func search(_ query: String, _ db: Database) throws -> RankedSearch.Search {
        let query = Fuzzy1.query(query)
        return { db in try FoundDocument.matching(query).fetchBest(db) }
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
