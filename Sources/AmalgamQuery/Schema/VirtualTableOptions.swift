/// How a virtual table is created.
public struct VirtualTableOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing when there is such a table: `IF NOT EXISTS`.
    public static let ifNotExists = VirtualTableOptions(rawValue: 1 << 0)

    /// Only the connection sees the table, which it drops when it is closed.
    public static let temporary = VirtualTableOptions(rawValue: 1 << 1)
}
