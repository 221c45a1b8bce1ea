/// How a trigger is created.
public struct TriggerOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing when there is such a trigger: `IF NOT EXISTS`.
    public static let ifNotExists = TriggerOptions(rawValue: 1 << 0)

    /// Only the connection has the trigger, until it is closed: `TEMPORARY`.
    public static let temporary = TriggerOptions(rawValue: 1 << 1)
}
