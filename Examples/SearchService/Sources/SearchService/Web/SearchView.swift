import Foundation
import ServiceInputs

/// What the search page shows.
struct SearchView {
    struct Option {
        var value: String
        var isSelected: Bool
    }

    struct Link {
        var text: String
        var link: String
    }

    struct HitView {
        var hit: Hit
        var date: String
    }

    let text: String
    let sorts: [Option]
    let countText: String
    let hits: [HitView]
    let facets: [FacetValues]
    let isSampled: Bool
    let didYouMean: Link?
    let nextLink: String?
    let planLink: String
    let plan: SearchPlan?
    /// Whether the results change when documents do: those of a later page don't.
    let isLive: Bool

    init(
        _ parameters: SearchParameters, _ result: SearchResult, _ context: SearchContext, _ plan: SearchPlan?,
        isFirstPage: Bool
    ) {
        text = parameters.text
        sorts = SearchParameters.Sort.allCases.map { Option(value: $0.rawValue, isSelected: $0 == parameters.sort) }
        countText = result.count.text
        hits = result.hits.map { HitView(hit: $0, date: $0.modified.formatted(.iso8601.year().month().day())) }
        facets = context.facets
        isSampled = context.isSampled
        didYouMean = context.didYouMean.map { text in
            var corrected = parameters
            corrected.text = text
            return Link(text: text, link: "/?" + corrected.query)
        }
        nextLink = result.next.map { "/?\(parameters.query)&after=\($0)" }
        planLink = "/?\(parameters.query)&plan=1"
        self.plan = plan
        isLive = isFirstPage
    }
}

extension ResultCount {
    /// Such as "1 result", or "more than 10,000 results".
    var text: String {
        if isMinimum { return "more than \(value.formatted(.number.locale(Self.locale))) results" }
        return value == 1 ? "1 result" : "\(value.formatted(.number.locale(Self.locale))) results"
    }

    private static let locale = Locale(identifier: "en_US")
}
