/// The options of a `CREATE VIEW` statement.
public struct ViewOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if the view exists: `IF NOT EXISTS`.
    public static let ifNotExists = ViewOptions(rawValue: 1 << 0)

    /// Creates a view that is visible to this connection only, and dropped when the connection is closed: `TEMPORARY`.
    public static let temporary = ViewOptions(rawValue: 1 << 1)
}
