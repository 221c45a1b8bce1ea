/// The options of a `CREATE VIRTUAL TABLE` statement.
public struct VirtualTableOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if the table exists: `IF NOT EXISTS`.
    public static let ifNotExists = VirtualTableOptions(rawValue: 1 << 0)

    /// Creates a table that is visible to this connection only, and dropped when the connection is closed.
    public static let temporary = VirtualTableOptions(rawValue: 1 << 1)
}
