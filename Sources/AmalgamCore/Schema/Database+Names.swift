// The names that SQL has for types, storage classes, collations and reactions.

extension Database {
    /// The declared type of a column: <https://sqlite.org/datatype3.html>.
    ///
    /// SQLite accepts any text:
    ///
    /// ```swift
    /// let type = Database.ColumnType(rawValue: "VARCHAR(10)")
    /// ```
    public struct ColumnType: RawRepresentable, Hashable, Sendable {
        /// The type in SQL.
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

        /// `ANY`: in a STRICT table, values of all types, without conversion. See <https://sqlite.org/stricttables.html>.
        public static let any = ColumnType(rawValue: "ANY")
    }

    /// How a value is stored: <https://sqlite.org/datatype3.html#storage_classes_and_datatypes>.
    public struct StorageClass: RawRepresentable, Hashable, Sendable {
        /// The name of the class in SQL, as in `CAST(x AS INTEGER)`.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// `INTEGER`
        public static let integer = StorageClass(rawValue: "INTEGER")

        /// `REAL`
        public static let real = StorageClass(rawValue: "REAL")

        /// `TEXT`
        public static let text = StorageClass(rawValue: "TEXT")

        /// `BLOB`
        public static let blob = StorageClass(rawValue: "BLOB")
    }

    /// The name of a collation: <https://sqlite.org/datatype3.html#collating_sequences>.
    public struct CollationName: RawRepresentable, Hashable, Sendable {
        /// The name. SQLite compares names of collations without regard to case.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// `BINARY`: strings are compared byte by byte. The default.
        public static let binary = CollationName(rawValue: "BINARY")

        /// `NOCASE`: A to Z are equal to a to z.
        public static let nocase = CollationName(rawValue: "NOCASE")

        /// `RTRIM`: blanks at the end do not count.
        public static let rtrim = CollationName(rawValue: "RTRIM")
    }

    /// What happens when a constraint fails: <https://sqlite.org/lang_conflict.html>.
    public enum ConflictResolution: String, Sendable {
        /// The transaction is rolled back.
        case rollback = "ROLLBACK"
        /// The changes of the statement are undone. The default.
        case abort = "ABORT"
        /// The statement stops, and the changes it made so far stay.
        case fail = "FAIL"
        /// The row is skipped.
        case ignore = "IGNORE"
        /// Rows that are in the way are deleted.
        case replace = "REPLACE"
    }

    /// What happens to rows whose parent is deleted or gets another key:
    /// <https://sqlite.org/foreignkeys.html#fk_actions>.
    public enum ForeignKeyAction: String, Sendable {
        /// The rows are deleted, or get the new key of their parent.
        case cascade = "CASCADE"
        /// The change of the parent fails, at once.
        case restrict = "RESTRICT"
        /// The columns of the foreign key become NULL.
        case setNull = "SET NULL"
        /// The columns of the foreign key get their default values.
        case setDefault = "SET DEFAULT"
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
