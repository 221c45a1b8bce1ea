import AmalgamCore
import Foundation
import Synchronization

/// Suspends a connection on `Database.suspendNotification`, and resumes it on `Database.resumeNotification`.
///
/// The notification center retains the observer closures, so these closures reference the connection weakly. They run
/// on the thread that posts the notification, so the connection is suspended when `post` returns.
final class SuspensionObserver: Sendable {
    private struct Tokens: @unchecked Sendable {
        // Sendable: tokens are opaque, and the notification center may be used from any thread.
        var tokens: [any NSObjectProtocol] = []
    }

    private let tokens = Mutex(Tokens())

    init(_ connection: SerialConnection) {
        observe(Database.suspendNotification, connection) { $0.suspend() }
        observe(Database.resumeNotification, connection) { $0.resume() }
    }

    deinit { stop() }

    private func observe(
        _ name: Notification.Name, _ connection: SerialConnection,
        _ body: @escaping @Sendable (SerialConnection) -> Void
    ) {
        let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
            [weak connection] _ in connection.map(body)
        }
        let tokens = Tokens(tokens: [token])
        self.tokens.withLock { $0.tokens += tokens.tokens }
    }

    /// Removes the observers.
    func stop() {
        let tokens = self.tokens.withLock { tokens in
            defer { tokens = Tokens() }
            return tokens
        }
        tokens.tokens.forEach { NotificationCenter.default.removeObserver($0) }
    }
}
