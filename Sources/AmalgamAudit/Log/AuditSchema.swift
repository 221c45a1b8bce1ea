internal import AmalgamCore
internal import Foundation

/// The tables of the log. See ``AuditLog``.
enum AuditSchema {
    /// Creates the tables, indexes and the view that don't exist.
    static func create(_ db: Database) throws {
        if try exists(db) { return }
        try db.execute(sql: definition)
    }

    static func exists(_ db: Database) throws -> Bool {
        try db.viewExists("amalgam_audit", in: "main") && db.tableExists("amalgam_audit_change", in: "main")
    }

    /// Returns the identifier of a table, which is inserted if it doesn't exist.
    ///
    /// - Parameter since: the date since which the connection audits the table; nil for the date of the transaction.
    static func tableID(_ db: Database, _ name: String, since: Date? = nil) throws -> Int64 {
        if let id = try existingTableID(db, name) { return id }
        try db.execute(
            sql: "INSERT INTO main.amalgam_audit_table (name, since) VALUES (?, ?)",
            arguments: [name, since ?? db.transactionDate])
        return try existingTableID(db, name)!
    }

    /// Returns the date since which the log has all entries of a table; nil if the table was never audited.
    static func beginning(_ db: Database, of table: String) throws -> Date? {
        do {
            return try Date.fetchOne(
                db, sql: "SELECT since FROM main.amalgam_audit_table WHERE name = ?", arguments: [table])
        } catch is RowDecodingError {
            throw AuditLog.foreignData("amalgam_audit_table.since")
        }
    }

    static func existingTableID(_ db: Database, _ name: String) throws -> Int64? {
        try Int64.fetchOne(db, sql: "SELECT id FROM main.amalgam_audit_table WHERE name = ?", arguments: [name])
    }

    /// Returns the identifier of the last transaction whose date isn't later than the given one, or 0 if there is none.
    static func lastTransactionID(_ db: Database, at date: Date) throws -> Int64 {
        try Int64.fetchOne(
            db,
            sql: """
                SELECT transactionID FROM main.amalgam_audit_origin WHERE date <= ? ORDER BY id DESC LIMIT 1
                """, arguments: [date]) ?? 0
    }

    /// Returns the tables of the log that the main database doesn't contain, in alphabetical order.
    static func missingTables(_ db: Database) throws -> [String] {
        guard try exists(db) else { return [] }
        return try String.fetchAll(
            db,
            sql: """
                SELECT name FROM main.amalgam_audit_table
                WHERE name NOT IN (SELECT name FROM main.sqlite_master WHERE type = 'table')
                ORDER BY name
                """)
    }

    /// Inserts an origin: the transaction, actor and reason of entries.
    ///
    /// - Returns: the identifier of the origin. The identifier of the first origin of a transaction also identifies the
    ///   transaction.
    static func insertOrigin(
        _ db: Database, transactionID: Int64?, _ date: Date, _ context: AuditContext
    ) throws -> Int64 {
        let lastID = try Int64.fetchOne(db, sql: "SELECT MAX(id) FROM main.amalgam_audit_origin")
        let id = (lastID ?? 0) + 1
        try db.execute(
            sql: """
                INSERT INTO main.amalgam_audit_origin (id, transactionID, date, actor, reason) VALUES (?, ?, ?, ?, ?)
                """, arguments: [id, transactionID ?? id, date, context.actor, context.reason])
        return id
    }

    /// Notes the transactions with entries that a condition selects, before these entries are deleted.
    static func noteCutTransactions(
        _ db: Database, where condition: String, _ arguments: StatementArguments
    ) throws {
        try db.execute(
            sql: "CREATE TABLE IF NOT EXISTS main.amalgam_audit_cut (transactionID INTEGER PRIMARY KEY)")
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO main.amalgam_audit_cut SELECT transactionID FROM main.amalgam_audit_origin
                WHERE id IN (SELECT originID FROM main.amalgam_audit_change WHERE \(condition))
                """, arguments: arguments)
    }

    /// Returns whether entries of a transaction were deleted, and others remain.
    static func isCut(_ db: Database, transactionID: Int64) throws -> Bool {
        guard try db.tableExists("amalgam_audit_cut", in: "main") else { return false }
        return try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM main.amalgam_audit_cut WHERE transactionID = ?)",
            arguments: [transactionID])!
    }

    /// Notes the last entry of each table that a condition selects, before these entries are deleted: earlier entries of the
    /// table remain, but without others between them.
    static func noteDeletedEntries(
        _ db: Database, where condition: String, _ arguments: StatementArguments
    ) throws {
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS main.amalgam_audit_deletion (
                  tableID INTEGER PRIMARY KEY, lastID INTEGER NOT NULL)
                """)
        try db.execute(
            sql: """
                INSERT INTO main.amalgam_audit_deletion (tableID, lastID)
                SELECT tableID, MAX(id) FROM main.amalgam_audit_change WHERE \(condition) GROUP BY tableID
                ON CONFLICT DO UPDATE SET lastID = MAX(lastID, excluded.lastID)
                """, arguments: arguments)
    }

    /// Must be called after entries were deleted: if no later entry remains, new entries get the identifiers of deleted ones.
    static func limitDeletedEntries(_ db: Database) throws {
        guard try db.tableExists("amalgam_audit_deletion", in: "main") else { return }
        try db.execute(
            sql: """
                UPDATE main.amalgam_audit_deletion
                SET lastID = MIN(lastID, (SELECT IFNULL(MAX(id), 0) FROM main.amalgam_audit_change))
                """)
    }

    /// Returns the identifier of the last entry of a table after which the log has all entries: 0 if it has all.
    static func lastDeletedEntry(_ db: Database, of table: String) throws -> Int64 {
        guard try db.tableExists("amalgam_audit_deletion", in: "main") else { return 0 }
        return try Int64.fetchOne(
            db,
            sql: """
                SELECT lastID FROM main.amalgam_audit_deletion
                JOIN main.amalgam_audit_table ON id = tableID WHERE name = ?
                """, arguments: [table]) ?? 0
    }

    /// The name of the table of changes.
    static let log = "amalgam_audit_change"

    /// The statement that inserts the rows provided by `RecordedRows.store(with:origins:tables:)`. `OR FAIL` avoids a
    /// statement journal, which isn't needed because an error rolls back the transaction.
    static let insertion = """
        INSERT OR FAIL INTO main.\(log) (originID, tableID, operation, key, newKey, changes) \
        SELECT originID, tableID, operation, key, newKey, changes FROM amalgam_recorded_changes
        """

    private static let definition = """
        CREATE TABLE IF NOT EXISTS main.amalgam_audit_table (
          id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, since TEXT NOT NULL);
        CREATE TABLE IF NOT EXISTS main.amalgam_audit_origin (
          id INTEGER PRIMARY KEY, transactionID INTEGER NOT NULL, date TEXT NOT NULL, actor TEXT, reason TEXT);
        CREATE TABLE IF NOT EXISTS main.amalgam_audit_change (
          id INTEGER PRIMARY KEY, originID INTEGER NOT NULL, tableID INTEGER NOT NULL, operation INTEGER NOT NULL,
          key, newKey, changes BLOB NOT NULL);
        CREATE INDEX IF NOT EXISTS main.amalgam_audit_change_by_key ON amalgam_audit_change (tableID, key);
        CREATE INDEX IF NOT EXISTS main.amalgam_audit_change_by_newKey ON amalgam_audit_change (tableID, newKey)
          WHERE newKey IS NOT NULL;
        CREATE VIEW IF NOT EXISTS main.amalgam_audit AS
          SELECT change.id, transactionID, date, actor, reason, name AS tableName,
            CASE operation WHEN 18 THEN 'INSERT' WHEN 23 THEN 'UPDATE' WHEN 9 THEN 'DELETE' END AS operation,
            key, newKey, changes
          FROM amalgam_audit_change AS change
          JOIN amalgam_audit_origin AS origin ON origin.id = originID
          JOIN amalgam_audit_table AS "table" ON "table".id = tableID;
        """
}
