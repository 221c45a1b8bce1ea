import Hummingbird
import Logging

/// Logs the route, status and time of each request: neither the address of the client nor what it searches for.
struct RequestLog: RouterMiddleware {
    let logger: Logger

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let time = start.duration(to: .now) / .milliseconds(1)
        logger.debug(
            "\(request.method) \(context.endpointPath ?? "unknown route")",
            metadata: ["status": "\(response.status.code)", "ms": "\((time * 10).rounded() / 10)"])
        return response
    }
}
