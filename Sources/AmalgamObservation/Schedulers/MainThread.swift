import Dispatch
import Foundation

/// The thread of the main actor. It runs the main queue, and isn't always the first thread of the process.
enum MainThread {
    private static let key: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil || Thread.isMainThread }

    /// Runs an action asynchronously. The main queue preserves the order of actions. Separate tasks wouldn't.
    static func async(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated(action) }
    }
}
