import Hummingbird

/// Signing in with the key of the service, and out.
struct SignInPages: Sendable {
    let pages: Pages
    let guards: Guards
    let cookies: VisitorCookies
    /// Keys can't be guessed; the limit keeps the log short.
    private let limiter = RateLimiter(perMinute: 20)

    init(pages: Pages, guards: Guards, cookies: VisitorCookies) {
        (self.pages, self.guards, self.cookies) = (pages, guards, cookies)
    }

    func addRoutes(to router: Router<ServiceContext>) {
        router.get("/sign-in") { _, context in
            try pages.render("sign-in", title: "Sign in", SignInView(), context)
        }
        router.post("/sign-in", use: signIn)
        router.post("/sign-out", use: signOut)
    }

    private func signIn(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let form = try await guards.token(request, context)
        if !limiter.allows(context.address) { throw HTTPError(.tooManyRequests, message: "Too many attempts.") }
        guard guards.policy.accepts(form["key"] ?? "") else {
            let view = SignInView(problem: "This isn't the key.")
            return try pages.render("sign-in", title: "Sign in", view, context, status: .forbidden)
        }
        var response = Response.redirect(to: "/")
        response.setCookie(cookies.make(guards.visitors.signIn()))
        return response
    }

    private func signOut(_ request: Request, _ context: ServiceContext) async throws -> Response {
        _ = try await guards.token(request, context)
        if let cookie = context.visitor.cookie { guards.visitors.signOut(cookie) }
        return .redirect(to: "/")
    }
}

struct SignInView {
    var problem: String?
}
