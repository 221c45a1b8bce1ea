internal import AmalgamCore

/// The audited tables and columns.
struct AuditRules {
    private var tables: [TableName: AuditLog.Table] = [:]
    private var everyTable: AuditLog.Table?
    private var redactedColumns = RedactedColumns()

    var isEmpty: Bool { tables.isEmpty && everyTable == nil }

    mutating func add(_ table: AuditLog.Table) {
        if let name = table.name { tables[name] = table } else { everyTable = table }
    }

    mutating func remove(_ name: String) { tables[TableName(name)] = nil }

    /// Returns the rule for a table, or nil if its rows aren't audited.
    func rule(of name: String) -> AuditLog.Table? {
        if Self.isInternal(name) { return nil }
        return tables[TableName(name)] ?? everyTable
    }

    /// Returns how each column is recorded, or nil if the rows of the table aren't audited.
    func plan(table: String, columns: [String], isShadow: Bool) -> [RecordedColumn]? {
        guard let rule = rule(of: table), !isShadow || rule.name != nil else { return nil }
        let redacted = redactedColumns.names(in: table, columns: columns, rule)
        return columns.map { rule.plan(column: $0, redacted) }
    }

    /// Notes the columns of tables with redacted ones, so that these are known after they are renamed.
    ///
    /// - Parameter isCommitted: whether no rollback can undo the current state of the schema.
    mutating func noteColumns(_ connection: SQLiteConnection, isCommitted: Bool) {
        guard redacts else { return }
        var rules: [TableName: AuditLog.Table] = [:]
        let state = SchemaColumns(connection) { name in
            guard let rule = rule(of: name.spelling), !rule.redactedColumns.isEmpty else { return false }
            rules[name] = rule
            return true
        }
        if let state {
            redactedColumns.note(state, rules, isCommitted: isCommitted)
        } else {
            redactedColumns.stateWasDiscarded()
        }
    }

    /// Whether a rule has redacted columns.
    private var redacts: Bool {
        everyTable?.redactedColumns.isEmpty == false || tables.values.contains { !$0.redactedColumns.isEmpty }
    }

    /// Whether the columns of the current state of the schema were noted, if they are needed.
    func knowsColumns(_ connection: SQLiteConnection) -> Bool { !redacts || redactedColumns.isCurrent(connection) }

    /// Whether a rollback could restore an earlier state of the schema when the columns were noted last.
    var hasSeveralSchemaStates: Bool { redactedColumns.hasSeveralStates }

    private static func isInternal(_ name: String) -> Bool {
        Database.isSQLiteInternalTable(name) || Database.isGRDBInternalTable(name)
    }
}

extension AuditLog.Table {
    /// - Throws: `SQLITE_ERROR` if the main database lacks the table or a named column.
    func checkNames(_ db: Database) throws {
        guard let name = name?.spelling else { return }
        guard try db.tableExists(name, in: "main") else {
            throw DatabaseError(
                message: "the table \(name), which is to be audited, doesn't exist: check its name, or create it first")
        }
        var names = redactedColumns
        switch columns {
        case .all(let excludedColumns): names.formUnion(excludedColumns)
        case .only(let columns): names.formUnion(columns)
        }
        names.subtract(try db.columns(in: name, in: "main").map { TableName($0.name) })
        if names.isEmpty { return }
        let missing = names.map(\.spelling).sorted().joined(separator: ", ")
        throw DatabaseError(message: "the table \(name), which is to be audited, has no column \(missing)")
    }

    fileprivate func plan(column: String, _ redacted: Set<TableName>) -> RecordedColumn {
        let column = TableName(column)
        let isRedacted = redacted.contains(column)
        let isAudited =
            switch columns {
            case .all(let excludedColumns): !excludedColumns.contains(column)
            case .only(let columns): columns.contains(column) || isRedacted
            }
        if !isAudited { return .leftOut }
        return isRedacted ? .redacted : .recorded
    }
}

/// How the values of a column are recorded.
enum RecordedColumn: UInt8 {
    case leftOut
    case recorded
    /// Changes are recorded without the values.
    case redacted
}
