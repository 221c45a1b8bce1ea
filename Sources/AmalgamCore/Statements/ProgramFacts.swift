import CAmalgam

/// What the instructions of a compiled program open, read and write.
///
/// SQLite's authorizer reports most of it during the compilation (``StatementFacts``), but not all: columns of USING
/// and NATURAL, the source of `INSERT INTO … SELECT * FROM …`, arguments of table-valued functions.
struct ProgramFacts {
    /// The tables that are opened for reading, with the columns that are read.
    private(set) var reads: [SchemaTable: Set<ExactString>] = [:]
    /// The same, for the triggers and foreign key actions of the statement.
    private(set) var nestedReads: [SchemaTable: Set<ExactString>] = [:]
    /// The tables whose rows may change.
    private(set) var writes: Set<SchemaTable> = []
    /// The tables of which an index is opened for writing.
    private(set) var indexWrites: Set<SchemaTable> = []
    /// The tables from which rows may be deleted, including deletions by REPLACE, which SQLite doesn't report.
    private(set) var deletes: Set<TableName> = []
    /// The virtual tables that are opened.
    private(set) var virtualTables: Set<SchemaTable> = []
    /// The eponymous virtual tables that are opened, such as json_each.
    private(set) var tableFunctions: Set<SchemaTable> = []
    /// Whether a root page or virtual table is opened that belongs to no table of the schemas.
    private(set) var opensUnknownTable = false

    /// - Returns: nil if the program is outdated, so that its pointers to tables are dangling.
    init?(_ statement: SQLiteStatement, readsAllVirtualColumns: Bool = false) {
        let isCurrent = withUnsafeMutablePointer(to: &self) { facts in
            amalgam_deleted_tables(statement, facts) { facts, table in
                facts!.assumingMemoryBound(to: ProgramFacts.self).pointee.deletes.insert(
                    TableName(String(cString: table!)))
            } != 0
                && amalgam_program_accesses(statement, readsAllVirtualColumns ? 1 : 0, facts) { facts, access in
                    facts!.assumingMemoryBound(to: ProgramFacts.self).pointee.add(access!.pointee)
                } != 0
        }
        if !isCurrent { return nil }
    }

    private mutating func add(_ access: amalgam_access) {
        guard let schema = access.schema, let name = access.table else { return opensUnknownTable = true }
        let table = SchemaTable(schema: String(cString: schema), name: String(cString: name))
        switch Int(access.kind) {
        case AMALGAM_WRITES_TABLE, AMALGAM_WRITES_VIRTUAL_TABLE: writes.insert(table)
        case AMALGAM_WRITES_INDEX: indexWrites.insert(table)
        default:
            if access.kind == CInt(AMALGAM_OPENS_VIRTUAL_TABLE) { virtualTables.insert(table) }
            if access.kind == CInt(AMALGAM_OPENS_TABLE_FUNCTION) { tableFunctions.insert(table) }
            let columns: Set = access.column.map { [ExactString(String(cString: $0))] } ?? []
            if access.is_nested == 0 {
                reads[table, default: []].formUnion(columns)
            } else {
                nestedReads[table, default: []].formUnion(columns)
            }
        }
    }
}
