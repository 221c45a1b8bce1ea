import Synchronization

/// An observation that goes on until it is cancelled, or until this object is released.
///
/// ```swift
/// let cancellable = observation.start(in: dbQueue) { error in … } onChange: { players in … }
/// cancellable.cancel()
/// ```
public final class AnyDatabaseCancellable: DatabaseCancellable {
    private let action: Mutex<(@Sendable () -> Void)?>

    /// Wraps a cancellable, which is cancelled with this object.
    public convenience init(_ base: some DatabaseCancellable) {
        self.init { base.cancel() }
    }

    /// Runs a closure on cancellation, once.
    public init(cancel: @escaping @Sendable () -> Void) {
        action = Mutex(cancel)
    }

    deinit { cancel() }

    /// Stops the observation: no callback begins any more. It may be called from any thread, callbacks included.
    ///
    /// It does not wait for other threads: a callback that is just about to begin there may still do so. Where callbacks
    /// are, on their queue or on their actor, none comes after this method has returned.
    public func cancel() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
