import Foundation
import Hummingbird
import Mustache

/// The templates of the pages. Every value is escaped: no template has `{{{`.
struct Pages: Sendable {
    private let library: MustacheLibrary
    private let visitors: Visitors
    private let policy: AccessPolicy
    private let status: IndexStatus

    init(visitors: Visitors, policy: AccessPolicy, status: IndexStatus) throws {
        library = try MustacheLibrary(escaping: Resources.url("templates"))
        (self.visitors, self.policy, self.status) = (visitors, policy, status)
    }

    func render(
        _ template: String, title: String, _ content: Any, _ context: ServiceContext,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let view = PageView(
            title: title, page: content, token: context.visitor.cookie.map(visitors.token) ?? "",
            mayEdit: context.visitor.mayEdit, showsSignIn: policy.hasKey && !context.visitor.mayEdit,
            showsSignOut: policy.hasKey && context.visitor.mayEdit, indexing: self.status.current.text)
        guard let html = library.render(view, withTemplate: template) else {
            throw HTTPError(.internalServerError, message: "There is no template \(template).")
        }
        return .html(html, status: status)
    }
}

/// What all pages show.
struct PageView {
    var title: String
    var page: Any
    /// The token that forms send back.
    var token: String
    var mayEdit: Bool
    var showsSignIn: Bool
    var showsSignOut: Bool
    /// The progress of indexing.
    var indexing: String
}
