/// How a table is created.
public struct TableOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing when there is such a table: `IF NOT EXISTS`.
    public static let ifNotExists = TableOptions(rawValue: 1 << 0)

    /// Only the connection sees the table, which it drops when it is closed: `TEMPORARY`.
    public static let temporary = TableOptions(rawValue: 1 << 1)

    /// Rows have no rowid: `WITHOUT ROWID`, see <https://sqlite.org/withoutrowid.html>.
    public static let withoutRowID = TableOptions(rawValue: 1 << 2)

    /// Values must have the types of their columns: `STRICT`, see <https://sqlite.org/stricttables.html>.
    public static let strict = TableOptions(rawValue: 1 << 3)
}
