/// A number that SQLite keeps about itself, now and at its highest.
public struct StatusValue: Hashable, Sendable {
    /// The number now; 0 for those that have a highest value only.
    public let current: Int64

    /// The highest number since it was last reset; 0 for those that are not followed.
    public let highest: Int64
}
