import CAmalgam

/// The tables and columns that a statement reads, and the changes that it makes, as SQLite reports them to the
/// authorizer during the compilation.
///
/// The calls of the authorizer are stored in the format of the C struct `amalgam_facts`. Each execution only needs
/// `actions`, the set of SQLite's action codes. The tables and columns are decoded on demand, because they are rarely
/// needed.
struct StatementFacts: ~Copyable {
    private let bytes: UnsafeMutablePointer<UInt8>?
    private let length: Int
    private let actions: UInt64

    init(_ facts: amalgam_facts) {
        bytes = facts.bytes
        length = Int(facts.length)
        actions = facts.actions
    }

    deinit { amalgam_facts_free(bytes) }

    /// One call of the authorizer: <https://sqlite.org/c3ref/c_alter_table.html>.
    struct Record {
        var action: CInt
        var first: String?
        var second: String?
        var schema: String?
        /// The view or trigger that causes the action.
        var accessor: String?
        /// Whether a trigger or a foreign key action does it.
        var isNested: Bool

        fileprivate func isOf(_ table: SchemaTable?) -> Bool {
            guard let table, let first, let schema else { return false }
            return table == SchemaTable(schema: schema, name: first)
        }
    }

    func forEachRecord(_ body: (Record) -> Void) {
        guard let bytes else { return }
        var offset = 0
        func argument(_ index: UInt8, _ presence: UInt8) -> String? {
            guard presence & (1 << index) != 0 else { return nil }
            let text = String(cString: bytes + offset)
            offset += text.utf8.count + 1
            return text
        }
        while offset < length {
            let action = CInt(bytes[offset])
            let presence = bytes[offset + 1]
            offset += 2
            let first = argument(0, presence)
            let second = argument(1, presence)
            let schema = argument(2, presence)
            let accessor = argument(3, presence)
            let isNested = CInt(presence) & CInt(AMALGAM_FACT_IS_NESTED) != 0
            body(
                Record(
                    action: action, first: first, second: second, schema: schema, accessor: accessor, isNested: isNested
                ))
        }
    }

    private static func mask(_ actions: CInt...) -> UInt64 {
        actions.reduce(0) { $0 | 1 << UInt64($1) }
    }

    private static let rowChanges = mask(SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE)

    private static let drops = mask(
        SQLITE_DROP_INDEX, SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_INDEX, SQLITE_DROP_TEMP_TABLE,
        SQLITE_DROP_TEMP_TRIGGER, SQLITE_DROP_TEMP_VIEW, SQLITE_DROP_TRIGGER, SQLITE_DROP_VIEW, SQLITE_DROP_VTABLE)

    private static let definitions = mask(
        SQLITE_CREATE_TABLE, SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_VTABLE, SQLITE_CREATE_VIEW,
        SQLITE_CREATE_TEMP_VIEW, SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_VTABLE, SQLITE_DROP_VIEW,
        SQLITE_DROP_TEMP_VIEW)

    private static let tableDrops = mask(
        SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_VTABLE, SQLITE_DROP_VIEW, SQLITE_DROP_TEMP_VIEW)

    private static let schemaChanges =
        drops
        | mask(
            SQLITE_CREATE_INDEX, SQLITE_CREATE_TABLE, SQLITE_CREATE_TEMP_INDEX, SQLITE_CREATE_TEMP_TABLE,
            SQLITE_CREATE_TEMP_TRIGGER, SQLITE_CREATE_TEMP_VIEW, SQLITE_CREATE_TRIGGER, SQLITE_CREATE_VIEW,
            SQLITE_CREATE_VTABLE, SQLITE_ALTER_TABLE, SQLITE_ATTACH, SQLITE_DETACH)

    /// Whether the statement may free the objects by which SQLite represents tables in memory, as `DROP TABLE` does, or
    /// may create an index. If it ran in the middle of a different statement, that statement could use the freed
    /// objects, and wouldn't update the new index.
    var freesTables: Bool {
        let others = Self.mask(SQLITE_ALTER_TABLE, SQLITE_DETACH, SQLITE_CREATE_INDEX, SQLITE_CREATE_TEMP_INDEX)
        return actions & (Self.drops | others) != 0 || outdatesSchema
    }

    /// Whether the statement is `PRAGMA schema_version = …`, after which SQLite frees the schema in memory and reads it
    /// again.
    var outdatesSchema: Bool {
        guard isPragma else { return false }
        var outdatesSchema = false
        forEachRecord { record in
            guard record.action == SQLITE_PRAGMA, record.second != nil else { return }
            if record.first?.lowercased() == "schema_version" { outdatesSchema = true }
        }
        return outdatesSchema
    }

    /// Whether the statement creates, alters or drops a schema object, or attaches or detaches a database.
    var invalidatesSchemaCache: Bool { actions & Self.schemaChanges != 0 }

    /// The tables and views that the statement may redefine or drop.
    var schemaChange: SchemaChange {
        // SQLite doesn't report the new name of a table.
        if actions & Self.mask(SQLITE_ALTER_TABLE, SQLITE_ATTACH, SQLITE_DETACH) != 0 { return .anything }
        var names: Set<TableName> = []
        forEachRecord { record in
            guard Self.definitions & Self.mask(record.action) != 0, let name = record.first else { return }
            names.insert(TableName(name))
        }
        return .definitions(names)
    }

    /// Whether the statement is a pragma.
    var isPragma: Bool { actions & Self.mask(SQLITE_PRAGMA) != 0 }

    /// Whether the statement begins or ends a transaction or a savepoint.
    var controlsTransaction: Bool { actions & Self.mask(SQLITE_TRANSACTION, SQLITE_SAVEPOINT) != 0 }

    /// Whether the statement is `REINDEX`, which writes indexes, among them those that store the rows of tables WITHOUT
    /// ROWID, and changes no row.
    var rebuildsIndexes: Bool { actions & Self.mask(SQLITE_REINDEX) != 0 }

    /// Whether the statement may change rows.
    var changesRows: Bool { actions & Self.rowChanges != 0 }

    /// Whether the statement removes a schema object.
    private var drops: Bool { actions & Self.drops != 0 }

    /// The table or view that the statement drops; nil if it drops none. Its own rows cause no events, but `DROP TABLE` may
    /// change rows of other tables: it runs the foreign key actions that a deletion of all rows would run.
    var droppedTable: SchemaTable? {
        guard drops else { return nil }
        var table: SchemaTable?
        forEachRecord { record in
            guard Self.tableDrops & Self.mask(record.action) != 0 else { return }
            if let name = record.first, let schema = record.schema { table = SchemaTable(schema: schema, name: name) }
        }
        return table
    }

    /// Whether the statement only reads: it doesn't affect transactions, the schema, rows or the state of the
    /// connection.
    var onlyReads: Bool { actions & ~Self.mask(SQLITE_READ) == 0 }

    /// The region that the statement reads, as far as SQLite reports it to the authorizer.
    var reportedRegion: DatabaseRegion {
        var columns: [TableName: Set<TableName>] = [:]
        var wholeTables: [String] = []
        forEachRecord { record in
            guard record.action == SQLITE_READ, let table = record.first, let column = record.second else { return }
            if column.isEmpty {
                // The statement uses no column, and depends on the existence of rows.
                wholeTables.append(table)
            } else {
                columns[TableName(table), default: []].insert(TableName(column))
            }
        }
        var region = DatabaseRegion()
        for (table, columns) in columns {
            region.formUnion(DatabaseRegion(table: table, columnNames: columns))
        }
        return wholeTables.reduce(region) { DatabaseRegion(table: $1).union($0) }
    }

    /// The reported row changes, including those of foreign key actions and triggers: one element per table and operation.
    var eventKinds: [DatabaseEventKind] {
        guard changesRows else { return [] }
        let droppedTable = droppedTable
        var inserts: [String] = []
        var deletes: [String] = []
        var updates: [String] = []
        var updatedColumns: [ExactString: Set<ExactString>] = [:]
        func add(_ table: String, to tables: inout [String]) {
            if !tables.contains(where: { $0.equalsExactly(table) }) { tables.append(table) }
        }
        forEachRecord { record in
            guard let table = record.first, !table.hasPrefix("sqlite_"), !record.isOf(droppedTable) else { return }
            switch record.action {
            case SQLITE_INSERT: add(table, to: &inserts)
            case SQLITE_DELETE: add(table, to: &deletes)
            case SQLITE_UPDATE:
                add(table, to: &updates)
                if let column = record.second {
                    updatedColumns[ExactString(table), default: []].insert(ExactString(column))
                }
            default: break
            }
        }
        return updates.map { .update($0, updatedColumns[ExactString($0), default: []]) }
            + inserts.map { .insert(tableName: $0) }
            + deletes.map { .delete(tableName: $0) }
    }

    /// Returns the tables whose rows the statement may change, and that meet a condition.
    func changedTables(where isIncluded: (_ schema: String?, _ table: String) -> Bool) -> Set<TableName> {
        var tables: Set<TableName> = []
        guard changesRows else { return tables }
        let droppedTable = droppedTable
        forEachRecord { record in
            guard [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(record.action), let table = record.first,
                !record.isOf(droppedTable)
            else { return }
            let name = TableName(table)
            if !tables.contains(name), isIncluded(record.schema, table) { tables.insert(name) }
        }
        return tables
    }

    /// The effect of the statement on the transaction, if `controlsTransaction` is true.
    var transactionEffect: TransactionEffect? {
        var effect: TransactionEffect?
        forEachRecord { record in
            switch (record.action, record.first) {
            case (SQLITE_TRANSACTION, "BEGIN"): effect = .begin
            case (SQLITE_TRANSACTION, "COMMIT"): effect = .commit
            case (SQLITE_TRANSACTION, "ROLLBACK"): effect = .rollback
            case (SQLITE_SAVEPOINT, "BEGIN"): effect = .savepoint(record.second ?? "")
            case (SQLITE_SAVEPOINT, "RELEASE"): effect = .release(record.second ?? "")
            case (SQLITE_SAVEPOINT, "ROLLBACK"): effect = .rollbackTo(record.second ?? "")
            default: break
            }
        }
        return effect
    }
}

/// The effect of a statement on the transaction.
package enum TransactionEffect: Equatable {
    case begin
    case commit
    case rollback
    case savepoint(String)
    case release(String)
    case rollbackTo(String)

    /// Whether the statement releases locks. A commit also acquires some for a moment.
    var returnsLocks: Bool {
        switch self {
        case .commit, .rollback, .release, .rollbackTo: true
        case .begin, .savepoint: false
        }
    }

    /// Whether the statement begins or ends a savepoint, or rolls back to it.
    var controlsSavepoint: Bool {
        switch self {
        case .savepoint, .release, .rollbackTo: true
        case .begin, .commit, .rollback: false
        }
    }

    /// Whether the statement may restore an earlier state of the schema.
    var mayUndoSchemaChanges: Bool {
        switch self {
        case .rollback, .rollbackTo: true
        case .begin, .commit, .savepoint, .release: false
        }
    }
}
