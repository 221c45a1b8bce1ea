import Amalgam
import Hummingbird
import Logging
import ServiceInputs

/// Turns errors into pages, or into JSON for the API. An unexpected error is logged, and its details aren't shown.
struct ErrorPages: RouterMiddleware {
    let pages: Pages
    let logger: Logger

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let failure = failure(error, context)
            var response = try response(failure, request, context)
            response.headers.append(contentsOf: failure.headers)
            return response
        }
    }

    private func response(_ failure: HTTPError, _ request: Request, _ context: ServiceContext) throws -> Response {
        let message = failure.body ?? failure.status.reasonPhrase
        if request.isForAPI { return try .json(APIError(message), status: failure.status) }
        let view = ErrorView(code: failure.status.code, message: message)
        return try pages.render("error", title: failure.status.reasonPhrase, view, context, status: failure.status)
    }

    private func failure(_ error: any Error, _ context: ServiceContext) -> HTTPError {
        switch error {
        case let error as HTTPError: return error
        case let error as InvalidInput: return HTTPError(error.status, message: error.message)
        case let error as DatabaseError where error.exceededLimit != nil:
            return HTTPError(.serviceUnavailable, message: "The search took too long. Search for more specific words.")
        case let error as any HTTPResponseError: return HTTPError(error.status)
        default:
            logger.error(
                "A request has failed.",
                metadata: [
                    "route": "\(context.endpointPath ?? "unknown route")", "error": "\(error)",
                ])
            return HTTPError(.internalServerError, message: "Something went wrong. The log of the service has details.")
        }
    }
}

extension InvalidInput {
    var status: HTTPResponse.Status {
        switch kind {
        case .malformed: .badRequest
        case .unprocessable: .unprocessableContent
        case .notFound: .notFound
        }
    }
}

struct ErrorView {
    var code: Int
    var message: String
}

/// An error of the API: `{"error": {"message": "…"}}`.
struct APIError: Codable {
    struct Details: Codable { var message: String }

    var error: Details

    init(_ message: String) { error = Details(message: message) }
}
