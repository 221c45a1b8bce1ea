/// How an index is created.
public struct IndexOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing when there is such an index: `IF NOT EXISTS`.
    public static let ifNotExists = IndexOptions(rawValue: 1 << 0)

    /// No two rows may have the same values: `UNIQUE`.
    public static let unique = IndexOptions(rawValue: 1 << 1)
}
