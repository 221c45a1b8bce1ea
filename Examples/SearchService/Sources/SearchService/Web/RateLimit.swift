import Hummingbird

/// Refuses requests of clients that make too many.
struct RateLimit: RouterMiddleware {
    let limiter: RateLimiter

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        if request.isForStaticFile || limiter.allows(context.address) { return try await next(request, context) }
        throw HTTPError(.tooManyRequests, headers: [.retryAfter: "1"], message: "Too many requests: wait a second.")
    }
}
