internal import AmalgamCore
internal import Foundation

/// The audit of one connection: the rules that select tables and columns, and the storage of recorded rows in the log.
///
/// A log entry refers to its *origin*: a transaction, an actor and a reason. An origin is inserted with the first entry
/// of a transaction, and whenever the actor or reason changes. A row has the actor and the reason that were current when
/// the row changed. A rollback may delete the origin and the identifiers of
/// tables. So after a rollback, a new origin is inserted, and the identifiers are looked up or inserted again.
final class AuditTrail {
    private(set) var rules = AuditRules()

    /// The contexts of nested `auditing` calls, innermost last.
    private var contexts: [AuditContext] = []

    /// The contexts of the recorded rows that wait to be stored, by their numbers, and the identifiers of their origins.
    private var recordedContexts = [AuditContext()]
    private var origins: [Int64] = [0]

    private var origin: (id: Int64, context: AuditContext)?
    /// The current transaction, if rows of it were stored.
    private var transaction: (id: Int64, date: Date)?

    /// The names of the recorded tables. The index of a name is the number of the table.
    private var tableNames: [String] = []
    /// The identifiers of these tables in the log; 0 if not known.
    private var tableIDs: [Int64] = []
    /// The errors of statements that change rows of tables which can't be recorded, by the numbers of these tables.
    private var refusals: [Int: DatabaseError] = [:]

    /// The dates since which this connection audits tables, by their names, and all tables.
    private var beginnings: [TableName: Date] = [:]
    private var beginningOfEveryTable: Date?

    /// The statement that inserts rows.
    private var insertion: Statement?

    // MARK: Rules and contexts

    /// - Parameter date: the current date. A table that doesn't exist yet has no earlier changes.
    func add(_ tables: [AuditLog.Table], at date: Date) {
        for table in tables {
            rules.add(table)
            if let name = table.name {
                beginnings[name] = beginnings[name] ?? date
            } else {
                beginningOfEveryTable = beginningOfEveryTable ?? date
            }
        }
    }

    /// Notes the columns of tables with redacted ones. Must be called after each change of the schema. Runs no statement.
    func noteColumns(_ db: Database) {
        guard let connection = db.sqliteConnection else { return }
        rules.noteColumns(connection, isCommitted: db.transactionState("main") != .write)
    }

    /// Notes the columns of the current state of the schema, if they weren't noted. Must be called before the columns of a
    /// table are chosen.
    func noteNewColumns(_ db: Database) {
        guard let connection = db.sqliteConnection, !rules.knowsColumns(connection) else { return }
        rules.noteColumns(connection, isCommitted: false)
    }

    private func beginning(of table: String) -> Date? { beginnings[TableName(table)] ?? beginningOfEveryTable }

    func remove(_ tables: [String]) {
        for table in tables {
            rules.remove(table)
            beginnings[TableName(table)] = nil
        }
    }

    /// Begins a context. An argument that is nil has the value of the outer context.
    func beginContext(_ actor: String?, _ reason: String?) {
        let outer = contexts.last
        contexts.append(AuditContext(actor: actor ?? outer?.actor, reason: reason ?? outer?.reason))
    }

    func endContext() { contexts.removeLast() }

    /// Returns the number of the current context for the rows that are recorded next.
    ///
    /// - Parameter isFirst: whether no recorded row waits to be stored, so that the numbers begin again.
    func contextNumber(isFirst: Bool) -> Int {
        let context = contexts.last ?? AuditContext()
        if isFirst && recordedContexts.count == 1 {
            recordedContexts[0] = context
            return 0
        }
        if isFirst { recordedContexts = [] }
        if let number = recordedContexts.firstIndex(of: context) { return number }
        recordedContexts.append(context)
        return recordedContexts.count - 1
    }

    /// Whether waiting rows may have been recorded in different contexts.
    var hasSeveralContexts: Bool { recordedContexts.count > 1 }

    // MARK: Recording

    /// Whether a statement that changes a table of the main database may change audited rows.
    func mayRecord(table: String) -> Bool { rules.rule(of: table) != nil }

    /// Returns how the rows of a table are recorded.
    ///
    /// Called in the pre-update hook, where the connection can't be used.
    ///
    /// - Returns: the index of the table in `tableNames`, and how each column is recorded; nil if the rows of the table
    ///   aren't recorded.
    func plan(table: String, columns: [String], isShadow: Bool) -> (number: Int, columns: [RecordedColumn])? {
        guard let columns = rules.plan(table: table, columns: columns, isShadow: isShadow) else { return nil }
        if let number = tableNames.firstIndex(where: { $0.equalsExactly(table) }) { return (number, columns) }
        tableNames.append(table)
        tableIDs.append(0)
        return (tableNames.count - 1, columns)
    }

    /// Must be called before the first rows of a transaction are stored: rows that are stored later belong to this
    /// transaction.
    func transactionDidBegin() {
        transaction = nil
        changesWereUndone()
    }

    /// Must be called after the rollback of a statement, savepoint or transaction, which may have deleted stored rows.
    func changesWereUndone() {
        origin = nil
        for index in tableIDs.indices { tableIDs[index] = 0 }
    }

    func releaseStatements() { insertion = nil }

    /// Notes whether the rows of a table can't be recorded. A statement that changes them then fails when its rows are stored.
    func refuse(_ number: Int, _ error: DatabaseError?) {
        refusals[number] = error
        if error != nil { tableIDs[number] = 0 }
    }

    /// Stores recorded rows in the log.
    ///
    /// Must be called in the transaction that has changed the rows. If this method throws an error, the caller must
    /// roll back this transaction.
    func store(_ rows: RecordedRows, _ db: Database) throws {
        try identifyOrigins(of: rows, db)
        try identifyTables(of: rows, db)
        do {
            let statement = try insertion ?? db.makeStatement(sql: AuditSchema.insertion)
            insertion = statement
            try rows.store(with: statement, origins: origins, tables: tableIDs)
        } catch let error as RecordedRows.TooLarge {
            throw tooLarge(tableNames[error.table])
        }
    }

    /// A function that a statement calls may change rows in another context.
    private func identifyOrigins(of rows: RecordedRows, _ db: Database) throws {
        if origins.count != recordedContexts.count { origins = recordedContexts.map { _ in 0 } }
        for (number, context) in recordedContexts.enumerated()
        where !hasSeveralContexts || rows.include(context: number) {
            origins[number] = try originID(db, context)
        }
    }

    private func identifyTables(of rows: RecordedRows, _ db: Database) throws {
        var offset = 0
        while let number = rows.nextTable(missingIn: tableIDs, from: &offset) {
            if let refusal = refusals[number] { throw refusal }
            let name = tableNames[number]
            tableIDs[number] = try AuditSchema.tableID(db, name, since: beginning(of: name))
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

    private func originID(_ db: Database, _ context: AuditContext) throws -> Int64 {
        if let origin, origin.context == context { return origin.id }
        // The tables may have been dropped, or their creation rolled back.
        try AuditSchema.create(db)
        // Statements that share a transaction without BEGIN also share its date.
        let date = try transaction?.date ?? db.transactionDate
        let id = try AuditSchema.insertOrigin(db, transactionID: transaction?.id, date, context)
        if transaction == nil { transaction = (id, date) }
        origin = (id, context)
        return id
    }
}
