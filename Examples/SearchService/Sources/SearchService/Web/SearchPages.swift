import Amalgam
import Hummingbird
import ServiceInputs

/// The search page. It works without JavaScript: each search is a request.
struct SearchPages: Sendable {
    let searcher: Searcher
    let pages: Pages

    func addRoutes(to router: Router<ServiceContext>) {
        router.get("/", use: search)
    }

    private func search(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let fields = request.fields
        let parameters = SearchParameters(fields)
        let cursor = try SearchCursor(fields)
        async let result = searcher.results(parameters, after: cursor.value, count: 20)
        async let suggestions = searcher.context(parameters)
        let plan = fields["plan"] == "1" ? try await searcher.plan(parameters, count: 20) : nil
        let view = SearchView(
            parameters, try await result, try await suggestions, plan, isFirstPage: cursor.value == nil)
        return try pages.render(
            "search", title: parameters.text.isEmpty ? "Search" : parameters.text, view, context)
    }
}

/// The parameter `after`: the cursor of a page.
struct SearchCursor {
    let value: SearchPageCursor?

    /// - Throws: 400 if it isn't a cursor.
    init(_ fields: FormFields) throws {
        guard let text = fields["after"] else {
            value = nil
            return
        }
        guard text.utf8.count <= 16_384, let cursor = SearchPageCursor(text) else {
            throw HTTPError(.badRequest, message: "The parameter after isn't a cursor.")
        }
        value = cursor
    }
}
