import CAmalgam

/// What SQLite's recovery has found in a damaged file.
struct FoundContent {
    /// A virtual table of the damaged schema.
    struct VirtualTable {
        let name: String
        let sql: String
        let module: String
        /// Whether the table was created, with the rows of its content, and needs its index. Otherwise, its shadow tables were
        /// saved as ordinary tables, and it isn't in the schema yet.
        let isCreated: Bool
    }

    let tables: [RecoveryReport.Table]
    let virtualTables: [VirtualTable]
    let lostAndFound: RecoveryReport.LostAndFound?
    /// The table for lost rows, if it was created and no row was found for it.
    let emptyTable: String?
    let pageCount: Int
    let undecryptablePageCount: Int
    let savedRowCount: Int

    init(_ work: OpaquePointer) {
        let progress = amalgam_recover_get_progress(work)
        var saved: [String: (saved: Int, refused: Int)] = [:]
        for index in 0..<amalgam_recover_table_count(work) {
            let table = amalgam_recover_table(work, index)
            let name = String(cString: table.name)
            let earlier = saved[name] ?? (0, 0)
            saved[name] = (earlier.saved + Int(table.saved), earlier.refused + Int(table.refused))
        }
        tables = saved.map { name, rows in
            RecoveryReport.Table(name: name, savedRowCount: rows.saved, refusedRowCount: rows.refused)
        }
        virtualTables = (0..<amalgam_recover_virtual_count(work)).map { index in
            VirtualTable(
                name: String(cString: amalgam_recover_virtual_name(work, index)),
                sql: String(cString: amalgam_recover_virtual_sql(work, index)),
                module: String(cString: amalgam_recover_virtual_module(work, index)),
                isCreated: Int(amalgam_recover_virtual_state(work, index)) == AMALGAM_VIRTUAL_CREATED)
        }
        let lostTable = amalgam_recover_lost_table(work).map { String(cString: $0) }
        let lostRowCount = Int(progress.lost_rows)
        emptyTable = lostRowCount == 0 ? lostTable : nil
        lostAndFound =
            lostRowCount == 0
            ? nil : lostTable.map { RecoveryReport.LostAndFound(tableName: $0, rowCount: lostRowCount) }
        pageCount = Int(progress.page_count)
        undecryptablePageCount = Int(progress.unreadable_pages)
        savedRowCount = Int(progress.saved_rows)
    }

    /// The number of saved rows in the table with the content of a full-text table, if it has one.
    func contentRowCount(of table: VirtualTable) -> Int? {
        let name = table.name.lowercased() + "_content"
        return tables.first { $0.name.lowercased() == name }?.savedRowCount
    }
}
