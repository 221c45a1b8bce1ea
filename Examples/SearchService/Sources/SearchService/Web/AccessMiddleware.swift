import Hummingbird

/// Finds out who makes a request. Visitors of pages get a cookie, which their forms need.
struct AccessMiddleware: RouterMiddleware {
    let policy: AccessPolicy
    let visitors: Visitors
    let cookies: VisitorCookies

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.visitor = visitor(of: request)
        let isNew = context.visitor.cookie == nil && !request.isForAPI && !request.isForStaticFile
        if isNew { context.visitor.cookie = RandomText.make() }
        var response = try await next(request, context)
        if isNew, let cookie = context.visitor.cookie, response.headers[.setCookie] == nil {
            response.setCookie(cookies.make(cookie))
        }
        return response
    }

    private func visitor(of request: Request) -> Visitor {
        var visitor = Visitor(cookie: request.cookies[VisitorCookies.name]?.value)
        let words = request.headers[.authorization]?.split(separator: " ") ?? []
        visitor.hasKey = words.count == 2 && words[0].lowercased() == "bearer" && policy.accepts(String(words[1]))
        let isSignedIn = policy.hasKey && visitor.cookie.map { visitors.isSignedIn($0) } ?? false
        visitor.mayEdit = policy.isOpen || visitor.hasKey || isSignedIn
        return visitor
    }
}

extension Request {
    var isForAPI: Bool { uri.path.hasPrefix("/api/") }
    var isForStaticFile: Bool { uri.path.hasPrefix("/static/") }
}
