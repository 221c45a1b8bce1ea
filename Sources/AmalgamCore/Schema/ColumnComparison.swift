import CAmalgam

/// How SQLite compares the values of a column with those of others: <https://www.sqlite.org/datatype3.html#comparisons>.
package struct ColumnComparison: Hashable, Sendable {
    /// What a column makes of values: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>.
    package enum Affinity: Sendable {
        /// INTEGER, REAL or NUMERIC: texts that are numbers become numbers.
        case numeric
        /// TEXT: numbers become texts.
        case text
        /// BLOB: values stay as they are.
        case none

        /// - Parameter type: the type that a column is declared with.
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

    /// The collation by which texts are compared. Nil for a column of a view, of which SQLite does not tell it.
    package var collation: Database.CollationName?

    package init(affinity: Affinity, collation: Database.CollationName? = .binary) {
        self.affinity = affinity
        self.collation = collation
    }
}
