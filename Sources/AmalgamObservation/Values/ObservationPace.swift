/// How often an observation fetches at most.
struct ObservationPace: Sendable {
    enum Rule: Equatable, Sendable {
        /// Not before no commit has come for some time.
        case debounce
        /// Not again before some time has passed.
        case throttle
    }

    let rule: Rule

    /// Returns after the time of the pace.
    let wait: @Sendable () async throws -> Void
}

extension ValueObservation {
    /// Fetches when no commit has changed the tracked region for some time.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .debounce(for: .milliseconds(200))
    /// ```
    ///
    /// The initial value comes at once. Nothing is fetched in vain: commits are waited for, not values. It takes the place
    /// of an earlier `debounce` or `throttle`.
    ///
    /// - Parameter clock: measures the time; a clock of your own makes tests that do not wait.
    public func debounce<C: Clock>(for duration: C.Duration, clock: C = .continuous) -> Self {
        paced(.debounce, duration, clock)
    }

    /// Fetches at once when a commit has changed the tracked region, and then not again for some time.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .throttle(for: .seconds(1))
    /// ```
    ///
    /// The initial value counts as the first one. The last state always arrives: when commits came meanwhile, a value is
    /// fetched at the end of the time. It takes the place of an earlier `debounce` or `throttle`.
    ///
    /// - Parameter clock: measures the time; a clock of your own makes tests that do not wait.
    public func throttle<C: Clock>(for duration: C.Duration, clock: C = .continuous) -> Self {
        paced(.throttle, duration, clock)
    }

    private func paced<C: Clock>(_ rule: ObservationPace.Rule, _ duration: C.Duration, _ clock: C) -> Self {
        var observation = self
        observation.settings.pace = ObservationPace(rule: rule) { try await clock.sleep(for: duration) }
        return observation
    }
}
