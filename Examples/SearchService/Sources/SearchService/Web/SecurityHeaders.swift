import HTTPTypes
import Hummingbird

/// Headers that restrict what browsers do with the pages: only files of the service are loaded, and no inline script runs.
struct SecurityHeaders: RouterMiddleware {
    let isHTTPS: Bool

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        for (name, value) in Self.headers {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
        if isHTTPS { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return response
    }

    private static let contentPolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ]

    private static let headers: [(name: String, value: String)] = [
        ("Content-Security-Policy", contentPolicy.joined(separator: "; ")),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("X-Frame-Options", "DENY"),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ]
}
