/// How a view is created.
public struct ViewOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing when there is such a view: `IF NOT EXISTS`.
    public static let ifNotExists = ViewOptions(rawValue: 1 << 0)

    /// Only the connection sees the view, which it drops when it is closed: `TEMPORARY`.
    public static let temporary = ViewOptions(rawValue: 1 << 1)
}
