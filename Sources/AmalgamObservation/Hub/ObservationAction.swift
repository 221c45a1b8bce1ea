/// The next action of an observation, after a commit, the end of a fetch, a delivery or a timer.
enum ObservationAction: Equatable {
    /// No action.
    case none
    /// Fetch a value as soon as possible.
    case fetch
    /// Fetch the value of the current commit.
    case fetchNow
    /// Start a timer for the duration of the pace, and then call `ObservationState.timeIsUp` with this number.
    case wait(Int)
    /// Fetch a value, and start a timer.
    case fetchAndWait(Int)
}
