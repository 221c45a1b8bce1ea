/// A state machine that decides when a started observation fetches and delivers values.
///
/// It uses no database, clock or thread. `ValueObservationRun` guards the state with a lock, and performs the returned
/// actions without the lock. With `.latest` delivery, at most one value is being fetched or delivered. A commit during
/// this time sets `isDue`: another fetch is needed. `isDue` is reset when that fetch begins. With `.everyCommit`, each
/// commit after the initial value needs a separate fetch.
struct ObservationState: Equatable, Sendable {
    enum Stage: Equatable {
        /// A value is being fetched, or is about to be. This is the first stage, for the initial value.
        case fetching
        /// A value waits for its consumer.
        case delivering
        /// The observation waits for a commit or, if `isDue`, for a timer. With `.everyCommit`, values of earlier
        /// commits may still be fetched or delivered.
        case idle
    }

    enum Lifecycle: Equatable {
        case running
        /// An error waits for the consumer. Nothing is fetched any more, but earlier values are still delivered.
        case failed
        case ended
    }

    let delivery: ValueObservationDelivery
    let pace: ObservationPace.Rule?

    private(set) var stage = Stage.fetching
    private(set) var lifecycle = Lifecycle.running

    /// Whether there is a commit that no fetch has seen.
    private(set) var isDue = false

    /// Whether the next fetch waits for a timer.
    private(set) var isWaiting = false

    /// The number of the last timer. Earlier timers are outdated.
    private(set) var timer = 0

    init(delivery: ValueObservationDelivery, pace: ObservationPace.Rule? = nil) {
        self.delivery = delivery
        self.pace = pace
    }

    var isRunning: Bool { lifecycle == .running }

    // MARK: Writer

    /// Called after a commit that has changed the tracked region.
    mutating func commitCame() -> ObservationAction {
        guard isRunning else { return .none }
        if delivery == .everyCommit && stage == .idle && !isDue { return .fetchNow }
        isDue = true
        guard stage == .idle else { return .none }
        return next(afterCommit: true)
    }

    // MARK: Fetching

    /// Called when a fetch begins. The fetch sees all commits so far.
    mutating func fetchBegins() { isDue = false }

    /// Called when another thread has stopped a fetch by interrupting or suspending its connection.
    ///
    /// - Returns: whether the fetch must be repeated.
    mutating func fetchWasStopped() -> Bool {
        if isRunning { stage = .fetching }
        return isRunning
    }

    /// Called, with `.everyCommit` only, when a fetch has reserved a ticket for its value. A ticket is a position in
    /// the order of delivered values. From then on, the next value may be fetched.
    mutating func fetchIsEnqueued() -> ObservationAction {
        stage = .idle
        return next()
    }

    /// Called, with `.everyCommit` only, at the end of the first fetch. The initial value has a ticket, and so has the
    /// value of each commit made during the first fetch.
    mutating func startIsEnqueued() {
        isDue = false
        stage = .idle
    }

    /// Called at the end of a fetch, which may have produced a value to deliver.
    mutating func fetchEnded(hasValue: Bool) -> ObservationAction {
        if hasValue {
            stage = .delivering
            return .none
        }
        stage = .idle
        return next()
    }

    /// Called when a fetch has failed.
    ///
    /// - Returns: true if the error must be delivered. False after an earlier error, and after the end of the
    ///   observation.
    mutating func fail() -> Bool {
        guard isRunning else { return false }
        lifecycle = .failed
        return true
    }

    // MARK: Consumer

    /// Called before a value is delivered to the consumer.
    ///
    /// - Returns: the next action, or nil if the value must not be delivered.
    mutating func consumerTakesValue() -> ObservationAction? {
        if lifecycle == .ended { return nil }
        guard delivery == .latest else { return ObservationAction.none }
        stage = .idle
        return next()
    }

    /// - Returns: true if this call ends the observation, false if the observation had ended before.
    mutating func end() -> Bool {
        if lifecycle == .ended { return false }
        lifecycle = .ended
        return true
    }

    // MARK: Timer

    /// Called when a timer fires.
    mutating func timeIsUp(_ number: Int) -> ObservationAction {
        guard isWaiting, number == timer else { return .none }
        isWaiting = false
        return next(isPaced: true)
    }

    /// Called at the start: the fetch of the initial value begins the first interval of a throttled observation.
    mutating func throttleBegins() -> ObservationAction {
        guard pace == .throttle else { return .none }
        return .wait(newTimer())
    }

    private mutating func newTimer() -> Int {
        isWaiting = true
        timer += 1
        return timer
    }

    /// Returns the next action. The action is `.none` unless a fetch is due and no value is being fetched or delivered.
    ///
    /// - Parameters:
    ///   - afterCommit: whether this method is called because of a commit.
    ///   - isPaced: whether this method is called because a timer has fired.
    private mutating func next(afterCommit: Bool = false, isPaced: Bool = false) -> ObservationAction {
        guard isRunning, isDue, stage == .idle else { return .none }
        switch pace {
        case .debounce where !isPaced && (afterCommit || !isWaiting): return .wait(newTimer())
        case .debounce where isWaiting: return .none
        case .throttle where isWaiting: return .none
        default: break
        }
        stage = .fetching
        return pace == .throttle ? .fetchAndWait(newTimer()) : .fetch
    }
}
