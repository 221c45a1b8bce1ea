internal import AmalgamCore
public import AmalgamQuery

extension AuditLog {
    /// A rule of an audit, for a table, some of its columns, or all tables.
    ///
    /// ```swift
    /// try db.audit(
    ///     "player",                                        // all columns
    ///     .table("team", columns: ["name"]),               // one column
    ///     .table("document", except: ["preview"]),         // all columns but one
    ///     .table("user", redacting: ["password"]))         // records that passwords change, but not their values
    /// ```
    ///
    /// The case of ASCII letters in names is ignored. The table need not exist. Columns that are added later are audited, unless
    /// `columns` names the audited ones. For renamed tables, see ``AuditLog/missingTables(_:)``.
    ///
    /// The values of redacted columns, and of generated columns that are computed from them, are never stored. The log
    /// identifies rows by their primary keys, so a column of the primary key can't be redacted: statements that change the
    /// table throw `SQLITE_MISUSE`.
    ///
    /// If a redacted column is renamed, the connection redacts it under its new name, also if another column had this name
    /// before. It follows its own statements one by one. Of several statements that another connection has run, it sees
    /// only the result, so it redacts each column that may be the renamed one: often the columns before it, too. Redacted
    /// names stay redacted until the connection is closed. If another connection also renames the table, or copies the
    /// column to a different one, the connection doesn't know. Change the rule in the same release: after a restart, only its
    /// names count, and `requiringTables` refuses missing ones.
    public struct Table: Hashable, Sendable {
        /// The name of the table; nil for all tables.
        let name: TableName?
        let columns: Columns
        let redactedColumns: Set<TableName>

        enum Columns: Hashable, Sendable {
            case all(except: Set<TableName>)
            case only(Set<TableName>)
        }

        private init(name: String?, _ columns: Columns, redacting redactedColumns: some Sequence<String>) {
            self.name = name.map(TableName.init)
            self.columns = columns
            self.redactedColumns = Set(redactedColumns.map(TableName.init))
        }

        /// Returns a rule for all columns of a table, including those that are added later.
        ///
        /// - Parameters:
        ///   - name: the name of the table.
        ///   - excludedColumns: columns that aren't audited.
        ///   - redactedColumns: columns whose changes are recorded without their values.
        public static func table(
            _ name: String, except excludedColumns: [String] = [], redacting redactedColumns: [String] = []
        ) -> Table {
            Table(
                name: name, .all(except: Set(excludedColumns.map(TableName.init))), redacting: redactedColumns)
        }

        /// Returns a rule for some columns of a table. An update of other columns isn't recorded.
        ///
        /// - Parameters:
        ///   - name: the name of the table.
        ///   - columns: the audited columns.
        ///   - redactedColumns: additional columns, whose changes are recorded without their values.
        public static func table(
            _ name: String, columns: [String], redacting redactedColumns: [String] = []
        ) -> Table {
            Table(
                name: name, .only(Set((columns + redactedColumns).map(TableName.init))), redacting: redactedColumns)
        }

        /// Returns a rule for all columns of a table, including those that are added later.
        ///
        /// ```swift
        /// let (score, password) = (TypedColumn<Int>("score"), TypedColumn<String>("password"))
        /// try db.audit(.table("player", except: [score], redacting: [password]))
        /// ```
        @_disfavoredOverload
        public static func table(
            _ name: String, except excludedColumns: [any NamedColumn] = [],
            redacting redactedColumns: [any NamedColumn] = []
        ) -> Table {
            table(name, except: excludedColumns.map(\.name), redacting: redactedColumns.map(\.name))
        }

        /// Returns a rule for some columns of a table. An update of other columns isn't recorded.
        ///
        /// ```swift
        /// let (score, password) = (TypedColumn<Int>("score"), TypedColumn<String>("password"))
        /// try db.audit(.table("player", columns: [score], redacting: [password]))
        /// ```
        @_disfavoredOverload
        public static func table(
            _ name: String, columns: [any NamedColumn], redacting redactedColumns: [any NamedColumn] = []
        ) -> Table {
            table(name, columns: columns.map(\.name), redacting: redactedColumns.map(\.name))
        }

        /// Returns a rule for all columns of all tables, including those that are created later.
        ///
        /// ```swift
        /// try db.audit(.everyTable(redacting: ["password"]), .table("player", except: ["score"]))
        /// ```
        ///
        /// Internal tables of SQLite and of the library, and shadow tables of virtual tables, aren't audited. If
        /// another rule names a table, only that rule applies to the table.
        ///
        /// - Parameter redactedColumns: columns of any table whose changes are recorded without their values.
        public static func everyTable(redacting redactedColumns: [String] = []) -> Table {
            Table(name: nil, .all(except: []), redacting: redactedColumns)
        }

        /// A rule for all columns of all tables.
        public static var everyTable: Table { everyTable() }
    }
}

extension AuditLog.Table: ExpressibleByStringLiteral {
    /// Creates a rule for all columns of a table.
    public init(stringLiteral name: String) {
        self = .table(name)
    }
}
