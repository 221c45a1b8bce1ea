/// The options of a `CREATE TABLE` statement.
///
/// ```swift
/// try db.create(table: "player", options: [.strict, .ifNotExists]) { t in
///     t.column("name", .text)
/// }
/// // CREATE TABLE IF NOT EXISTS "player" ("name" TEXT) STRICT
/// ```
public struct TableOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if the table exists: `IF NOT EXISTS`.
    public static let ifNotExists = TableOptions(rawValue: 1 << 0)

    /// Creates a table that is visible to this connection only, and dropped when the connection is closed: `TEMPORARY`.
    public static let temporary = TableOptions(rawValue: 1 << 1)

    /// Creates a table without rowid: `WITHOUT ROWID`, see <https://sqlite.org/withoutrowid.html>.
    public static let withoutRowID = TableOptions(rawValue: 1 << 2)

    /// Requires values to have the types of their columns: `STRICT`, see <https://sqlite.org/stricttables.html>.
    public static let strict = TableOptions(rawValue: 1 << 3)
}
