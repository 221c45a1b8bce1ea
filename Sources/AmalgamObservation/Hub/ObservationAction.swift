/// What an observation does next: its answer to a commit, to the end of a fetch, to its consumer and to its timer.
enum ObservationAction: Equatable {
    /// Nothing.
    case none
    /// Have a value fetched, as soon as possible.
    case fetch
    /// Fetch the value of this very commit.
    case fetchNow
    /// Call `ObservationState.timeIsUp` with this number after the time of the pace.
    case wait(Int)
    /// Both.
    case fetchAndWait(Int)
}
