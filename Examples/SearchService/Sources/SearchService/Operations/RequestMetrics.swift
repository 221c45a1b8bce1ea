import CoreMetrics
import Hummingbird

/// Counts and times the requests of each route.
struct RequestMetrics: RouterMiddleware {
    let registry: PrometheusRegistry

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let dimensions = [
            ("method", request.method.rawValue), ("route", context.endpointPath ?? "unknown"),
            ("status", "\(response.status.code)"),
        ]
        Timer(label: "http_request_duration_seconds", dimensions: dimensions, factory: registry)
            .recordNanoseconds(Int64(start.duration(to: .now) / .nanoseconds(1)))
        return response
    }
}
