internal import AmalgamCore

/// The redacted columns of tables, also after they are renamed.
///
/// SQLite doesn't tell which column a statement has renamed, so this object compares the columns of each state of the schema
/// with the state before it. A statement of this connection makes one change, which both states show. Several changes by
/// another connection may look like others: `SchemaColumns.Table` then returns each column that may be the redacted one,
/// because one too many is better than a secret in the log. For the same reason, a name that was redacted once stays redacted.
/// A rule for all tables redacts new names in all tables, because SQLite doesn't tell which table was renamed either.
struct RedactedColumns {
    /// The states of the main schema from which the next one may come, oldest first: the last committed one, and the
    /// states of the open transaction, which may be rolled back.
    private var states: [SchemaColumns] = []
    /// Whether a rollback may have restored a state before the last one.
    private var mayBeUndone = false
    private var renamed: [TableName: Set<TableName>] = [:]

    /// Whether a rollback could restore an earlier state when the last one was noted.
    var hasSeveralStates: Bool { states.count > 1 }

    /// Whether the last state is the current one.
    func isCurrent(_ connection: SQLiteConnection) -> Bool {
        guard !mayBeUndone, let last = states.last else { return false }
        let state = SchemaColumns(connection) { _ in false }
        return state?.version == last.version && state?.tableNames == last.tableNames
    }

    /// Returns the names of the redacted columns of a table.
    ///
    /// - Parameter columns: the names of all columns.
    func names(in table: String, columns: [String], _ rule: AuditLog.Table) -> Set<TableName> {
        let table = TableName(table)
        let names = names(in: table, rule)
        let columns = columns.map { TableName($0) }
        guard let noted = states.last?.tables[table], noted.names != columns else { return names }
        // The state couldn't be noted: SQLite hasn't the schema in memory.
        return names.union(noted.newNames(in: columns, ifRenamed: names))
    }

    private func names(in table: TableName, _ rule: AuditLog.Table) -> Set<TableName> {
        if rule.redactedColumns.isEmpty { return [] }
        if rule.name != nil { return rule.redactedColumns.union(renamed[table] ?? []) }
        return renamed.values.reduce(rule.redactedColumns) { $0.union($1) }
    }

    /// Notes the current state of the main schema.
    ///
    /// - Parameters:
    ///   - state: the tables that may have redacted columns.
    ///   - rules: the rules of these tables.
    ///   - isCommitted: whether no rollback can undo the state.
    mutating func note(_ state: SchemaColumns, _ rules: [TableName: AuditLog.Table], isCommitted: Bool) {
        // Outside of a transaction, SQLite may have to read the schema again.
        if isCommitted, let last = states.last, state.version < last.version { return stateWasDiscarded() }
        let ancestors = ancestors(of: state)
        for (name, table) in state.tables {
            guard let rule = rules[name] else { continue }
            let redacted = names(in: name, rule)
            for ancestor in ancestors {
                guard let earlier = ancestor.tables[name] else { continue }
                let found = table.names(of: redacted, in: earlier, otherChanges: ancestor.otherChanges(to: state))
                renamed[name, default: []].formUnion(found)
            }
        }
        append(state, after: ancestors.last, isCommitted: isCommitted)
        mayBeUndone = false
    }

    private mutating func append(_ state: SchemaColumns, after earlier: SchemaColumns?, isCommitted: Bool) {
        var state = state
        // A table that is missing may have another name for a while.
        if let earlier { state.tables.merge(earlier.tables) { current, _ in current } }
        if isCommitted {
            states = []
        } else if let last = states.last, last.version == state.version, last.mayPrecede(state) {
            states.removeLast()
        }
        states.append(state)
    }

    /// Must be called when SQLite hasn't the schema in memory, for example because a rollback has undone changes of it.
    mutating func stateWasDiscarded() { mayBeUndone = true }

    /// The states from which a state may come.
    private func ancestors(of state: SchemaColumns) -> [SchemaColumns] {
        guard let last = states.last else { return [] }
        if !mayBeUndone, last.mayPrecede(state) { return [last] }
        let ancestors = states.filter { $0.mayPrecede(state) }
        // The application may have set PRAGMA schema_version.
        return ancestors.isEmpty ? states : ancestors
    }
}

extension AuditLog.Table {
    /// - Throws: `SQLITE_MISUSE` if a redacted column belongs to the primary key.
    func checkRedaction(_ db: Database) throws {
        guard let name = name?.spelling, !redactedColumns.isEmpty, try db.tableExists(name, in: "main") else { return }
        for column in try db.primaryKey(name, in: "main").columns where redactedColumns.contains(TableName(column)) {
            throw Self.redactsKey(name, column)
        }
    }

    static func redactsKey(_ table: String, _ column: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                The column \(column) of the table \(table) can't be redacted: it belongs to the primary key, which the \
                audit log stores to identify rows. Give the table another primary key, or don't audit it.
                """)
    }
}
