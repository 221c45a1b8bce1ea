import Amalgam
import Foundation
import ServiceInputs

/// Searches the documents. Each search has a limit of time.
struct Searcher: Sendable {
    let store: Store
    let facetNames: FacetNames

    private static let limits = ExecutionLimits(time: .seconds(3), memory: 64 << 20)

    private func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await store.pool.read { db in try db.withLimits(Self.limits) { try body(db) } }
    }

    // MARK: Results

    /// Returns a page of results, best first.
    func results(_ parameters: SearchParameters, after cursor: SearchPageCursor?, count: Int) async throws
        -> SearchResult
    {
        try await read { db in try Self.results(db, parameters, after: cursor, count: count) }
    }

    static func results(
        _ db: Database, _ parameters: SearchParameters, after cursor: SearchPageCursor? = nil, count: Int = 20
    ) throws -> SearchResult {
        let total = try self.count(db, parameters)
        if parameters.isRanked {
            let page = try parameters.ranked.fetchPage(db, count: count, after: cursor)
            let hits = try hits(db, page.elements.map(\.id), page.elements, parameters)
            return SearchResult(count: total, hits: hits, next: page.next?.description)
        }
        let page = try parameters.found.fetchPage(db, count: count, after: cursor)
        let ids = page.elements.map(\.id)
        let marks = parameters.isSearch ? try parameters.marks(of: ids).fetchAll(db) : []
        return SearchResult(
            count: total, hits: try hits(db, ids, marks, parameters), next: page.next?.description)
    }

    /// Returns results with their marks, in the order of the identifiers.
    private static func hits(
        _ db: Database, _ ids: [Int64], _ marks: [Marks], _ parameters: SearchParameters
    ) throws -> [Hit] {
        let hits = try parameters.hits(ids).fetchAll(db)
        var hitsByID = Dictionary(hits.map { ($0.id, $0) }) { first, _ in first }
        for mark in marks { hitsByID[mark.id]?.add(mark) }
        return ids.compactMap { hitsByID[$0] }
    }

    private static func count(_ db: Database, _ parameters: SearchParameters) throws -> ResultCount {
        let limit = ResultCount.limit + 1
        let isOnlySearch = parameters.isSearch && parameters.choices.isEmpty
        let count =
            try isOnlySearch
            ? DocumentText.matching(parameters.ftsQuery).limit(limit).fetchCount(db)
            : parameters.results().limit(limit).fetchCount(db)
        return ResultCount(upTo: ResultCount.limit, count)
    }

    // MARK: Facets and suggestions

    /// The number of results whose facets are counted.
    private static let sampleSize = 20_000

    func context(_ parameters: SearchParameters) async throws -> SearchContext {
        let names = try await facetNames.names(store)
        return try await read { db in
            let matches = parameters.matches().limit(Self.sampleSize)
            let counts = try matches.facets(parameters.facets(named: names), limit: 8).fetch(db)
            return SearchContext(
                facets: counts.map { FacetValues($0.key, $0.value, parameters.choices[$0.key] ?? []) }
                    .filter { !$0.values.isEmpty }.sorted { $0.name < $1.name },
                isSampled: try parameters.matches().limit(1, offset: Self.sampleSize).fetchCount(db) > 0,
                didYouMean: try Self.correction(db, parameters),
                completions: try Self.completions(db, parameters))
        }
    }

    private static let vocabulary = FTS5Terms("documentTerms", of: "documentWords")

    /// Returns a correction if no document has the typed words.
    private static func correction(_ db: Database, _ parameters: SearchParameters) throws -> String? {
        guard parameters.isSearch else { return nil }
        var exact = parameters.syntax
        exact.typoTolerance = nil
        let query = FTS5Query(searchBox: parameters.text, syntax: exact)
        if try DocumentText.matching(query).limit(1).fetchCount(db) > 0 { return nil }
        return try vocabulary.correction(db, ofSearchBox: parameters.text, syntax: exact)
    }

    private static func completions(_ db: Database, _ parameters: SearchParameters) throws -> [String] {
        guard parameters.isTyping else { return [] }
        return try vocabulary.completions(db, ofSearchBox: parameters.text, syntax: parameters.syntax, limit: 5)
            .filter { $0.lowercased() != parameters.text.lowercased() }
    }

    // MARK: Plans

    /// Returns the statement of a search, its plan, and the time that it takes.
    func plan(_ parameters: SearchParameters, count: Int) async throws -> SearchPlan {
        try await read { db in
            let request = parameters.found.limit(count)
            let statement = try request.makePreparedRequest(db).statement
            let start = ContinuousClock.now
            _ = try request.fetchAll(db)
            let duration = start.duration(to: .now)
            return SearchPlan(
                sql: statement.sql, plan: try statement.queryPlan().description,
                milliseconds: (duration / .milliseconds(1) * 100).rounded() / 100)
        }
    }

    /// Reads what ranked searches need into memory, so that the first search is as fast as the others.
    func warmUp() async throws {
        _ = try await store.pool.read { db in try FTS5Index(DocumentText.self).warmUp(db) }
        _ = try await context(SearchParameters(text: "warm", isTyping: true))
    }
}

extension FacetValues {
    /// Values that are missing in the metadata of a document aren't listed.
    fileprivate init(_ name: String, _ counts: [FacetCount<DatabaseValue>], _ chosen: Set<String>) {
        self.name = name
        values = counts.compactMap { count in
            count.value.flatMap { String.fromDatabaseValue($0) }
                .map { FacetValue(value: $0, count: count.count, isChosen: chosen.contains($0)) }
        }
    }
}
