/// An index of a table: <https://sqlite.org/pragma.html#pragma_index_list>.
///
/// ```swift
/// for index in try db.indexes(on: "player") where index.isUnique {
///     print(index.name, index.columns)
/// }
/// ```
public struct IndexInfo: Sendable {
    /// The reason why an index exists.
    ///
    /// ```swift
    /// let constraints = try db.indexes(on: "player").filter { $0.origin == .uniqueConstraint }
    /// ```
    public struct Origin: RawRepresentable, Hashable, Sendable {
        /// SQLite's name of the origin: `c`, `u` or `pk`.
        public var rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The index was created by a CREATE INDEX statement: `c`.
        public static let createIndex = Origin(rawValue: "c")

        /// The index implements a UNIQUE constraint: `u`.
        public static let uniqueConstraint = Origin(rawValue: "u")

        /// The index implements a PRIMARY KEY constraint: `pk`.
        public static let primaryKeyConstraint = Origin(rawValue: "pk")
    }

    /// A column or expression of an index: <https://sqlite.org/syntax/indexed-column.html>.
    ///
    /// ```swift
    /// // CREATE INDEX playerScore ON player(score DESC)
    /// let term = try db.indexes(on: "player")[0].terms[0]
    /// term.isDescending   // true
    /// ```
    public struct Term: Hashable, Sendable {
        /// The column; nil for an expression.
        public let column: String?

        /// The collation that compares TEXT values.
        public let collation: Database.CollationName

        /// Whether the order is descending.
        public let isDescending: Bool
    }

    /// The name of the index. SQLite names the indexes of constraints, such as `sqlite_autoindex_player_1`.
    public let name: String

    /// The indexed columns, in the order of the index, without expressions.
    public let columns: [String]

    /// The indexed columns and expressions, in the order of the index.
    public let terms: [Term]

    /// Whether the index is unique: no two rows have equal values in its columns, unless one is NULL.
    public let isUnique: Bool

    /// Whether the index has a WHERE clause, and excludes rows: <https://sqlite.org/partialindex.html>.
    public let isPartial: Bool

    /// The reason why the index exists.
    public let origin: Origin

    /// Whether the index has no expressions.
    var hasOnlyColumns: Bool { columns.count == terms.count }

    /// Creates an index from a row of `PRAGMA index_list`.
    init(row: Row, terms: [Term]) {
        name = row["name"]
        isUnique = row["unique"]
        isPartial = row["partial"]
        origin = Origin(rawValue: row["origin"])
        columns = terms.compactMap(\.column)
        self.terms = terms
    }
}

extension IndexInfo.Term {
    /// Creates a term from a row of `PRAGMA index_xinfo`; nil for a column that isn't part of the index's key.
    init?(row: Row) {
        guard row["key"] as Bool else { return nil }
        column = row["name"]
        collation = Database.CollationName(rawValue: row["coll"] as String? ?? "BINARY")
        isDescending = row["desc"]
    }
}
