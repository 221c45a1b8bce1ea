import AmalgamCore

/// Tells whether another thread has interrupted or suspended a connection since a fetch began.
///
/// The error of such a fetch says nothing about the observation: the fetch is repeated, at once or when the suspension ends.
struct StopMark {
    private let stopCount: Int
    private let isSuspended: Bool

    /// Made before the fetch, in an access to the connection.
    init(_ db: Database) {
        stopCount = db.remote.stopCount
        isSuspended = db.remote.isSuspended
    }

    /// Whether the connection was interrupted, or suspended at any time, since the mark was made.
    func isPassed(_ db: Database) -> Bool {
        isSuspended || db.remote.isSuspended || db.remote.stopCount != stopCount
    }
}
