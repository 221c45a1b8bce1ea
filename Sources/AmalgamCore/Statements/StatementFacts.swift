import CAmalgam

/// What a statement reads and does, as SQLite's authorizer told while the statement was compiled.
///
/// Most statements are plain reads, and most of these are never asked what they read. So the records of the
/// authorizer are kept as the C side wrote them, `actions` tells at once the few things every execution must
/// know, and the rest is read out of the records when somebody asks.
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
            body(Record(action: action, first: first, second: second, schema: schema))
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

    private static let schemaChanges =
        drops
        | mask(
            SQLITE_CREATE_INDEX, SQLITE_CREATE_TABLE, SQLITE_CREATE_TEMP_INDEX, SQLITE_CREATE_TEMP_TABLE,
            SQLITE_CREATE_TEMP_TRIGGER, SQLITE_CREATE_TEMP_VIEW, SQLITE_CREATE_TRIGGER, SQLITE_CREATE_VIEW,
            SQLITE_CREATE_VTABLE, SQLITE_ALTER_TABLE, SQLITE_ATTACH, SQLITE_DETACH)

    /// Whether the statement may free tables that the programs of other statements point to, or makes an index that they
    /// don't know.
    var freesTables: Bool {
        let others = Self.mask(SQLITE_ALTER_TABLE, SQLITE_DETACH, SQLITE_CREATE_INDEX, SQLITE_CREATE_TEMP_INDEX)
        return actions & (Self.drops | others) != 0
    }

    /// Whether the statement creates, alters or drops something, or attaches or detaches a database.
    var invalidatesSchemaCache: Bool { actions & Self.schemaChanges != 0 }

    /// The tables and views that may have another definition, or none, once the statement has run.
    var schemaChange: SchemaChange {
        // The new name of a table is not known.
        if actions & Self.mask(SQLITE_ALTER_TABLE, SQLITE_ATTACH, SQLITE_DETACH) != 0 { return .anything }
        var names: Set<TableName> = []
        forEachRecord { record in
            guard Self.definitions & Self.mask(record.action) != 0, let name = record.first else { return }
            names.insert(TableName(name))
        }
        return .definitions(names)
    }

    /// Whether the statement begins, ends or divides a transaction.
    var controlsTransaction: Bool { actions & Self.mask(SQLITE_TRANSACTION, SQLITE_SAVEPOINT) != 0 }

    /// Whether the statement may change rows.
    var changesRows: Bool { actions & Self.rowChanges != 0 }

    /// Whether the statement removes a schema object.
    private var drops: Bool { actions & Self.drops != 0 }

    /// Whether nothing but reading happens: no transaction, schema, row or connection state is touched.
    var onlyReads: Bool { actions & ~Self.mask(SQLITE_READ) == 0 }

    /// What the statement reads.
    var databaseRegion: DatabaseRegion {
        var columns: [String: Set<String>] = [:]
        var wholeTables: [String] = []
        forEachRecord { record in
            guard record.action == SQLITE_READ, let table = record.first, let column = record.second else { return }
            if column.isEmpty {
                // No ordinary column is used: the statement depends on the presence of rows.
                wholeTables.append(table)
            } else {
                columns[table, default: []].insert(column)
            }
        }
        var region = DatabaseRegion()
        for (table, columns) in columns {
            region.formUnion(DatabaseRegion(table: table, columns: columns))
        }
        return wholeTables.reduce(region) { DatabaseRegion(table: $1).union($0) }
    }

    /// What the statement may do to rows, with foreign key actions and triggers: one element per table and operation.
    /// Dropping a table is no event, nor is what happens to SQLite's own tables.
    var eventKinds: [DatabaseEventKind] {
        guard changesRows, !drops else { return [] }
        var inserts: [String] = []
        var deletes: [String] = []
        var updates: [String] = []
        var updatedColumns: [String: Set<String>] = [:]
        func add(_ table: String, to tables: inout [String]) {
            if !tables.contains(table) { tables.append(table) }
        }
        forEachRecord { record in
            guard let table = record.first, !table.hasPrefix("sqlite_") else { return }
            switch record.action {
            case SQLITE_INSERT: add(table, to: &inserts)
            case SQLITE_DELETE: add(table, to: &deletes)
            case SQLITE_UPDATE:
                add(table, to: &updates)
                if let column = record.second { updatedColumns[table, default: []].insert(column) }
            default: break
            }
        }
        return updates.map { .update(tableName: $0, columnNames: updatedColumns[$0, default: []]) }
            + inserts.map { .insert(tableName: $0) }
            + deletes.map { .delete(tableName: $0) }
    }

    /// The tables whose rows the statement may change, among those that meet a condition.
    func changedTables(where isIncluded: (_ schema: String?, _ table: String) -> Bool) -> Set<String> {
        var tables: Set<String> = []
        guard changesRows, !drops else { return tables }
        forEachRecord { record in
            guard [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(record.action), let table = record.first
            else { return }
            if !tables.contains(table), isIncluded(record.schema, table) { tables.insert(table) }
        }
        return tables
    }

    /// What the statement does to the transaction, for statements that `controlsTransaction`.
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

/// What a statement does to the transaction.
package enum TransactionEffect: Equatable {
    case begin
    case commit
    case rollback
    case savepoint(String)
    case release(String)
    case rollbackTo(String)

    /// Whether locks are given back. A commit takes some for a moment.
    var returnsLocks: Bool {
        switch self {
        case .commit, .rollback, .release, .rollbackTo: true
        case .begin, .savepoint: false
        }
    }

    /// Whether the schema may be an older one afterwards.
    var mayUndoSchemaChanges: Bool {
        switch self {
        case .rollback, .rollbackTo: true
        case .begin, .commit, .savepoint, .release: false
        }
    }
}
