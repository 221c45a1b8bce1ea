#if canImport(Darwin)
import Dispatch
import Foundation
import Synchronization

/// Releases the memory of a database on memory pressure events of the system, and when the application enters the
/// background. Among the applications in the background, the system first terminates those that use much memory.
///
/// The names of UIKit's notifications are string literals, so that extensions and command line tools don't link UIKit.
final class MemoryReleaser: Sendable {
    private struct State: @unchecked Sendable {
        // Sendable: tokens are opaque, and sources and the notification center may be used from any thread.
        var source: (any DispatchSourceMemoryPressure)?
        var tokens: [any NSObjectProtocol] = []
    }

    private let state = Mutex(State())

    private static let notifications = [
        "UIApplicationDidReceiveMemoryWarningNotification", "UIApplicationDidEnterBackgroundNotification",
    ].map { Notification.Name($0) }

    deinit { stop() }

    /// Starts to observe the system, if the configuration wants it.
    func start(isWanted: Bool, _ release: @escaping @Sendable () -> Void) {
        guard isWanted else { return }
        let source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: .global())
        source.setEventHandler(handler: release)
        source.activate()
        let tokens = Self.notifications.map { name in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in release() }
        }
        let started = State(source: source, tokens: tokens)
        state.withLock { $0 = started }
    }

    /// Stops observing the system.
    func stop() {
        let stopped = state.withLock { state in
            defer { state = State() }
            return state
        }
        stopped.source?.cancel()
        stopped.tokens.forEach { NotificationCenter.default.removeObserver($0) }
    }
}
#endif
