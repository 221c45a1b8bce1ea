import Dispatch
import Foundation

/// The thread of the main actor: the one that runs the main queue, which needs not be the first thread of the process.
enum MainThread {
    private static let key: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil || Thread.isMainThread }

    /// Runs an action later, in the order of the main queue: tasks of their own could overtake each other.
    static func async(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated(action) }
    }
}
