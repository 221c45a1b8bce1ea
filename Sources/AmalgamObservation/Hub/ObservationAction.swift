/// What an observation does next after a commit, the end of a fetch, the delivery of a value, or a timer.
enum ObservationAction: Equatable {
    /// No action.
    case none
    /// Fetch a value as soon as possible.
    case fetch
    /// Fetch the value of the current commit.
    case fetchNow
    /// Start a timer with this number, for the duration of the pace (`debounce` or `throttle`). When the timer fires,
    /// call `ObservationState.timeIsUp` with the number.
    case wait(Int)
    /// Fetch a value, and start a timer.
    case fetchAndWait(Int)
}
