import AmalgamCore
import CAmalgam

/// One recovery, on the thread that has both connections. SQLite's recovery works in steps; between two of them, the progress is
/// reported and the cancellation checked.
struct RecoveryRun {
    private let recovery: DatabaseRecovery
    private let files: RecoveryFiles
    private let cancellation: RecoveryCancellation
    private let progress: ((RecoveryProgress) throws -> Void)?

    /// The number of steps of SQLite's recovery between two reports of progress. A step handles about one field of a row.
    private static let stepsPerReport: CInt = 5_000

    init(
        _ recovery: DatabaseRecovery, _ files: RecoveryFiles, _ cancellation: RecoveryCancellation,
        _ progress: ((RecoveryProgress) throws -> Void)?
    ) {
        self.recovery = recovery
        self.files = files
        self.cancellation = cancellation
        self.progress = progress
    }

    func recover() throws -> RecoveryReport {
        let unreadableByteCount = try files.copyDamagedFile { fraction in
            try report(RecoveryProgress(phase: .copyingFile, fractionCompleted: fraction))
        }
        let (input, hasLostFirstPage) = try openCopy()
        defer { end(input) }
        let output = try openResult()
        defer { end(output) }
        let found = try run(from: input, into: output)
        let virtualTables = try rebuild(found, output)
        let result = try RecoveryReport(
            tables: tables(found, output), virtualTables: virtualTables, lostAndFound: found.lostAndFound,
            missingObjects: missingObjects(output), pageCount: found.pageCount,
            undecryptablePageCount: found.undecryptablePageCount, unreadableByteCount: unreadableByteCount,
            hasLostFirstPage: hasLostFirstPage)
        // A closure of the application may have chosen WAL mode. SQLite doesn't report a checkpoint that fails on close.
        try output.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        try output.closeOrThrow()
        return result
    }

    private func report(_ progress: RecoveryProgress) throws {
        try cancellation.check()
        try self.progress?(progress)
    }

    // MARK: Connections

    /// Opens the copy of the damaged file.
    ///
    /// - Returns: The connection, and whether the first page of an encrypted file was replaced.
    private func openCopy() throws -> (Database, hasLostFirstPage: Bool) {
        let input = try openDamagedFile()
        var isReplaced: CInt = 0
        let code = amalgam_recover_unlock(input.sqliteConnection, &isReplaced)
        if code == SQLITE_OK && isReplaced == 0 { return (input, false) }
        end(input)
        if ResultCode(rawValue: code).primaryResultCode == .SQLITE_NOTADB { throw Database.notADatabase(recovery.path) }
        if code != SQLITE_OK { throw DatabaseError(code: code) }
        return (try openDamagedFile(), true)
    }

    private func openDamagedFile() throws -> Database {
        try open(files.copy, as: .damagedFile, "damaged file")
    }

    private func openResult() throws -> Database {
        try open(files.result, as: .newFile, "recovered file")
    }

    /// Opens a connection that closures of `prepareDatabase` take for a read-only one: an audit would record the rows that are
    /// saved. SQLite may write, for the journal of the damaged file to be rolled back.
    private func open(
        _ path: String, as role: Configuration.RecoveryRole, _ description: String
    ) throws -> Database {
        var configuration = recovery.configuration
        configuration.recoveryRole = role
        configuration.readonly = true
        // Rows are saved in any order, and shadow tables are written.
        configuration.foreignKeysEnabled = false
        configuration.isDefensive = false
        configuration.strictDecoding = false
        let db = try Database(path: path, description: description, configuration: configuration, content: { _ in })
        cancellation.attach(db)
        return db
    }

    /// Closes a connection, and restores the limits that hold for an access around the recovery.
    private func end(_ db: Database) {
        db.close()
        db.release()
    }

    // MARK: SQLite's recovery

    private func run(from input: Database, into output: Database) throws -> FoundContent {
        func begin(_ lostAndFoundTable: UnsafePointer<CChar>?) -> OpaquePointer? {
            amalgam_recover_begin(
                input.sqliteConnection, output.sqliteConnection, lostAndFoundTable,
                recovery.includesFreePages ? 1 : 0, 1)
        }
        let begun = recovery.lostAndFoundTable.map { $0.withCString(begin) } ?? begin(nil)
        guard let work = begun else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        defer {
            amalgam_recover_end(work)
            output.schemaDidChange()
        }
        var code = SQLITE_OK
        while code == SQLITE_OK {
            try report(RecoveryProgress(amalgam_recover_get_progress(work)))
            code = amalgam_recover_work(work, Self.stepsPerReport)
        }
        guard code == SQLITE_DONE else {
            if ResultCode(rawValue: code).primaryResultCode == .SQLITE_NOTADB {
                throw Database.notADatabase(recovery.path)
            }
            throw DatabaseError(code: code, message: amalgam_recover_message(work).map { String(cString: $0) })
        }
        return FoundContent(work)
    }

    private func tables(_ found: FoundContent, _ output: Database) throws -> [RecoveryReport.Table] {
        let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'"
        let shadows = try Set(String.fetchAll(output, sql: sql))
        return found.tables.filter { !$0.name.hasPrefix("sqlite_") && !shadows.contains($0.name) }
            .sorted { $0.name < $1.name }
    }

    /// Returns what the schema of the damaged file has, and the new one hasn't.
    private func missingObjects(_ output: Database) throws -> [RecoveryReport.MissingObject] {
        let rows = try Row.fetchAll(
            output,
            sql: """
                SELECT DISTINCT CAST(type AS TEXT), CAST(name AS TEXT), CAST(sql AS TEXT) FROM recovery.schema AS damaged
                WHERE type IN ('table', 'index', 'view', 'trigger') AND sql NOT NULL AND name NOT NULL
                    AND NOT EXISTS (
                        SELECT 1 FROM main.sqlite_schema AS saved
                        WHERE saved.type = damaged.type AND saved.name = damaged.name COLLATE NOCASE)
                ORDER BY 1, 2
                """)
        return rows.map { RecoveryReport.MissingObject(type: $0[0], name: $0[1], sql: $0[2]) }
    }

    // MARK: Virtual tables

    private func rebuild(_ found: FoundContent, _ output: Database) throws -> [RecoveryReport.VirtualTable] {
        try output.execute(sql: "PRAGMA writable_schema = RESET")
        if let table = found.emptyTable { try output.execute(sql: "DROP TABLE \(table.quotedDatabaseIdentifier)") }
        var tables: [RecoveryReport.VirtualTable] = []
        for (index, table) in found.virtualTables.enumerated() {
            try report(
                RecoveryProgress(
                    phase: .rebuildingVirtualTables,
                    fractionCompleted: Double(index) / Double(found.virtualTables.count),
                    savedRowCount: found.savedRowCount, lostRowCount: found.lostAndFound?.rowCount ?? 0))
            guard try table.isCreated || VirtualTableRecovery.add(table, to: output) else { continue }
            let state = try VirtualTableRecovery.rebuild(table, in: output)
            tables.append(
                RecoveryReport.VirtualTable(
                    name: table.name, module: table.module, state: state,
                    savedRowCount: found.contentRowCount(of: table)))
        }
        return tables.sorted { $0.name < $1.name }
    }
}

extension RecoveryProgress {
    fileprivate init(_ progress: amalgam_recover_progress) {
        let phase: Phase =
            switch Int(progress.phase) {
            case AMALGAM_RECOVER_TABLES: .readingTables
            case AMALGAM_RECOVER_LOST: .searchingLostRows
            default: .creatingIndexes
            }
        let fraction = progress.page_count > 0 ? Double(progress.read_pages) / Double(progress.page_count) : 0
        self.init(
            phase: phase, fractionCompleted: phase == .readingTables ? fraction : 0,
            savedRowCount: Int(progress.saved_rows), lostRowCount: Int(progress.lost_rows))
    }
}
