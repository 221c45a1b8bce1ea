extension Database {
    /// The name of a collation that SQLite has by itself: <https://sqlite.org/datatype3.html#collating_sequences>.
    ///
    /// ```swift
    /// let query: SQL = "SELECT * FROM player ORDER BY email COLLATE \(.nocase)"
    /// // SELECT * FROM player ORDER BY email COLLATE NOCASE
    /// ```
    public struct CollationName: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// `BINARY`: compares bytes.
        public static let binary = CollationName(rawValue: "BINARY")

        /// `NOCASE`: ignores the case of the 26 letters of ASCII.
        public static let nocase = CollationName(rawValue: "NOCASE")

        /// `RTRIM`: ignores spaces at the end.
        public static let rtrim = CollationName(rawValue: "RTRIM")
    }
}

extension SQLInterpolation {
    /// `\(.nocase)`: the name of the collation.
    public mutating func appendInterpolation(_ collation: Database.CollationName) {
        appendLiteral(collation.rawValue.sqlName)
    }

    /// `\(collation)`: the name of the collation.
    public mutating func appendInterpolation(_ collation: DatabaseCollation) {
        appendLiteral(collation.name.sqlName)
    }
}
