/// A loss of power of a ``PowerLossDisk``: the moment, and one of the states that it may leave.
///
/// ```swift
/// let loss = PowerLoss(after: 17, seed: 42)
/// ```
public struct PowerLoss: Hashable, Sendable {
    /// The number of operations on the files that have happened before: see ``PowerLossDisk/operationCount``.
    public let operationCount: Int

    /// The number that chooses which operations without a sync are kept, lost or torn.
    public let seed: UInt64

    /// Creates a loss of power.
    ///
    /// ```swift
    /// let disk = try PowerLossDisk()
    /// try disk.losePower(PowerLoss(after: disk.operationCount, seed: 1))
    /// ```
    ///
    /// - Parameters:
    ///   - operationCount: The number of operations on the files that have happened before.
    ///   - seed: The number that chooses one of the possible states.
    public init(after operationCount: Int, seed: UInt64) {
        self.operationCount = operationCount
        self.seed = seed
    }
}

extension PowerLoss: CustomStringConvertible {
    /// The expression that creates the value: `PowerLoss(after: 17, seed: 42)`.
    public var description: String { "PowerLoss(after: \(operationCount), seed: \(seed))" }
}
