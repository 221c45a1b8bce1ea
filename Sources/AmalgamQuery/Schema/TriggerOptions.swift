/// The options of a `CREATE TRIGGER` statement.
public struct TriggerOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if the trigger exists: `IF NOT EXISTS`.
    public static let ifNotExists = TriggerOptions(rawValue: 1 << 0)

    /// Creates a trigger of this connection only, which is dropped when the connection is closed: `TEMPORARY`.
    public static let temporary = TriggerOptions(rawValue: 1 << 1)
}
