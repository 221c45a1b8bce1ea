extension AuditLog {
    /// What is audited: a table, some of its columns, or all tables.
    ///
    /// ```swift
    /// try db.audit(
    ///     "player",                                        // all columns
    ///     .table("team", columns: ["name"]),               // one column
    ///     .table("document", except: ["preview"]),         // all columns but one
    ///     .table("user", redacting: ["password"]))         // it is recorded that passwords change
    /// ```
    ///
    /// Names may have any case. The table need not exist yet. Columns that are added to it later are audited, unless
    /// `columns` names others. A name doesn't follow a table that is renamed: see ``AuditLog/missingTables(_:)``.
    public struct Table: Hashable, Sendable {
        /// The table; nil for all of them.
        let name: String?
        let columns: Columns
        let redactedColumns: Set<String>

        enum Columns: Hashable, Sendable {
            case all(except: Set<String>)
            case only(Set<String>)
        }

        private init(name: String?, _ columns: Columns, redacting redactedColumns: some Sequence<String>) {
            self.name = name
            self.columns = columns
            self.redactedColumns = Set(redactedColumns.map { $0.lowercased() })
        }

        /// All columns of a table, those that are added later included.
        ///
        /// - Parameters:
        ///   - excludedColumns: columns that are not audited.
        ///   - redactedColumns: columns whose values are never stored: it is recorded that they change.
        public static func table(
            _ name: String, except excludedColumns: [String] = [], redacting redactedColumns: [String] = []
        ) -> Table {
            Table(
                name: name.lowercased(), .all(except: Set(excludedColumns.map { $0.lowercased() })),
                redacting: redactedColumns)
        }

        /// Some columns of a table. Updates of other columns are no entries.
        ///
        /// - Parameters:
        ///   - columns: the columns that are audited.
        ///   - redactedColumns: further columns, whose values are never stored: it is recorded that they change.
        public static func table(
            _ name: String, columns: [String], redacting redactedColumns: [String] = []
        ) -> Table {
            Table(
                name: name.lowercased(), .only(Set((columns + redactedColumns).map { $0.lowercased() })),
                redacting: redactedColumns)
        }

        /// All columns of all tables, those that are created later included, and except those of SQLite and of the
        /// library. Tables in which virtual tables keep their content are left out, too. What is said of a table by its
        /// name takes precedence.
        ///
        /// - Parameter redactedColumns: columns of any table whose values are never stored.
        public static func everyTable(redacting redactedColumns: [String] = []) -> Table {
            Table(name: nil, .all(except: []), redacting: redactedColumns)
        }

        /// All columns of all tables.
        public static var everyTable: Table { everyTable() }
    }
}

extension AuditLog.Table: ExpressibleByStringLiteral {
    /// All columns of a table.
    public init(stringLiteral name: String) {
        self = .table(name)
    }
}
