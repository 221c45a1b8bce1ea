import AmalgamCore

/// Detects whether another thread has interrupted or suspended a connection since a fetch began.
///
/// An observation doesn't end if its fetch fails because of an interruption or a suspension. The fetch is repeated: at
/// once after an interruption, or when the suspension ends.
struct StopDetector {
    private let stopCount: Int
    private let isSuspended: Bool

    /// Must be called before the fetch, in an access to the connection.
    init(_ db: Database) {
        stopCount = db.access.interrupter.stopCount
        isSuspended = db.access.interrupter.isSuspended
    }

    /// Whether the connection was suspended when the detector was created, or has been interrupted or suspended since
    /// then.
    func hasStopped(_ db: Database) -> Bool {
        isSuspended || db.access.interrupter.isSuspended || db.access.interrupter.stopCount != stopCount
    }
}
