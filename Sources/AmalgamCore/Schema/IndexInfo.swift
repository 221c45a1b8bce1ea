/// An index of a table: <https://sqlite.org/pragma.html#pragma_index_list>.
///
/// ```swift
/// for index in try db.indexes(on: "player") where index.isUnique {
///     print(index.name, index.columns)
/// }
/// ```
public struct IndexInfo: Sendable {
    /// Why an index is there.
    public struct Origin: RawRepresentable, Hashable, Sendable {
        /// The letters with which SQLite names the origin.
        public var rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// `c`: a CREATE INDEX statement.
        public static let createIndex = Origin(rawValue: "c")

        /// `u`: a UNIQUE constraint.
        public static let uniqueConstraint = Origin(rawValue: "u")

        /// `pk`: a PRIMARY KEY constraint.
        public static let primaryKeyConstraint = Origin(rawValue: "pk")
    }

    /// What an index is sorted by: <https://sqlite.org/syntax/indexed-column.html>.
    public struct Term: Hashable, Sendable {
        /// The column; nil for an expression.
        public let column: String?

        /// How texts are compared.
        public let collation: Database.CollationName

        /// Whether the order is descending.
        public let isDescending: Bool
    }

    /// The name of the index: `sqlite_autoindex_player_1` for the first constraint of the table player.
    public let name: String

    /// The columns, in the order of the index. Expressions are left out.
    public let columns: [String]

    /// Columns and expressions, in the order of the index.
    public let terms: [Term]

    /// Whether two rows never have the same columns (NULLs apart).
    public let isUnique: Bool

    /// Whether a WHERE clause leaves rows out: <https://sqlite.org/partialindex.html>.
    public let isPartial: Bool

    /// Why the index is there.
    public let origin: Origin

    /// Whether the index sorts by nothing but columns.
    var hasOnlyColumns: Bool { columns.count == terms.count }

    /// The index that a row of `PRAGMA index_list` describes.
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
    /// The term that a row of `PRAGMA index_xinfo` describes; nil for a column that the index only carries.
    init?(row: Row) {
        guard row["key"] as Bool else { return nil }
        column = row["name"]
        collation = Database.CollationName(rawValue: row["coll"] as String? ?? "BINARY")
        isDescending = row["desc"]
    }
}
