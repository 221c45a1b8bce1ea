internal import AmalgamCore

/// Stores the changes of the rows of one connection.
///
/// An entry refers to its *origin*: a transaction, an actor, and a reason. The origin is stored with the first entry of
/// a transaction, and again when the actor or reason is another one. When a savepoint is rolled back, the origin may be
/// gone, and so may be the rows that give tables their identifiers: both are looked up again.
final class AuditTrail {
    private(set) var rules = AuditRules()

    /// On whose behalf rows change, innermost last.
    private var contexts: [AuditContext] = []

    private var origin: (id: Int64, context: AuditContext)?
    private var transactionID: Int64?

    /// The tables that were met, by their numbers.
    private var tableNames: [String] = []
    /// Their identifiers, as far as they are known; else 0.
    private var tableIDs: [Int64] = []

    /// What stores rows.
    private var insertion: Statement?

    // MARK: Rules and contexts

    func add(_ tables: [AuditLog.Table]) {
        for table in tables { rules.add(table) }
    }

    func remove(_ tables: [String]) {
        for table in tables { rules.remove(table) }
    }

    func within<T>(_ actor: String?, _ reason: String?, _ body: () throws -> T) rethrows -> T {
        let outer = contexts.last
        contexts.append(AuditContext(actor: actor ?? outer?.actor, reason: reason ?? outer?.reason))
        defer { contexts.removeLast() }
        return try body()
    }

    // MARK: Recording

    /// Whether the rows of a table of the main database may be recorded, by a statement that is known to change them.
    func mayRecord(table: String) -> Bool { rules.rule(of: table) != nil }

    /// What is recorded of the rows of a table.
    ///
    /// It is called in the middle of a change: the connection cannot be used.
    ///
    /// - Returns: the number that stands for the table when its rows are stored, and what becomes of each column; nil
    ///   when the rows of the table are not recorded.
    func plan(table: String, columns: [String], isShadow: Bool) -> (number: Int, columns: [RecordedColumn])? {
        guard let columns = rules.plan(table: table, columns: columns, isShadow: isShadow) else { return nil }
        if let number = tableNames.firstIndex(of: table) { return (number, columns) }
        tableNames.append(table)
        tableIDs.append(0)
        return (tableNames.count - 1, columns)
    }

    /// What is stored from now on belongs to another transaction than what was stored before.
    func transactionDidBegin() {
        transactionID = nil
        changesWereUndone()
    }

    /// What was stored lately may be undone: a statement, a savepoint or the transaction was rolled back.
    func changesWereUndone() {
        origin = nil
        for index in tableIDs.indices { tableIDs[index] = 0 }
    }

    func releaseStatements() { insertion = nil }

    /// Stores the rows that were written down.
    ///
    /// It is called inside of the transaction that changed the rows. An error rolls it back.
    func store(_ rows: RecordedRows, _ db: Database) throws {
        let origin = try originID(db)
        try identifyTables(of: rows, db)
        do {
            let statement = try insertion ?? db.makeStatement(sql: AuditSchema.insertion)
            insertion = statement
            try rows.store(with: statement, origin: origin, tables: tableIDs)
        } catch let error as RecordedRows.TooLarge {
            throw tooLarge(tableNames[error.table])
        }
    }

    private func identifyTables(of rows: RecordedRows, _ db: Database) throws {
        var offset = 0
        while let number = rows.nextTable(missingIn: tableIDs, from: &offset) {
            tableIDs[number] = try AuditSchema.tableID(db, tableNames[number])
        }
    }

    private func tooLarge(_ tableName: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_TOOBIG,
            message: """
                A row of the table \(tableName) is too large to be audited: leave the columns with large values out, or \
                redact them.
                """)
    }

    private func originID(_ db: Database) throws -> Int64 {
        let context = contexts.last ?? AuditContext()
        if let origin, origin.context == context { return origin.id }
        // The tables may have been dropped, or their creation rolled back.
        try AuditSchema.create(db)
        let id = try AuditSchema.insertOrigin(db, transactionID: transactionID, context)
        if transactionID == nil { transactionID = id }
        origin = (id, context)
        return id
    }
}
