// The names of types, storage classes, collations, conflict resolutions and foreign key actions in SQL.

extension Database {
    /// The declared type of a column: <https://sqlite.org/datatype3.html>.
    ///
    /// SQLite accepts any name:
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

        /// The type `TEXT`.
        public static let text = ColumnType(rawValue: "TEXT")

        /// The type `TEXT`, for columns that hold JSON.
        public static let jsonText = ColumnType(rawValue: "TEXT")

        /// The type `TEXT`, for columns that hold JSON; equal to ``jsonText``.
        public static let json = ColumnType(rawValue: "TEXT")

        /// The type `BLOB`, for columns that hold SQLite's binary JSON: <https://sqlite.org/jsonb.html>.
        public static let jsonb = ColumnType(rawValue: "BLOB")

        /// The type `INTEGER`.
        public static let integer = ColumnType(rawValue: "INTEGER")

        /// The type `DOUBLE`.
        public static let double = ColumnType(rawValue: "DOUBLE")

        /// The type `REAL`.
        public static let real = ColumnType(rawValue: "REAL")

        /// The type `NUMERIC`.
        public static let numeric = ColumnType(rawValue: "NUMERIC")

        /// The type `BOOLEAN`.
        public static let boolean = ColumnType(rawValue: "BOOLEAN")

        /// The type `BLOB`.
        public static let blob = ColumnType(rawValue: "BLOB")

        /// The type `DATE`.
        public static let date = ColumnType(rawValue: "DATE")

        /// The type `DATETIME`.
        public static let datetime = ColumnType(rawValue: "DATETIME")

        /// The type `ANY`. In a STRICT table, a column of this type stores all storage classes, without conversion:
        /// <https://sqlite.org/stricttables.html>.
        public static let any = ColumnType(rawValue: "ANY")
    }

    /// The storage class of a value: <https://sqlite.org/datatype3.html#storage_classes_and_datatypes>.
    ///
    /// ```swift
    /// let score = cast(Column("score"), as: .integer)   // CAST("score" AS INTEGER)
    /// ```
    public struct StorageClass: RawRepresentable, Hashable, Sendable {
        /// The name of the storage class in SQL, as in `CAST(x AS INTEGER)`.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The storage class `INTEGER`.
        public static let integer = StorageClass(rawValue: "INTEGER")

        /// The storage class `REAL`.
        public static let real = StorageClass(rawValue: "REAL")

        /// The storage class `TEXT`.
        public static let text = StorageClass(rawValue: "TEXT")

        /// The storage class `BLOB`.
        public static let blob = StorageClass(rawValue: "BLOB")
    }

    /// The name of a collation: <https://sqlite.org/datatype3.html#collating_sequences>.
    ///
    /// ```swift
    /// let query: SQL = "SELECT * FROM player ORDER BY name COLLATE \(Database.CollationName.nocase)"
    /// // SELECT * FROM player ORDER BY name COLLATE NOCASE
    /// ```
    public struct CollationName: RawRepresentable, Hashable, Sendable {
        /// The name. SQLite compares collation names without regard to case.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The collation `BINARY`, the default: compares strings byte by byte.
        public static let binary = CollationName(rawValue: "BINARY")

        /// The collation `NOCASE`: A to Z are equal to a to z.
        public static let nocase = CollationName(rawValue: "NOCASE")

        /// The collation `RTRIM`: ignores trailing spaces.
        public static let rtrim = CollationName(rawValue: "RTRIM")
    }

    /// The resolution of constraint violations: <https://sqlite.org/lang_conflict.html>.
    ///
    /// ```swift
    /// let resolution = Database.ConflictResolution.ignore
    /// try db.execute(sql: "INSERT OR \(resolution.rawValue) INTO player (id, name) VALUES (1, 'Anna')")
    /// // INSERT OR IGNORE INTO player (id, name) VALUES (1, 'Anna')
    /// ```
    public enum ConflictResolution: String, Sendable {
        /// The transaction is rolled back.
        case rollback = "ROLLBACK"
        /// The changes of the statement are undone. This is the default.
        case abort = "ABORT"
        /// The statement stops, and its earlier changes are preserved.
        case fail = "FAIL"
        /// The row is skipped.
        case ignore = "IGNORE"
        /// The rows that conflict with the new one are deleted.
        case replace = "REPLACE"
    }

    /// The action on the rows that refer to a deleted row or to a changed key:
    /// <https://sqlite.org/foreignkeys.html#fk_actions>.
    ///
    /// ```swift
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team ON DELETE CASCADE)
    /// let foreignKey = try db.foreignKeys(on: "player")[0]
    /// foreignKey.onDelete == .cascade   // true
    /// ```
    public enum ForeignKeyAction: String, Sendable {
        /// The rows are deleted, or receive the new key.
        case cascade = "CASCADE"
        /// The change of the referenced row fails immediately.
        case restrict = "RESTRICT"
        /// The columns of the foreign key become NULL.
        case setNull = "SET NULL"
        /// The columns of the foreign key receive their default values.
        case setDefault = "SET DEFAULT"
    }
}

extension SQLInterpolation {
    /// Appends the name of a collation: `\(Database.CollationName.nocase)`.
    ///
    /// ```swift
    /// let query: SQL = "SELECT * FROM player ORDER BY name COLLATE \(.nocase)"
    /// // SELECT * FROM player ORDER BY name COLLATE NOCASE
    /// ```
    public mutating func appendInterpolation(_ collation: Database.CollationName) {
        appendLiteral(collation.rawValue.sqlName)
    }

    /// Appends the name of a collation that is written in Swift: `\(collation)`.
    public mutating func appendInterpolation(_ collation: DatabaseCollation) {
        appendLiteral(collation.name.sqlName)
    }
}
