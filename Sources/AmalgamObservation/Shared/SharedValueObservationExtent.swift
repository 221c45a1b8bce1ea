/// The lifetime of the observation behind a ``SharedValueObservation``.
///
/// ```swift
/// let shared = observation.shared(in: dbPool, extent: .observationLifetime)
/// ```
public enum SharedValueObservationExtent: Sendable {
    /// The observation starts with the first subscription, and ends when the shared observation and all its
    /// subscriptions are released.
    ///
    /// The observation isn't started again after an error: all later subscribers receive this error.
    case observationLifetime

    /// The observation runs while there is a subscription. After the end of the observation, also by an error, the next
    /// subscription starts it again.
    case whileObserved
}
