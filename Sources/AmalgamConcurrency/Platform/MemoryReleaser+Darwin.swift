#if canImport(Darwin)
import Dispatch
import Foundation
import Synchronization

/// Has a database release memory when the system asks for it: by its memory pressure events, and when an application enters
/// the background, where the system ends those first that use most.
///
/// The names of the notifications are those of UIKit. They are strings here, so that extensions and command line tools do
/// not link UIKit.
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

    /// Starts, if the configuration wants it.
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

    /// Ends the observation of the system.
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
