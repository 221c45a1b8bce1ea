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

        /// The name as it is written in SQL: quoted when it must be.
        package var sql: String {
            func isPlain(_ byte: UInt8) -> Bool {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            return !rawValue.isEmpty && rawValue.utf8.allSatisfy(isPlain) ? rawValue : rawValue.quotedDatabaseIdentifier
        }
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
        appendLiteral(collation.sql)
    }
}
