/// The current and the highest value of a counter.
///
/// ```swift
/// let value = try db.status(.lookasideUsed)
/// print(value.current, value.highest)
/// ```
public struct StatusValue: Hashable, Sendable {
    /// The current value; 0 for counters that have only a highest value.
    public let current: Int64

    /// The highest value since the last reset; 0 for counters that have no highest value.
    public let highest: Int64
}
