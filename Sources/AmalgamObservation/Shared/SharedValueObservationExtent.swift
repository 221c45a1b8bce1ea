/// The lifetime of the observation behind a ``SharedValueObservation``.
///
/// ```swift
/// let shared = observation.shared(in: dbPool, extent: .observationLifetime)
/// ```
public enum SharedValueObservationExtent: Sendable {
    /// The observation starts with the first subscription, and ends when the shared observation and all its
    /// subscriptions are released.
    ///
    /// An error also ends the observation, which isn't started again: all later subscribers receive this error.
    case observationLifetime

    /// The observation runs while there is a subscription. It ends with the last subscription, or with an error. The
    /// next subscription starts it again.
    case whileObserved
}
