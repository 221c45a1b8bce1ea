import Synchronization

/// A cancellable of an observation. Releasing the cancellable cancels the observation.
///
/// ```swift
/// let cancellable = observation.start(in: dbQueue) { print($0) } onChange: { print($0) }
/// cancellable.cancel()
/// ```
public final class AnyDatabaseCancellable: DatabaseCancellable {
    private let action: Mutex<(@Sendable () -> Void)?>

    /// Wraps a cancellable, which is cancelled when this object is cancelled or released.
    ///
    /// ```swift
    /// struct Subscription: DatabaseCancellable {
    ///     func cancel() { print("cancelled") }
    /// }
    /// let cancellable = AnyDatabaseCancellable(Subscription())
    /// ```
    public convenience init(_ base: some DatabaseCancellable) {
        self.init { base.cancel() }
    }

    /// Creates a cancellable from a closure. The closure runs once, when the cancellable is cancelled or released.
    ///
    /// ```swift
    /// let cancellable = AnyDatabaseCancellable { print("cancelled") }
    /// ```
    public init(cancel: @escaping @Sendable () -> Void) {
        action = Mutex(cancel)
    }

    deinit { cancel() }

    /// Cancels the observation. This method may be called on any thread, also in a callback of the observation.
    ///
    /// The method doesn't wait for other threads: a callback that is about to begin on another thread may still run. If
    /// this method is called on the queue or the actor of the callbacks, no callback runs after this method has
    /// returned.
    public func cancel() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
