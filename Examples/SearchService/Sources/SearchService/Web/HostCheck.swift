import Hummingbird

/// Refuses requests for other hosts. A page of another site can make its own name point to the loopback address, but not
/// change the name in the request.
struct HostCheck: RouterMiddleware {
    /// The accepted host names; nil for all.
    let hosts: Set<String>?

    static let loopback: Set = ["localhost", "127.0.0.1", "[::1]"]

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        if accepts(request.head.authority ?? "") { return try await next(request, context) }
        throw HTTPError(.misdirectedRequest, message: "This service has another name.")
    }

    func accepts(_ authority: String) -> Bool { hosts?.contains(Self.host(authority)) ?? true }

    /// The host without its port.
    private static func host(_ authority: String) -> String {
        let host = authority.lowercased()
        guard let colon = host.lastIndex(of: ":"), host[colon...].dropFirst().allSatisfy(\.isNumber) else {
            return host
        }
        return String(host[..<colon])
    }
}
