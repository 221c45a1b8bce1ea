/// Which columns of the row that is there already an upsert replaces.
///
/// ```swift
/// let word = try word.upsertAndFetch(db, onConflict: ["word"], updating: .noColumnUnlessSpecified) { _ in
///     [Column("count") += 1]
/// }
/// ```
public struct UpsertUpdateStrategy: OptionSet, Sendable {
    public let rawValue: Int

    /// A strategy, by its number.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// All columns of the record, but those of the primary key and of the conflict target, and those that have an
    /// assignment of their own.
    public static let allColumns = UpsertUpdateStrategy(rawValue: 1 << 0)

    /// No column but those that have an assignment.
    public static let noColumnUnlessSpecified: UpsertUpdateStrategy = []
}
