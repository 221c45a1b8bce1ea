import Hummingbird

extension SearchService {
    /// All routes, behind the middleware that they share. The first middleware sees a request first.
    func router() throws -> Router<ServiceContext> {
        let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
        addMiddleware(to: router)
        try StaticFiles().addRoutes(to: router)
        SearchPages(searcher: searcher, pages: pages).addRoutes(to: router)
        SearchAPI(searcher: searcher, status: status).addRoutes(to: router)
        return router
    }

    private func addMiddleware(to router: Router<ServiceContext>) {
        let cookies = VisitorCookies(isSecure: configuration.isHTTPS)
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
