import CAmalgam

/// The tables, columns and virtual tables that a compiled statement reads and writes: what SQLite has reported to the
/// authorizer during the compilation, and what the instructions of the program open. Where the two disagree, the larger
/// set holds.
///
/// Compiling a statement only stores the reports. The instructions are read when they are needed for the first time.
struct StatementAccess: ~Copyable {
    let facts: StatementFacts

    /// The instructions; nil as long as nothing has needed them.
    private(set) var program: ProgramFacts?

    init(_ facts: consuming StatementFacts, program: ProgramFacts? = nil) {
        self.facts = facts
        self.program = program
    }

    /// Reads the instructions, unless they are known.
    ///
    /// - Returns: false if the program is outdated.
    mutating func readProgram(of statement: SQLiteStatement) -> Bool {
        if program == nil { program = ProgramFacts(statement) }
        return program != nil
    }

    /// The region that the statement reads, with the tables behind virtual tables.
    func databaseRegion(_ database: Database) -> DatabaseRegion {
        guard let program else { return .fullDatabase }
        return database.regionWithVirtualTables(facts.region(with: program), program)
    }

    /// The row changes that the statement may make, including those of foreign key actions, triggers and REPLACE: one
    /// element per table and operation. The rows of a dropped table and of SQLite's own tables cause no events.
    var eventKinds: [DatabaseEventKind] {
        var kinds = facts.eventKinds
        let droppedTable = facts.droppedTable
        guard !kinds.isEmpty || droppedTable != nil, let program else { return kinds }
        let writes = program.writes.filter { $0 != droppedTable && !$0.name.isInternalTable }
        for table in program.deletes.map(\.spelling) where !table.isInternalTable {
            // A table of another schema may have the name of the dropped table.
            let isDropped = droppedTable?.name.equalsExactly(table) == true
            if isDropped, !writes.contains(where: { $0.name.equalsExactly(table) }) { continue }
            let deletion = DatabaseEventKind.delete(tableName: table)
            if !kinds.contains(deletion) { kinds.append(deletion) }
        }
        if facts.invalidatesSchemaCache && droppedTable == nil { return kinds }
        let unreported = writes.filter { table in !kinds.contains { $0.tableName.equalsExactly(table.name) } }
        for table in unreported {
            kinds.append(.insert(tableName: table.name))
            kinds.append(.delete(tableName: table.name))
            // An update of the rowid counts as an update of all columns.
            kinds.append(.update(tableName: table.name, columnNames: ["ROWID"]))
        }
        return kinds
    }
}

#if AMALGAM_CHECKS
extension Statement {
    /// Checks that each table that the program opens is in the region of the statement, or among the tables that it
    /// changes.
    func checkFacts() {
        guard let program = ProgramFacts(sqliteStatement) else { return }
        let changesSchema = access.facts.invalidatesSchemaCache
        invariant(changesSchema || !program.opensUnknownTable, "\(sql) opens an unknown table")
        // Without look-ups of the schema, which might begin to read the database.
        let region = access.facts.region(with: program)
        for table in program.reads.keys where !program.tableFunctions.contains(table) {
            invariant(
                region.isModified(byEventsOfKind: .insert(tableName: table.name)),
                "\(sql) reads \(table.name), which isn't in its region \(region)")
        }
        if changesSchema || access.facts.rebuildsIndexes { return }
        let changed = Set(access.facts.eventKinds.map(\.tableName))
        for table in program.writes where !table.name.isInternalTable {
            invariant(changed.contains(table.name), "\(sql) changes \(table.name), which SQLite hasn't reported")
        }
    }
}
#endif

extension StatementFacts {
    /// The region that the authorizer and the program tell.
    fileprivate func region(with program: ProgramFacts) -> DatabaseRegion {
        var region = reportedRegion
        let reported = Set(region.tableNames?.map(TableName.init) ?? [])
        for (table, columns) in program.reads.merging(program.nestedReads, uniquingKeysWith: { $0.union($1) }) {
            // The rows of a table-valued function, such as carray(?), don't change.
            if program.tableFunctions.contains(table) { continue }
            if !columns.isEmpty {
                let names = Set(columns.map { TableName($0.string) })
                region.formUnion(DatabaseRegion(table: TableName(table.name), columnNames: names))
            } else if !reported.contains(TableName(table.name)) {
                region.formUnion(DatabaseRegion(table: table.name))
            }
        }
        return region
    }
}

extension Database {
    /// Returns a region, extended by all columns of the virtual tables that a program opens, and by the tables that these
    /// read: a full-text search compares all columns, an index without content reads its content table, and `fts5vocab`
    /// shows the words of a different table.
    fileprivate func regionWithVirtualTables(_ region: DatabaseRegion, _ program: ProgramFacts) -> DatabaseRegion {
        if program.tableFunctions.contains(where: { sources(of: $0)?.areAllTables == true }) { return .fullDatabase }
        if program.virtualTables.isEmpty { return region }
        var region = region
        var visited: Set<SchemaTable> = []
        var tables = program.virtualTables
        while let table = tables.popFirst() {
            guard visited.insert(table).inserted else { continue }
            region.formUnion(DatabaseRegion(table: table.name))
            for source in sources(of: table)?.tables ?? [] {
                region.formUnion(DatabaseRegion(table: source.name))
                // The source may be a view, or a virtual table that reads other tables.
                guard let read = self.read(source) else { continue }
                region.formUnion(read.region)
                tables.formUnion(read.virtualTables)
            }
        }
        return region
    }

    /// What `SELECT *` reads from a table or view; nil if it doesn't compile.
    private func read(_ table: SchemaTable) -> (region: DatabaseRegion, virtualTables: Set<SchemaTable>)? {
        withoutAuthorizer {
            var program: ProgramFacts?
            let sql = "SELECT * FROM \(table.schema.quotedDatabaseIdentifier).\(table.name.quotedDatabaseIdentifier)"
            guard let facts = facts(sql: sql, { program = ProgramFacts($0) }), let program else { return nil }
            return (facts.region(with: program), program.virtualTables)
        }
    }

    private func sources(of table: SchemaTable) -> VirtualTableSources? {
        sqliteConnection.map { VirtualTableSources($0, table) }
    }
}

extension String {
    /// Whether a table with this name belongs to SQLite.
    fileprivate var isInternalTable: Bool { hasPrefix("sqlite_") }
}
