import AmalgamCore

/// All that an observation is beside its reducer.
struct ObservationSettings: Sendable {
    enum Tracking: Sendable {
        /// What each fetch reads.
        case whatIsRead
        /// What the first fetch reads.
        case whatIsReadFirst
        case regions([any DatabaseRegionConvertible])
    }

    var tracking: Tracking
    var requiresWriteAccess = false
    var events = ObservationEvents()
    /// Nil for what suits the database.
    var delivery: ValueObservationDelivery?
    /// Nil for what suits the database.
    var trigger: ValueObservationTrigger?
    var pace: ObservationPace?
    var includesExternalChanges = false
}
