import Hummingbird
import ServiceInputs

/// Conditions of handlers that change something.
struct Guards: Sendable {
    let policy: AccessPolicy
    let visitors: Visitors

    /// Reads a form of a page.
    ///
    /// - Throws: 403 if the form isn't from a page of this service, or if the visitor may not edit.
    func form(_ request: Request, _ context: ServiceContext) async throws -> FormFields {
        let form = try await token(request, context)
        try requireEditor(context)
        return form
    }

    /// Reads a form of a page, from anyone.
    ///
    /// - Throws: 403 if the form isn't from a page of this service.
    func token(_ request: Request, _ context: ServiceContext) async throws -> FormFields {
        let form = FormFields(try await request.text(context))
        guard let cookie = context.visitor.cookie, visitors.isValid(token: form["token"] ?? "", of: cookie) else {
            throw HTTPError(.forbidden, message: "The form is out of date. Load its page again.")
        }
        return form
    }

    /// - Throws: 403 if the visitor may not edit.
    func requireEditor(_ context: ServiceContext) throws {
        if context.visitor.mayEdit { return }
        throw HTTPError(
            .forbidden,
            message: policy.hasKey
                ? "This needs the key of the service." : "This is off: the service was started without a key.")
    }

    /// Accepts changes by the API: with the key, or if everyone may edit. In the second case, the body has to be JSON. A
    /// page of another site can't send JSON without asking first, and the answer is no.
    ///
    /// - Throws: 403 or 415.
    func api(_ request: Request, _ context: ServiceContext) throws {
        if context.visitor.hasKey { return }
        guard policy.isOpen else {
            throw HTTPError(.forbidden, message: "This needs the key of the service: Authorization: Bearer KEY.")
        }
        guard request.headers[.contentType]?.hasPrefix("application/json") == true else {
            throw HTTPError(.unsupportedMediaType, message: "The Content-Type has to be application/json.")
        }
    }
}

extension Request {
    /// The body as a string.
    ///
    /// - Throws: 413 if it is too large.
    func text(_ context: ServiceContext) async throws -> String {
        String(buffer: try await body.collect(upTo: context.maxUploadSize))
    }

    /// The names and values in the URL.
    var fields: FormFields { FormFields(uri.query ?? "") }
}
