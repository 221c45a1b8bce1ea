import Foundation
import Hummingbird

/// The cookies of a visitor. Other sites can't send them, and scripts can't read them.
struct VisitorCookies: Sendable {
    /// The cookie with random text, by which a visitor is known.
    static let name = "visitor"

    /// The cookie with the name that an editor has entered, so that the next form has it.
    private static let actorName = "actor"

    /// Whether the service is reached by HTTPS only.
    var isSecure = false

    func make(_ value: String) -> Cookie { cookie(Self.name, value) }

    func makeActor(_ actor: String) -> Cookie { cookie(Self.actorName, Data(actor.utf8).base64URL) }

    private func cookie(_ name: String, _ value: String) -> Cookie {
        Cookie(name: name, value: value, path: "/", secure: isSecure, httpOnly: true, sameSite: .strict)
    }

    /// The name that an editor has entered last.
    static func actor(_ request: Request) -> String? {
        request.cookies[actorName].flatMap { Data(base64URL: $0.value) }.map { String(decoding: $0, as: UTF8.self) }
    }
}
