import AmalgamCore

/// The closures of `handleEvents` and `print`, which run when an event happens in a started observation.
struct ObservationEvents: Sendable {
    var willStart: [@Sendable () -> Void] = []
    var willFetch: [@Sendable () -> Void] = []
    var willTrackRegion: [@Sendable (DatabaseRegion) -> Void] = []
    var databaseDidChange: [@Sendable () -> Void] = []
    var didFail: [@Sendable (any Error) -> Void] = []
    var didCancel: [@Sendable () -> Void] = []
}

extension [@Sendable () -> Void] {
    func callAsFunction() { for action in self { action() } }
}
