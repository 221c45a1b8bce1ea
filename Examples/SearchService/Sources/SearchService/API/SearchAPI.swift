import Hummingbird

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
                SearchParameters(fields), after: SearchCursor(fields).value, count: count(fields)))
    }

    private func context(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try .json(try await searcher.context(SearchParameters(request.fields)))
    }

    private func plan(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let fields = request.fields
        return try .json(try await searcher.plan(SearchParameters(fields), count: count(fields)))
    }

    /// The number of results on a page.
    ///
    /// - Throws: 400 if it isn't a number from 1 to 100.
    private func count(_ fields: FormFields) throws -> Int {
        guard let text = fields["count"] else { return 20 }
        guard let count = Int(text), (1...100).contains(count) else {
            throw HTTPError(.badRequest, message: "The parameter count isn't a number from 1 to 100.")
        }
        return count
    }
}
