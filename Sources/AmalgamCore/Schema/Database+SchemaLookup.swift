import CAmalgam

// A look-up finds an object by name in SQLite's in-memory schema. Pragmas read the columns, indexes and keys of a table
// on first use. These pragmas aren't reported to trace callbacks, because the application hasn't run them. An authorizer
// that allows reading the table isn't asked about them.

extension Database {
    /// The kinds of objects that a look-up accepts.
    enum LookupKind {
        case table, view, tableOrView, index, trigger

        fileprivate var mask: CInt {
            switch self {
            case .table: CInt(AMALGAM_SCHEMA_TABLE)
            case .view: CInt(AMALGAM_SCHEMA_VIEW)
            case .tableOrView: CInt(AMALGAM_SCHEMA_TABLE) | CInt(AMALGAM_SCHEMA_VIEW)
            case .index: CInt(AMALGAM_SCHEMA_INDEX)
            case .trigger: CInt(AMALGAM_SCHEMA_TRIGGER)
            }
        }
    }

    /// Looks up an object by its name, compared without regard to ASCII case. If there is none, `identity` is nil.
    func find(_ kind: LookupKind, _ name: String, in schemaName: String?) throws -> amalgam_schema_object {
        try checkAccess()
        try checkMayRead()
        let schema = try schemaName.map { try schemaIndex($0) } ?? -1
        var object = amalgam_schema_object()
        let length = Int64(name.utf8.count)
        let code = name.withCString {
            amalgam_schema_find(hooks.pointer, kind.mask, schema, $0, length, &object)
        }
        if code != SQLITE_OK { throw cancellation(code) ?? suspension(code, error(code)) ?? error(code) }
        return object
    }

    /// Returns the index of a database.
    ///
    /// - Throws: a ``DatabaseError``: `no such schema: x`.
    package func schemaIndex(_ schemaName: String) throws -> CInt {
        let index = schemaName.utf8.contains(0) ? -1 : amalgam_schema_index(sqliteConnection, schemaName)
        if index < 0 { throw DatabaseError(message: "no such schema: \(schemaName)") }
        return index
    }

    package func schemaID(_ index: CInt) -> DatabaseSchemaID {
        switch index {
        case 0: .main
        case 1: .temp
        default: .attached(sqlite3_db_name(sqliteConnection, index).map { String(cString: $0) } ?? "")
        }
    }

    /// Returns the state of the schemas in which a name means the same table; nil if there is no such table.
    package func stateOfTable(_ name: String) throws -> TableState? {
        let found = try find(.table, name, in: nil)
        if found.identity == nil { return nil }
        return TableState(schema: found.schema, schemas: schema.state.current)
    }

    /// Returns whether the schemas haven't changed since a table was found. False if this isn't known.
    package func isCurrent(_ state: TableState) -> Bool {
        runsStatementsPlainly && schema.state.isCurrent(state.schemas, upTo: state.schema)
    }

    /// Looks up a table or view, and calls a closure with its description.
    ///
    /// - Throws: a ``DatabaseError``, such as `no such table: x`.
    package func withTable<T>(
        _ name: String, in schemaName: String?, _ read: (TableDescription) throws -> T
    ) throws -> T {
        if let result = try ifTable(name, in: schemaName, read) { return result }
        throw DatabaseError(message: "no such table: \(name)")
    }

    /// Looks up a table or view, and calls a closure with its description. Returns nil if the name isn't found.
    ///
    /// Outside of a transaction, another connection may change the schema between the look-up and the end of the
    /// closure. If so, the look-up and the closure are repeated, up to ten attempts in total.
    func ifTable<T>(_ name: String, in schemaName: String?, _ read: (TableDescription) throws -> T) throws -> T? {
        var attempt = 0
        while true {
            attempt += 1
            let found = try find(.tableOrView, name, in: schemaName)
            guard let identity = found.identity else { return nil }
            let table = schema.cache.description(of: found, identity: identity) {
                TableDescription(found, schemaID: schemaID(found.schema))
            }
            let readings = table.readings
            let result = try read(table)
            if table.readings == readings || attempt == 10 { return result }
            let now = try find(.tableOrView, name, in: schemaName)
            if now.identity == identity && now.stamp == found.stamp { return result }
        }
    }

    /// Returns the rows of a pragma about a table, or of a query of the schema table. The statement isn't reported to
    /// trace callbacks, and observations don't track the tables that it reads.
    func schemaRows(_ sql: String, arguments: StatementArguments = StatementArguments()) throws -> [Row] {
        let mask = amalgam_trace_pause(sqliteConnection)
        let region = observation.accessedRegion
        observation.accessedRegion = nil
        defer {
            observation.accessedRegion = region
            amalgam_trace_resume(sqliteConnection, mask)
        }
        return try Row.fetchAll(makeStatement(sql: sql), arguments: arguments)
    }

    /// Returns the rules by which SQLite compares the values of a column. If the column doesn't exist, the rules are
    /// those of a column without affinity.
    package func comparison(ofColumn columnName: String, in tableName: String) throws -> ColumnComparison {
        guard let id = try ifTable(tableName, in: nil, { $0.id }) else { return ColumnComparison(affinity: .none) }
        var type: UnsafePointer<CChar>?
        var collation: UnsafePointer<CChar>?
        let code = sqlite3_table_column_metadata(
            sqliteConnection, id.schemaID.name, id.name, columnName, &type, &collation, nil, nil, nil)
        if code == SQLITE_OK {
            return ColumnComparison(
                affinity: ColumnComparison.Affinity(declaredType: type.map { String(cString: $0) } ?? ""),
                collation: collation.map { CollationName(rawValue: String(cString: $0)) } ?? .binary)
        }
        // This function doesn't support columns of views.
        let column = try columns(in: tableName).first { $0.name.equalsIgnoringCase(columnName) }
        return ColumnComparison(
            affinity: ColumnComparison.Affinity(declaredType: column?.type ?? ""),
            collation: column == nil ? .binary : nil)
    }
}

/// A state of the schemas, and the schema that has a table.
package struct TableState {
    fileprivate let schema: CInt
    fileprivate let schemas: UInt64
}

// MARK: - Details of a table

extension Database {
    /// Calls a closure that reads details of a table. If the current authorizer allows reading the table, it isn't asked
    /// about the pragmas.
    ///
    /// Details in the cache may be used without this method if `mayReadRows(of:)` returns true: so the answer of the
    /// authorizer doesn't depend on earlier look-ups.
    private func readingDetails<T>(of table: TableDescription, _ read: () throws -> T) throws -> T {
        table.readings += 1
        return mayReadRows(of: table.id) ? try withoutAuthorizer(read) : try read()
    }

    func columns(of table: TableDescription) throws -> [ColumnInfo] {
        if let columns = table.columns, mayReadRows(of: table.id) { return columns }
        let columns = try readingDetails(of: table) { try schemaRows(table.id.pragma("table_xinfo")) }
            .map(ColumnInfo.init(row:))
        table.columns = columns
        return columns
    }

    /// Returns the primary key; nil for a view without one.
    func primaryKey(of table: TableDescription) throws -> PrimaryKeyInfo? {
        if let primaryKey = table.primaryKey, mayReadRows(of: table.id) { return primaryKey }
        let primaryKey =
            table.kind == .view
            ? try declaredKey(ofView: table) : try primaryKey(of: table, columns: columns(of: table))
        table.primaryKey = primaryKey
        return primaryKey
    }

    private func primaryKey(of table: TableDescription, columns: [ColumnInfo]) throws -> PrimaryKeyInfo {
        let keyColumns =
            columns
            .filter { $0.primaryKeyIndex > 0 }
            .sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }
        if keyColumns.isEmpty {
            guard let name = hiddenRowIDName(columns) else {
                throw DatabaseError(
                    message: """
                        table \(table.id.name) has no primary key: its columns hide the rowid. Declare a primary key, \
                        or rename one of the columns rowid, _rowid_, and oid.
                        """)
            }
            return PrimaryKeyInfo(hiddenRowID: name)
        }
        return PrimaryKeyInfo(keyColumns, rowIDColumn: table.rowIDColumn, tableHasRowID: table.hasRowID)
    }

    /// The names of the rowid: <https://sqlite.org/rowidtable.html>.
    static var rowIDNames: [String] { ["rowid", "_rowid_", "oid"] }

    /// Returns a name of the rowid that no column has.
    private func hiddenRowIDName(_ columns: [ColumnInfo]) -> String? {
        let names = Set(columns.map { TableName($0.name) })
        return Self.rowIDNames.first { !names.contains(TableName($0)) }
    }

    /// Returns the name of the rowid in SQL; nil if there is no rowid, or if columns have all its names.
    package func rowIDName(of table: TableDescription) throws -> String? {
        guard table.hasRowID else { return nil }
        return try table.rowIDColumn ?? hiddenRowIDName(columns(of: table))
    }

    private func declaredKey(ofView view: TableDescription) throws -> PrimaryKeyInfo? {
        guard let schemaSource = schema.source else { return nil }
        view.readings += 1
        let names = try schemaSource.columnsForPrimaryKey(self, inView: view.id) ?? []
        if names.isEmpty { return nil }
        let columns = try columns(of: view)
        let keyColumns = try names.map { name in
            guard let column = columns.first(where: { TableName($0.name) == TableName(name) }) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "No such column in view \(view.id.name): \(name). Check the schema source.")
            }
            return column
        }
        return PrimaryKeyInfo(keyColumns, rowIDColumn: nil, tableHasRowID: false)
    }

    /// Returns all indexes, including those on expressions.
    func indexes(of table: TableDescription) throws -> [IndexInfo] {
        if let indexes = table.indexes, mayReadRows(of: table.id) { return indexes }
        let indexes = try readingDetails(of: table) {
            try schemaRows(table.id.pragma("index_list")).map { row in
                let id = DatabaseObjectID(name: row["name"], schemaID: table.id.schemaID)
                let terms = try schemaRows(id.pragma("index_xinfo")).compactMap(IndexInfo.Term.init(row:))
                return IndexInfo(row: row, terms: terms)
            }
        }
        table.indexes = indexes
        return indexes
    }

    package func foreignKeyDeclarations(of table: TableDescription) throws -> [ForeignKeyDeclaration] {
        if let declarations = table.foreignKeyDeclarations, mayReadRows(of: table.id) { return declarations }
        var declarations = ForeignKeyDeclaration.declarations(
            try readingDetails(of: table) { try schemaRows(table.id.pragma("foreign_key_list")) })
        for index in declarations.indices {
            declarations[index].isDeferred =
                amalgam_schema_defers_foreign_key(
                    sqliteConnection, table.schemaIndex, table.id.name, Int64(declarations[index].id)) != 0
        }
        table.foreignKeyDeclarations = declarations
        return declarations
    }

    func foreignKeys(of table: TableDescription) throws -> [ForeignKeyInfo] {
        if let foreignKeys = table.foreignKeys, mayReadRows(of: table.id) { return foreignKeys }
        let foreignKeys = try readingDetails(of: table) {
            try foreignKeyDeclarations(of: table).map { declaration in
                ForeignKeyInfo(
                    declaration, destinationColumns: try destinationColumns(of: declaration, from: table.id))
            }
        }
        table.foreignKeys = foreignKeys
        return foreignKeys
    }

    /// Returns the columns that a foreign key refers to: those that it names, or the referenced table's primary key.
    private func destinationColumns(
        of declaration: ForeignKeyDeclaration, from origin: DatabaseObjectID
    ) throws -> [String] {
        if !declaration.destinationColumns.isEmpty { return declaration.destinationColumns }
        let columns = try primaryKey(declaration.destinationTable, in: origin.schemaID.name).columns
        if columns.count != declaration.originColumns.count {
            // SQLite's message. SQLite reports the mismatch only when rows change.
            throw DatabaseError(
                message: "foreign key mismatch - \"\(origin.name)\" referencing \"\(declaration.destinationTable)\"")
        }
        return columns
    }
}
