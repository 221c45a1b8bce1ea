import Hummingbird

extension SearchService {
    /// All routes, behind the middleware that they share. The first middleware sees a request first.
    func router() throws -> Router<ServiceContext> {
        let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
        addMiddleware(to: router)
        let openAPI = try String(contentsOf: Resources.url("openapi.json"), encoding: .utf8)
        try StaticFiles().addRoutes(to: router)
        SearchPages(searcher: searcher, pages: pages).addRoutes(to: router)
        SearchAPI(searcher: searcher, status: status).addRoutes(to: router)
        LiveAPI(queries: live).addRoutes(to: router)
        addDocumentRoutes(to: router)
        QueryPages(sandbox: sandbox, store: store, pages: pages).addRoutes(to: router)
        QueryAPI(sandbox: sandbox, store: store).addRoutes(to: router)
        SignInPages(pages: pages, guards: guards, cookies: cookies).addRoutes(to: router)
        OperationPages(store: store, metrics: metrics, status: status, pages: pages, guards: guards)
            .addRoutes(to: router)
        router.get("/api/openapi.json") { _, _ in
            Response.text(openAPI, type: "application/json; charset=utf-8")
        }
        return router
    }

    private var cookies: VisitorCookies { VisitorCookies(isSecure: configuration.isHTTPS) }

    private var metrics: ServiceMetrics { ServiceMetrics(store: store, live: live, registry: registry) }

    private var guards: Guards { Guards(policy: policy, visitors: visitors) }

    private func addDocumentRoutes(to router: Router<ServiceContext>) {
        let history = DocumentHistory(store: store)
        DocumentPages(editor: editor, history: history, pages: pages, guards: guards, cookies: cookies)
            .addRoutes(to: router)
        HistoryPages(editor: editor, history: history, pages: pages).addRoutes(to: router)
        DocumentAPI(editor: editor, history: history, guards: guards).addRoutes(to: router)
    }

    private func addMiddleware(to router: Router<ServiceContext>) {
        router.add(middleware: RequestMetrics(registry: registry))
        router.add(middleware: RequestLog(logger: logger))
        router.add(middleware: SecurityHeaders(isHTTPS: configuration.isHTTPS))
        router.add(middleware: ErrorPages(pages: pages, logger: logger))
        router.add(middleware: HostCheck(hosts: configuration.isLoopback ? HostCheck.loopback : nil))
        if let perMinute = configuration.requestsPerMinute {
            router.add(middleware: RateLimit(limiter: RateLimiter(perMinute: perMinute)))
        }
        router.add(middleware: AccessMiddleware(policy: policy, visitors: visitors, cookies: cookies))
    }
}
