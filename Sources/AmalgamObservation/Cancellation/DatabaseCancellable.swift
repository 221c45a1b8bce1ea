/// An operation that runs until it is cancelled, such as an observation.
///
/// ```swift
/// let cancellable: any DatabaseCancellable = observation.start(in: dbQueue) { error in
///     print(error)
/// } onChange: { players in
///     print(players.count)
/// }
/// cancellable.cancel()
/// ```
public protocol DatabaseCancellable: Sendable {
    /// Cancels the operation. A second call has no effect.
    func cancel()
}
