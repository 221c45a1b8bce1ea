import Hummingbird
import ServiceInputs

/// Searches by the API.
struct SearchAPI: Sendable {
    let searcher: Searcher
    let status: IndexStatus

    func addRoutes(to router: Router<ServiceContext>) {
        router.get("/api/search", use: search)
        router.get("/api/context", use: context)
        router.get("/api/plan", use: plan)
        router.get("/api/status") { _, _ in try Response.json(status.current) }
    }

    private func search(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let fields = request.fields
        return try .json(
            try await searcher.results(
                SearchParameters(fields), after: SearchCursor(fields).value, count: fields.resultCount()))
    }

    private func context(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try .json(try await searcher.context(SearchParameters(request.fields)))
    }

    private func plan(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let fields = request.fields
        return try .json(try await searcher.plan(SearchParameters(fields), count: fields.resultCount()))
    }
}
