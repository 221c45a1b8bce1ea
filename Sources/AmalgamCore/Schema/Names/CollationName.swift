extension Database {
    /// The name of a collation: <https://sqlite.org/datatype3.html#collating_sequences>.
    public struct CollationName: RawRepresentable, Hashable, Sendable {
        /// The name. SQLite compares names of collations without regard to case.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// `BINARY`: texts are compared byte by byte. The default.
        public static let binary = CollationName(rawValue: "BINARY")

        /// `NOCASE`: A to Z are equal to a to z.
        public static let nocase = CollationName(rawValue: "NOCASE")

        /// `RTRIM`: blanks at the end do not count.
        public static let rtrim = CollationName(rawValue: "RTRIM")
    }
}

extension SQLInterpolation {
    /// `\(Database.CollationName.nocase)`: the name of the collation.
    ///
    /// ```swift
    /// let query: SQL = "SELECT * FROM player ORDER BY name COLLATE \(.nocase)"
    /// // SELECT * FROM player ORDER BY name COLLATE NOCASE
    /// ```
    public mutating func appendInterpolation(_ collation: Database.CollationName) {
        appendLiteral(collation.rawValue.sqlName)
    }

    /// `\(collation)`: the name of a collation written in Swift.
    public mutating func appendInterpolation(_ collation: DatabaseCollation) {
        appendLiteral(collation.name.sqlName)
    }
}
