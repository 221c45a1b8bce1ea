import AmalgamCore
import CAmalgam

/// Puts virtual tables back into the schema, and builds full-text indexes and R*Trees again.
enum VirtualTableRecovery {
    private static let fullText: Set = ["fts3", "fts4", "fts5"]
    private static let rtrees: Set = ["rtree", "rtree_i32", "geopoly"]

    /// Adds a virtual table to the schema. Its shadow tables exist already, so it isn't created.
    ///
    /// - Returns: Whether the SQL creates a virtual table of this name. Otherwise, the file couldn't be opened with it.
    static func add(_ table: FoundContent.VirtualTable, to db: Database) throws -> Bool {
        do {
            _ = try db.makeStatement(sql: table.sql)
        } catch let error as DatabaseError where isOfTable(error) {
            return false
        }
        if table.module.isEmpty || table.name.isEmpty { return false }
        try changeSchema(
            "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('table', ?, ?, 0, ?)",
            [table.name, table.name, table.sql], db)
        // SQLite reads the schema again, and refuses SQL that is damaged or creates a table of a different name.
        if try attempt({ try db.execute(sql: "SELECT 1 FROM sqlite_schema LIMIT 0") }) == nil { return true }
        try changeSchema(
            "DELETE FROM sqlite_schema WHERE type = 'table' AND rootpage = 0 AND name = ?", [table.name], db)
        return false
    }

    private static func changeSchema(_ sql: String, _ arguments: StatementArguments, _ db: Database) throws {
        try db.execute(sql: "PRAGMA writable_schema = ON")
        defer { try? db.execute(sql: "PRAGMA writable_schema = RESET") }
        try db.execute(sql: sql, arguments: arguments)
    }

    static func rebuild(
        _ table: FoundContent.VirtualTable, in db: Database
    ) throws -> RecoveryReport.VirtualTable.State {
        let module = table.module.lowercased()
        if fullText.contains(module) { return try rebuildFullText(table, module, db) }
        if rtrees.contains(module) { return try checkRTree(table, db) }
        if let problem = try reading(table, db) { return .unavailable(problem) }
        return .kept
    }

    private static func reading(_ table: FoundContent.VirtualTable, _ db: Database) throws -> String? {
        try attempt { try db.execute(sql: "SELECT 1 FROM \(table.name.quotedDatabaseIdentifier) LIMIT 0") }
    }

    private static func rebuildFullText(
        _ table: FoundContent.VirtualTable, _ module: String, _ db: Database
    ) throws -> RecoveryReport.VirtualTable.State {
        let name = table.name.quotedDatabaseIdentifier
        let problem = try attempt { try db.execute(sql: "INSERT INTO \(name)(\(name)) VALUES ('rebuild')") }
        guard let problem else { return .rebuilt }
        // A table that stores no content has nothing to be built from: its index was saved, row by row.
        if table.isCreated { return .unavailable(problem) }
        var isDamaged = true
        let check = try attempt {
            do {
                try db.execute(sql: "INSERT INTO \(name)(\(name)) VALUES ('integrity-check')")
            } catch let error as DatabaseError where error.resultCode != .SQLITE_CORRUPT {
                // FTS4 can't check a table that stores no content.
                isDamaged = false
                throw error
            }
        }
        guard let check else { return .kept }
        if let problem = try reading(table, db) { return .unavailable(problem) }
        return isDamaged ? .damaged(check) : .kept
    }

    /// Checks an R*Tree. Its nodes were saved like rows of a table. If some are missing, the entries of the others are
    /// inserted again, in a transaction.
    private static func checkRTree(
        _ table: FoundContent.VirtualTable, _ db: Database
    ) throws -> RecoveryReport.VirtualTable.State {
        var result: String?
        // Without the root, the module refuses to open the table.
        let nodes = (table.name + "_node").quotedDatabaseIdentifier
        _ = try attempt {
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO \(nodes) SELECT 1, zeroblob(coalesce(max(length(data)), 4032)) FROM \(nodes)
                    """)
        }
        let problem = try attempt {
            result = try String.fetchOne(db, sql: "SELECT rtreecheck('main', ?)", arguments: [table.name])
        }
        if let problem { return .unavailable(problem) }
        guard let result, result != "ok" else { return .kept }
        if let rebuilding = try attempt({ try RTreeRebuilding(table, db).run() }) {
            return .damaged("\(result.split(separator: "\n").first ?? "") (\(rebuilding))")
        }
        return .rebuilt
    }

    /// Runs a closure.
    ///
    /// - Returns: The message of an error that concerns the virtual table; nil if there is none.
    /// - Throws: All other errors, such as those of the disk.
    static func attempt(_ body: () throws -> Void) throws -> String? {
        do {
            try body()
            return nil
        } catch let error as DatabaseError where isOfTable(error) {
            return error.message ?? error.resultCode.description
        }
    }

    private static let ofTable: [ResultCode] = [
        .SQLITE_ERROR, .SQLITE_CORRUPT, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_MISUSE,
        .SQLITE_AUTH,
    ]

    private static func isOfTable(_ error: DatabaseError) -> Bool { ofTable.contains(error.resultCode) }
}
