import AmalgamCore
import CAmalgam

/// The authorizer of a sandbox. Names are compared as SQLite compares them: see `TableName`.
struct SandboxPolicy {
    private let connection: SQLiteConnection
    private let readable: Set<TableName>?
    private let writable: Set<TableName>
    private let functions: Set<TableName>
    private let pragmas: Set<TableName>
    private let hiddenColumns: [TableName: Set<TableName>]
    private let deniedColumns: [TableName: Set<TableName>]
    private let allowsRecursiveQueries: Bool

    init(_ sandbox: Sandbox, _ connection: SQLiteConnection) {
        self.connection = connection
        readable = sandbox.readableTables.map { Set($0.map(TableName.init)) }
        writable = Set(sandbox.writableTables.map(TableName.init))
        functions = Set(sandbox.functions.map(TableName.init))
        pragmas = Set(sandbox.pragmas.map(TableName.init))
        hiddenColumns = sandbox.hiddenColumns
        deniedColumns = sandbox.deniedColumns
        allowsRecursiveQueries = sandbox.allowsRecursiveQueries
    }

    func decide(_ action: AuthorizerAction) -> AuthorizerDecision {
        if action.isInternal {
            // VACUUM INTO, which writes a file, attaches this file with an internal statement.
            return action.kind == .attach || action.kind == .detach ? .deny : .allow
        }
        switch action.kind {
        case .select: return .allow
        case .recursive: return allowsRecursiveQueries || isInsideView(action) ? .allow : .deny
        case .function: return allowsFunction(action) ? .allow : .deny
        case .pragma: return pragmas.contains(TableName(action.pragmaName ?? "")) ? .allow : .deny
        case .read: return decideRead(action)
        case .update: return allowsUpdate(action) ? .allow : .deny
        case .insert: return allowsInsert(action) ? .allow : .deny
        case .delete: return allowsWriting(action) ? .allow : .deny
        default: return .deny
        }
    }

    // MARK: Tables

    /// Returns the names by which a sandbox can list a table: `schema.table`, and also `table` in the main database.
    private func names(_ action: AuthorizerAction) -> [TableName] {
        names(SchemaTable(schema: action.schemaName ?? "main", name: action.tableName ?? ""))
    }

    private func names(_ table: SchemaTable) -> [TableName] {
        let qualifiedName = TableName("\(table.schema).\(table.name)")
        return table.schema.equalsIgnoringCase("main") ? [TableName(table.name), qualifiedName] : [qualifiedName]
    }

    private func decideRead(_ action: AuthorizerAction) -> AuthorizerDecision {
        // A trigger can read hidden columns: otherwise, it would store NULL in place of their values.
        if isInsideTrigger(action) { return .allow }
        let protection = protection(action)
        if protection == .ignore && action.withholdsAccessor && !writable.isEmpty { return .deny }
        if protection != .allow { return protection }
        if showsProtectedColumns(action) || storesOtherTables(action) { return .deny }
        return allowsReading(action) || isInsideView(action) ? .allow : .deny
    }

    private func allowsReading(_ action: AuthorizerAction) -> Bool {
        if isListed(action) { return true }
        switch Int(amalgam_object_class(connection, action.tableName ?? "", action.schemaName)) {
        case AMALGAM_OBJECT_TABLE_FUNCTION: return Self.harmlessTableFunctions.contains(names(action)[0])
        // A table outside of the schema, without a schema name: a common table expression.
        case AMALGAM_OBJECT_NONE: return action.schemaName == nil
        default: return readable == nil
        }
    }

    /// Table-valued functions that return only data of their arguments.
    private static let harmlessTableFunctions = Set(
        ["json_each", "json_tree", "jsonb_each", "jsonb_tree", "carray", "generate_series"].map(TableName.init))

    private func allowsWriting(_ action: AuthorizerAction) -> Bool {
        names(action).contains(where: writable.contains) || isInsideTrigger(action)
    }

    private func allowsUpdate(_ action: AuthorizerAction) -> Bool {
        isInsideTrigger(action) || (protection(action) == .allow && allowsWriting(action))
    }

    /// Without a column, SQLite asks about the table. Afterwards, each column is asked about that gets a value.
    private func allowsInsert(_ action: AuthorizerAction) -> Bool {
        isInsideTrigger(action)
            || (allowsWriting(action) && (action.columnName == nil || protection(action) == .allow))
    }

    /// Whether the action is caused by a readable view.
    private func isInsideView(_ action: AuthorizerAction) -> Bool {
        guard let accessor = action.accessorName, readable == nil || readable!.contains(TableName(accessor))
        else { return false }
        return Int(amalgam_object_class(connection, accessor, nil)) == AMALGAM_OBJECT_VIEW
    }

    /// Whether the action is caused by a trigger, which runs only for an allowed change.
    private func isInsideTrigger(_ action: AuthorizerAction) -> Bool {
        guard let accessor = action.accessorName else { return false }
        return amalgam_has_trigger(connection, accessor) != 0
            && Int(amalgam_object_class(connection, accessor, nil)) != AMALGAM_OBJECT_VIEW
    }

    // MARK: Protected columns

    private func protection(_ action: AuthorizerAction) -> AuthorizerDecision {
        guard protectsColumns, let table = action.tableName, let column = action.columnName else { return .allow }
        var columns = ProtectedColumns(connection, protection: protection(ofColumn:in:))
        return columns.protection(of: column, in: SchemaTable(schema: action.schemaName ?? "main", name: table))
    }

    /// The protection that the sandbox gives a column by its name.
    private func protection(ofColumn column: String, in table: SchemaTable) -> AuthorizerDecision {
        let column = TableName(column)
        for name in names(table) {
            if deniedColumns[name]?.contains(column) == true { return .deny }
            if hiddenColumns[name]?.contains(column) == true { return .ignore }
        }
        return .allow
    }

    /// Whether columns are hidden or denied.
    var protectsColumns: Bool { !hiddenColumns.isEmpty || !deniedColumns.isEmpty }

    /// The hidden and denied columns.
    var protectedColumns: [ProtectedIndexes.Column] {
        [hiddenColumns, deniedColumns].joined().flatMap { name, columns in
            let parts = name.spelling.split(separator: ".", maxSplits: 1)
            let table = SchemaTable(
                schema: parts.count == 2 ? String(parts[0]) : "main", name: String(parts.last ?? ""))
            return columns.map { ProtectedIndexes.Column(table: table, name: $0.spelling) }
        }
    }

    private func protectsColumns(of table: SchemaTable) -> Bool {
        names(table).contains { hiddenColumns[$0] != nil || deniedColumns[$0] != nil }
    }

    /// Whether a table, or a hidden column of a virtual table, shows values of protected columns: the shadow tables and
    /// the vocabulary of a full-text table, and its columns that stand for all columns in searches.
    private func showsProtectedColumns(_ action: AuthorizerAction) -> Bool {
        guard protectsColumns, let name = action.tableName else { return false }
        let columns = ProtectedColumns(connection, protection: protection(ofColumn:in:))
        let table = SchemaTable(schema: action.schemaName ?? "main", name: name)
        return columns.shows(table, column: action.columnName ?? "", protectsColumns: protectsColumns(of:))
    }

    /// Whether a table has values of all tables, protected columns included, and isn't listed by its name.
    private func storesOtherTables(_ action: AuthorizerAction) -> Bool {
        guard protectsColumns, let name = action.tableName, !isListed(action) else { return false }
        let folded = String(decoding: name.utf8.map(\.asciiLowercased), as: UTF8.self)
        if folded == "sqlite_sequence" || Self.prefixesOfCopies.contains(where: folded.hasPrefix) { return true }
        let table = SchemaTable(schema: action.schemaName ?? "main", name: name)
        return VirtualTableSources(connection, table).areAllTables
    }

    /// Prefixes of the tables that store values of others: samples of the indexes by ANALYZE, and the log of audited changes.
    private static let prefixesOfCopies = ["sqlite_stat", "amalgam_audit"]

    private func isListed(_ action: AuthorizerAction) -> Bool {
        names(action).contains { writable.contains($0) || readable?.contains($0) == true }
    }

    // MARK: Functions

    private func allowsFunction(_ action: AuthorizerAction) -> Bool {
        let function = action.functionName ?? ""
        let name = TableName(function)
        if name == Self.lastInsertRowID && protectsRowids && !functions.contains(name) {
            return isInsideTrigger(action)
        }
        if functions.contains(name) || isInsideView(action) || isInsideTrigger(action) { return true }
        if Self.functionsWithEffects.contains(name) { return false }
        // The functions of full-text search are allowed.
        return Int(amalgam_function_class(connection, function)) != AMALGAM_FUNCTION_UNSAFE
    }

    /// Whether a protected column is the rowid of its table, which `last_insert_rowid()` shows.
    private var protectsRowids: Bool {
        protectedColumns.contains { column in
            ["rowid", "_rowid_", "oid"].contains { name in
                var columns = ProtectedColumns(connection, protection: protection(ofColumn:in:))
                return columns.protection(of: name, in: column.table) != .allow
            }
        }
    }

    private static let lastInsertRowID = TableName("last_insert_rowid")

    /// Functions of SQLite that aren't unsafe by SQLite's own flags: optimize() of FTS3 rewrites its index, sqlite_log()
    /// writes to the log of the application.
    private static let functionsWithEffects = Set(["optimize", "sqlite_log"].map(TableName.init))
}
