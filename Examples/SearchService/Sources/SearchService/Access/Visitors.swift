import Crypto
import Foundation
import Synchronization

/// The visitors of the pages: who has signed in, and the tokens of their forms.
///
/// A visitor has a cookie with random text. The token of a form is a hash of this text with a secret of the process, so that
/// no other site can send a form on behalf of a visitor.
final class Visitors: Sendable {
    private let secret = SymmetricKey(size: .bits256)

    /// When each session ends, by the hash of the visitor's cookie.
    private let sessions = Mutex<[Data: Date]>([:])

    private static let sessionLength: TimeInterval = 12 * 3600
    private static let sessionLimit = 1_000

    // MARK: Forms

    func token(of visitor: String) -> String { Data(code(visitor)).base64URL }

    /// Compares in constant time.
    func isValid(token: String, of visitor: String) -> Bool {
        SHA256.hash(data: Data(token.utf8)) == SHA256.hash(data: Data(self.token(of: visitor).utf8))
    }

    private func code(_ visitor: String) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Data(visitor.utf8), using: secret)
    }

    // MARK: Sessions

    /// Signs in, with a new cookie.
    func signIn(now: Date = .now) -> String {
        let visitor = RandomText.make()
        sessions.withLock { sessions in
            sessions = sessions.filter { $0.value > now }
            if sessions.count >= Self.sessionLimit, let oldest = sessions.min(by: { $0.value < $1.value }) {
                sessions[oldest.key] = nil
            }
            sessions[Data(code(visitor))] = now + Self.sessionLength
        }
        return visitor
    }

    func signOut(_ visitor: String) { sessions.withLock { $0[Data(code(visitor))] = nil } }

    func isSignedIn(_ visitor: String, now: Date = .now) -> Bool {
        sessions.withLock { $0[Data(code(visitor))].map { $0 > now } ?? false }
    }
}
