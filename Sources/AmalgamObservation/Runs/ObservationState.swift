/// Where one started observation is between a commit and the consumer of its values.
///
/// It is a value without a database, a clock or a thread: inputs come from the writer (`commitCame`), from those who
/// fetch (`fetchBegins`, `fetchEnded`), from the consumer (`consumerTakesValue`) and from a timer (`timeIsUp`), and the answers
/// say what to do next. Whoever owns it guards it with a lock, and acts once the lock is released.
///
/// With `.latest`, there is never more than one value on its way: it is fetched, or it waits for the consumer. A
/// commit during that time only sets `isDue`, and the next fetch, which sees all commits until it begins, resets it.
/// With `.everyCommit`, each commit after the initial value asks for a fetch of its own.
struct ObservationState: Equatable, Sendable {
    enum Stage: Equatable {
        /// A value is being fetched, or is about to be. So it is from the start on, for the initial value.
        case fetching
        /// A value waits for its consumer.
        case delivering
        /// All commits are known to the consumer, unless `isDue`.
        case idle
    }

    enum Lifecycle: Equatable {
        case running
        /// An error waits for the consumer: nothing is fetched any more, values that wait are still delivered.
        case failed
        case ended
    }

    let delivery: ValueObservationDelivery
    let pace: ObservationPace.Rule?

    private(set) var stage = Stage.fetching
    private(set) var lifecycle = Lifecycle.running

    /// Whether there is a commit that no fetch has seen.
    private(set) var isDue = false

    /// Whether a timer must end before the next fetch.
    private(set) var isWaiting = false

    /// The number of the last timer: others are outdated.
    private(set) var timer = 0

    init(delivery: ValueObservationDelivery, pace: ObservationPace.Rule? = nil) {
        self.delivery = delivery
        self.pace = pace
    }

    var isRunning: Bool { lifecycle == .running }

    // MARK: Writer

    /// A commit has changed what is tracked.
    mutating func commitCame() -> ObservationAction {
        guard isRunning else { return .none }
        if delivery == .everyCommit && stage == .idle && !isDue { return .fetchNow }
        isDue = true
        guard stage == .idle else { return .none }
        return next(afterCommit: true)
    }

    // MARK: Fetching

    /// A fetch begins: it sees all commits that have come.
    mutating func fetchBegins() { isDue = false }

    /// A fetch was stopped, and is about to be repeated: it sees all commits that come until then.
    ///
    /// - Returns: whether a value is still wanted.
    mutating func fetchWasStopped() -> Bool {
        if isRunning { stage = .fetching }
        return isRunning
    }

    /// A value is enqueued for its consumer, before all that are fetched later. For `.everyCommit`, that is enough.
    mutating func fetchIsEnqueued() -> ObservationAction {
        stage = .idle
        return next()
    }

    /// The initial value is enqueued, and behind it the values of all commits since it was fetched. For `.everyCommit` only.
    mutating func startIsEnqueued() {
        isDue = false
        stage = .idle
    }

    /// A fetch has given a value, or nothing that the consumer must know.
    mutating func fetchEnded(hasValue: Bool) -> ObservationAction {
        if hasValue {
            stage = .delivering
            return .none
        }
        stage = .idle
        return next()
    }

    /// - Returns: whether the error is the first one.
    mutating func fail() -> Bool {
        guard isRunning else { return false }
        lifecycle = .failed
        return true
    }

    // MARK: Consumer

    /// A value is about to be given to its consumer.
    ///
    /// - Returns: nil when it must not be given.
    mutating func consumerTakesValue() -> ObservationAction? {
        if lifecycle == .ended { return nil }
        guard delivery == .latest else { return ObservationAction.none }
        stage = .idle
        return next()
    }

    /// - Returns: whether there was something to end.
    mutating func end() -> Bool {
        if lifecycle == .ended { return false }
        lifecycle = .ended
        return true
    }

    // MARK: Timer

    /// The time of the pace has passed.
    mutating func timeIsUp(_ number: Int) -> ObservationAction {
        guard isWaiting, number == timer else { return .none }
        isWaiting = false
        return next(isPaced: true)
    }

    /// The first throttled value has been fetched without a commit.
    mutating func throttleBegins() -> ObservationAction {
        guard pace == .throttle else { return .none }
        return .wait(newTimer())
    }

    private mutating func newTimer() -> Int {
        isWaiting = true
        timer += 1
        return timer
    }

    /// What to do now that nothing is on its way.
    ///
    /// - Parameters:
    ///   - afterCommit: whether a commit has just come.
    ///   - isPaced: whether the time of the pace has just passed.
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
