/// What goes on until it is cancelled: an observation.
public protocol DatabaseCancellable: Sendable {
    /// Stops it. Cancelling twice does nothing.
    func cancel()
}
