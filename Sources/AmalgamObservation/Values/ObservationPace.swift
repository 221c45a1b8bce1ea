/// The limit on how often an observation fetches.
struct ObservationPace: Sendable {
    enum Rule: Equatable, Sendable {
        /// The observation fetches once no commit has changed the tracked region for the duration.
        case debounce
        /// The observation fetches at once, and then at most once in each duration.
        case throttle
    }

    let rule: Rule

    /// Waits for the duration of the pace.
    let wait: @Sendable () async throws -> Void
}

extension ValueObservation {
    /// Delays each fetch until no commit has changed the tracked region for the given duration.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .debounce(for: .milliseconds(200))
    /// ```
    ///
    /// The initial value is fetched at once. The operator delays fetches, not values: no value is fetched and then
    /// dropped. It replaces an earlier `debounce` or `throttle`.
    ///
    /// - Parameters:
    ///   - duration: the time without a commit after which the observation fetches.
    ///   - clock: measures the time. Tests can pass a clock that doesn't wait.
    public func debounce<C: Clock>(for duration: C.Duration, clock: C = .continuous) -> Self {
        paced(.debounce, duration, clock)
    }

    /// Fetches at once after a commit that changes the tracked region, and then at most once in each duration.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .throttle(for: .seconds(1))
    /// ```
    ///
    /// The initial value counts as the first fetch. The last state is always fetched: if commits change the region
    /// during the duration, a value is fetched when the duration ends. The operator replaces an earlier `debounce` or
    /// `throttle`.
    ///
    /// - Parameters:
    ///   - duration: the minimum time between two fetches.
    ///   - clock: measures the time. Tests can pass a clock that doesn't wait.
    public func throttle<C: Clock>(for duration: C.Duration, clock: C = .continuous) -> Self {
        paced(.throttle, duration, clock)
    }

    private func paced<C: Clock>(_ rule: ObservationPace.Rule, _ duration: C.Duration, _ clock: C) -> Self {
        var observation = self
        observation.settings.pace = ObservationPace(rule: rule) { try await clock.sleep(for: duration) }
        return observation
    }
}
