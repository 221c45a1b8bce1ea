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

    /// Returns the names by which a sandbox can permit a table: `schema.table`, and also `table` in the main database, unless
    /// `table` contains a period and is the name of a table of a different schema.
    private func names(_ action: AuthorizerAction) -> [TableName] { names(action.table) }

    private func names(_ table: SchemaTable) -> [TableName] {
        table.name.utf8.contains(UInt8(ascii: ".")) ? [qualifiedName(table)] : protectedNames(table)
    }

    /// Returns the names by which a sandbox can protect columns of a table. A name with a period protects both tables.
    private func protectedNames(_ table: SchemaTable) -> [TableName] {
        let isMain = table.schema.equalsIgnoringCase("main")
        return isMain ? [TableName(table.name), qualifiedName(table)] : [qualifiedName(table)]
    }

    private func qualifiedName(_ table: SchemaTable) -> TableName { TableName("\(table.schema).\(table.name)") }

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
        // SQLite reports no schema of the view.
        guard let accessor = action.accessorName,
            readable?.isDisjoint(with: names(SchemaTable(schema: "main", name: accessor))) != true
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
        guard protectsColumns, action.tableName != nil, let column = action.columnName else { return .allow }
        var columns = columns
        return columns.protection(of: column, in: action.table)
    }

    /// Finds out where protected columns show.
    private var columns: ProtectedColumns {
        ProtectedColumns(connection, column: protection(ofColumn:in:), table: strictestProtection(in:))
    }

    /// The protection that the sandbox gives a column by its name.
    private func protection(ofColumn column: String, in table: SchemaTable) -> AuthorizerDecision {
        let column = TableName(column)
        return protection(of: table) { $0.contains(column) }
    }

    /// The strictest protection that the sandbox gives a column of a table.
    private func strictestProtection(in table: SchemaTable) -> AuthorizerDecision {
        protection(of: table) { _ in true }
    }

    private func protection(
        of table: SchemaTable, where isProtected: (Set<TableName>) -> Bool
    ) -> AuthorizerDecision {
        let names = protectedNames(table)
        if names.contains(where: { deniedColumns[$0].map(isProtected) == true }) { return .deny }
        return names.contains { hiddenColumns[$0].map(isProtected) == true } ? .ignore : .allow
    }

    /// Whether columns are hidden or denied.
    var protectsColumns: Bool { !hiddenColumns.isEmpty || !deniedColumns.isEmpty }

    /// The hidden and denied columns. A name with a period is the name of two tables: see `protectedNames`.
    var protectedColumns: [ProtectedIndexes.Column] {
        [hiddenColumns, deniedColumns].joined().flatMap { name, columns in
            let parts = name.spelling.split(separator: ".", maxSplits: 1).map(String.init)
            var tables = [SchemaTable(schema: "main", name: name.spelling)]
            if parts.count == 2 { tables.append(SchemaTable(schema: parts[0], name: parts[1])) }
            return tables.flatMap { table in
                columns.map { ProtectedIndexes.Column(table: table, name: $0.spelling) }
            }
        }
    }

    /// Whether a table, or a hidden column of a virtual table, shows values of protected columns: the shadow tables and
    /// the vocabulary of a full-text table, and its columns that stand for all columns in searches.
    private func showsProtectedColumns(_ action: AuthorizerAction) -> Bool {
        guard protectsColumns, action.tableName != nil else { return false }
        return columns.shows(action.table, column: action.columnName ?? "")
    }

    /// Whether a table, or one that a virtual table shows, has values of all tables, protected columns included, and isn't
    /// listed by its name.
    private func storesOtherTables(_ action: AuthorizerAction) -> Bool {
        guard protectsColumns, action.tableName != nil else { return false }
        guard let tables = columns.tables(shownBy: action.table) else { return true }
        return tables.contains { !isListed($0) && storesOtherTables($0) }
    }

    private func storesOtherTables(_ table: SchemaTable) -> Bool {
        let folded = String(decoding: table.name.utf8.map(\.asciiLowercased), as: UTF8.self)
        if folded == "sqlite_sequence" || Self.prefixesOfCopies.contains(where: folded.hasPrefix) { return true }
        return VirtualTableSources(connection, table).areAllTables
    }

    /// Prefixes of the tables that store values of others: samples of the indexes by ANALYZE, and the log of audited changes.
    private static let prefixesOfCopies = ["sqlite_stat", "amalgam_audit"]

    private func isListed(_ action: AuthorizerAction) -> Bool { isListed(action.table) }

    private func isListed(_ table: SchemaTable) -> Bool {
        names(table).contains { writable.contains($0) || readable?.contains($0) == true }
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
                var columns = columns
                return columns.protection(of: name, in: column.table) != .allow
            }
        }
    }

    private static let lastInsertRowID = TableName("last_insert_rowid")

    /// Functions of SQLite that aren't unsafe by SQLite's own flags: optimize() of FTS3 rewrites its index, sqlite_log()
    /// writes to the log of the application.
    private static let functionsWithEffects = Set(["optimize", "sqlite_log"].map(TableName.init))
}

extension AuthorizerAction {
    /// The table of the action. SQLite reports the presence of rows without a schema.
    fileprivate var table: SchemaTable { SchemaTable(schema: schemaName ?? "main", name: tableName ?? "") }
}
