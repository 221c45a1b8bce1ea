extension Database {
    /// The declared type of a column: <https://sqlite.org/datatype3.html>.
    ///
    /// SQLite accepts any text:
    ///
    /// ```swift
    /// let type = Database.ColumnType(rawValue: "VARCHAR(10)")
    /// ```
    public struct ColumnType: RawRepresentable, Hashable, Sendable {
        /// The type, as it is written in SQL.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// `TEXT`
        public static let text = ColumnType(rawValue: "TEXT")

        /// `TEXT`, for columns that hold JSON.
        public static let jsonText = ColumnType(rawValue: "TEXT")

        /// `TEXT`, for columns that hold JSON, as with ``jsonText``.
        public static let json = ColumnType(rawValue: "TEXT")

        /// `BLOB`, for columns that hold SQLite's binary JSON: <https://sqlite.org/jsonb.html>.
        public static let jsonb = ColumnType(rawValue: "BLOB")

        /// `INTEGER`
        public static let integer = ColumnType(rawValue: "INTEGER")

        /// `DOUBLE`
        public static let double = ColumnType(rawValue: "DOUBLE")

        /// `REAL`
        public static let real = ColumnType(rawValue: "REAL")

        /// `NUMERIC`
        public static let numeric = ColumnType(rawValue: "NUMERIC")

        /// `BOOLEAN`
        public static let boolean = ColumnType(rawValue: "BOOLEAN")

        /// `BLOB`
        public static let blob = ColumnType(rawValue: "BLOB")

        /// `DATE`
        public static let date = ColumnType(rawValue: "DATE")

        /// `DATETIME`
        public static let datetime = ColumnType(rawValue: "DATETIME")

        /// `ANY`: in a STRICT table, values of all types as they are. See <https://sqlite.org/stricttables.html>.
        public static let any = ColumnType(rawValue: "ANY")
    }
}
