import CAmalgam

/// The rules by which SQLite compares the values of a column: <https://www.sqlite.org/datatype3.html#comparisons>.
package struct ColumnComparison: Hashable, Sendable {
    /// The affinity of a column: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>.
    package enum Affinity: Sendable {
        /// INTEGER, REAL or NUMERIC: strings that are numbers become numbers.
        case numeric
        /// TEXT: numbers become strings.
        case text
        /// BLOB: values are unchanged.
        case none

        /// - Parameter type: the declared type of a column.
        package init(declaredType type: String) {
            let type = type.uppercased()
            let contains = { (word: String) in type.contains(word) }
            if contains("INT") {
                self = .numeric
            } else if contains("CHAR") || contains("CLOB") || contains("TEXT") {
                self = .text
            } else {
                self = type.isEmpty || contains("BLOB") ? .none : .numeric
            }
        }
    }

    package var affinity: Affinity

    /// The collation that compares TEXT values; nil for a column of a view, whose collation SQLite doesn't report.
    package var collation: Database.CollationName?

    package init(affinity: Affinity, collation: Database.CollationName? = .binary) {
        self.affinity = affinity
        self.collation = collation
    }
}
