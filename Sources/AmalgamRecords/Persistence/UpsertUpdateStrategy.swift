/// The columns of the existing row that an upsert overwrites with the values of the record.
///
/// ```swift
/// let upserted = try word.upsertAndFetch(db, onConflict: ["word"], updating: .noColumnUnlessSpecified) { _ in
///     [Column("count") += 1]
/// }
/// ```
public struct UpsertUpdateStrategy: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates a strategy from the bits of its options.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Overwrites all columns of the record, except those of the primary key and of the conflict target, and those with
    /// an explicit assignment.
    public static let allColumns = UpsertUpdateStrategy(rawValue: 1 << 0)

    /// Overwrites no column. Only the explicit assignments are performed.
    public static let noColumnUnlessSpecified: UpsertUpdateStrategy = []
}
