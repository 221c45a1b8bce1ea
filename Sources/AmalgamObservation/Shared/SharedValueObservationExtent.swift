/// How long the observation behind a ``SharedValueObservation`` goes on.
public enum SharedValueObservationExtent: Sendable {
    /// From the first subscription on, until the shared observation and all its subscriptions are released.
    ///
    /// It does not recover from an error: all later subscriptions get it.
    case observationLifetime

    /// As long as there is a subscription. The next one starts the observation again, also after an error.
    case whileObserved
}
