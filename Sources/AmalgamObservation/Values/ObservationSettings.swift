import AmalgamCore

/// The settings of an observation, without its reducer.
struct ObservationSettings: Sendable {
    enum Tracking: Sendable {
        /// Tracks the region that the latest fetch has read.
        case whatIsRead
        /// Tracks the region that the first fetch has read.
        case whatIsReadFirst
        case regions([any DatabaseRegionConvertible])
    }

    var tracking: Tracking
    var requiresWriteAccess = false
    var events = ObservationEvents()
    /// Nil for the default of the database.
    var delivery: ValueObservationDelivery?
    /// Nil for the default of the delivery.
    var trigger: ValueObservationTrigger?
    var pace: ObservationPace?
    var includesExternalChanges = false
}
