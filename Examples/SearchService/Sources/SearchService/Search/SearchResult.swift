import Amalgam

/// A page of results.
struct SearchResult: Codable, Equatable, Sendable {
    var count: ResultCount
    var hits: [Hit]
    /// The cursor of the next page, for the parameter `after`; nil on the last page.
    var next: String?
}

/// The number of results. Results are counted up to a limit, because counting all of a million takes too long.
struct ResultCount: Codable, Equatable, Sendable {
    var value: Int
    /// Whether there are more.
    var isMinimum: Bool

    static let limit = 10_000

    init(upTo limit: Int, _ value: Int) {
        self.value = min(value, limit)
        isMinimum = value > limit
    }
}

/// What is shown next to the results: facets, suggestions.
struct SearchContext: Codable, Equatable, Sendable {
    var facets: [FacetValues]
    /// Whether the facets count only some of the results, because there are very many.
    var isSampled: Bool
    /// The text with words that documents contain, if that finds more.
    var didYouMean: String?
    /// The text with its last word completed.
    var completions: [String]
}

struct FacetValues: Codable, Equatable, Sendable {
    var name: String
    var values: [FacetValue]
}

struct FacetValue: Codable, Equatable, Sendable {
    var value: String
    var count: Int
    var isChosen: Bool
}

/// How SQLite finds the results.
struct SearchPlan: Codable, Equatable, Sendable {
    var sql: String
    var plan: String
    var milliseconds: Double
}
