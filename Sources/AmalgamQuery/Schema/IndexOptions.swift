/// The options of a `CREATE INDEX` statement.
///
/// ```swift
/// try db.create(index: "byEmail", on: "player", columns: ["email"], options: [.unique, .ifNotExists])
/// // CREATE UNIQUE INDEX IF NOT EXISTS "byEmail" ON "player"("email")
/// ```
public struct IndexOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if the index exists: `IF NOT EXISTS`.
    public static let ifNotExists = IndexOptions(rawValue: 1 << 0)

    /// Rejects rows with equal values: `UNIQUE`.
    public static let unique = IndexOptions(rawValue: 1 << 1)
}
