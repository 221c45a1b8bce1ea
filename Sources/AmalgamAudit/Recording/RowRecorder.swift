internal import AmalgamCore
import CAmalgam
import Synchronization

/// Records the rows that a connection changes, and stores them in the log in the same transaction.
///
/// The first call of `sqlite3_step` changes all rows of a statement. After this call, the recorder stores the rows. Rows of
/// statements that functions of this statement run are stored with it, because SQLite may still undo all of them.
///
/// - If no transaction is open, the recorder turns autocommit off before the call, and commits after storing. But if
///   this or another writing statement still has results to read, the recorder restores autocommit instead of
///   committing, and SQLite commits after the last result.
/// - If SQLite undoes the changes of a statement, the recorder discards the recorded rows of this statement. SQLite reports
///   the rollbacks of single statements to `amalgam_recorder`, also those of statements that C code runs.
/// - If rows can't be stored, the recorder undoes the statement. If that isn't possible, the transaction is aborted.
///
/// Like its connection, the recorder is used by one thread at a time.
final class RowRecorder: RowChangeRecorder {
    // Unsafe for speed: the database owns its recorder.
    private unowned(unsafe) let database: Database
    let trail: AuditTrail
    private let pointer: OpaquePointer

    /// The number of the current set of recorded tables and columns. Each set of each recorder has a different number.
    private var tablesNumber = nextTablesNumber()

    /// The number of SQLite's transaction whose rows were stored last: see `amalgam_recorder_transaction`.
    private var storedTransaction: UInt64 = 0

    /// Whether rows are being stored. The changes of the log, and those by triggers on the log, aren't recorded.
    private var isStoring = false

    /// The number of statements and other operations that are being recorded, each of which runs inside of the one before.
    private var runCount = 0

    /// The number of these runs, outermost first, that were running when a rollback undid their changes. SQLite doesn't undo
    /// what other statements change until these runs end.
    private var undoneRunCount = 0

    /// The savepoints that began during a run, innermost last, with the number of runs that were running.
    private var runSavepoints: [(name: String, runCount: Int)] = []

    /// The points to which the changes of the running statements can be undone, innermost last.
    private var undoPoints: [amalgam_undo_point] = []

    /// - Throws: `SQLITE_NOMEM`.
    init(_ database: Database, _ trail: AuditTrail) throws {
        self.database = database
        self.trail = trail
        let pointer = amalgam_recorder_create(database.hooks.pointer, Unmanaged.passUnretained(database).toOpaque()) {
            owner, table, isShadow, count, modes in
            Unmanaged<Database>.fromOpaque(owner!)._withUnsafeGuaranteedRef {
                $0.describeRecordedTable(String(cString: table!), isShadow: isShadow != 0, Int(count), modes!)
            }
        }
        guard let pointer else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        self.pointer = pointer
    }

    deinit { amalgam_recorder_free(pointer) }

    /// Must be called when the recorded tables or columns change.
    func tablesDidChange() {
        tablesNumber = nextTablesNumber()
        amalgam_recorder_forget(pointer)
        // Compiled statements may use SQLite's truncate optimization, which deletes rows without calling the hook.
        database.expireStatements()
    }

    /// Runs a closure, and records an actor and a reason with the rows that change.
    func within<T>(_ actor: String?, _ reason: String?, _ body: () throws -> T) rethrows -> T {
        trail.beginContext(actor, reason)
        contextDidChange()
        defer {
            trail.endContext()
            contextDidChange()
        }
        return try body()
    }

    /// Must be called when the context changes, or when all rows of several contexts are stored.
    private func contextDidChange() {
        let number = trail.contextNumber(isFirst: amalgam_recorder_mark(pointer) == 0)
        amalgam_recorder_set_context(pointer, CInt(number))
    }

    // MARK: Statements

    /// Whether a statement may change recorded rows.
    func mayRecord(_ statement: Statement) -> Bool {
        if isStoring { return false }
        let stamp = RecordingStamp(database, tables: tablesNumber)
        if statement.recordingStamp == stamp { return statement.isRecorded }
        statement.isRecorded = statement.eventKinds.contains { trail.mayRecord(table: $0.tableName) }
        statement.recordingStamp = stamp
        return statement.isRecorded
    }

    /// Whether deleted rows of a table may be recorded. If so, SQLite must delete them one by one.
    func recordsDeletions(_ table: String) -> Bool { !isStoring && trail.mayRecord(table: table) }

    /// Begins to record the changes of a statement that is about to run.
    ///
    /// - Returns: nil while the recorder stores rows in the log, because changes of the log aren't recorded.
    func beginRun(of statement: Statement) -> RowChangeRun? {
        if isStoring { return nil }
        let isRecorded = mayRecord(statement)
        if isRecorded, statement.eventKinds.contains(where: { $0.operation == SQLITE_DELETE }) {
            statement.requireRowDeletions()
        }
        // Recording begins even if the statement changes no audited table: it may be recompiled when it runs.
        let opensTransaction = !database.isInsideTransaction
        return beginRun(
            isRecorded: isRecorded, opensTransaction: opensTransaction, canUndo: isRecorded && !opensTransaction,
            statement)
    }

    /// Begins to record changes by C code, in a transaction.
    func beginRun() -> RowChangeRun? {
        isStoring ? nil : beginRun(isRecorded: true, opensTransaction: false, canUndo: false)
    }

    /// - Parameter canUndo: whether the changes must be undone if they can't be stored, without a savepoint of the
    ///   caller. SQLite opens no savepoint during such a run.
    private func beginRun(
        isRecorded: Bool, opensTransaction: Bool, canUndo: Bool, _ statement: Statement? = nil
    ) -> RowChangeRun {
        if opensTransaction {
            database.transactionDidBegin()
            amalgam_set_autocommit(database.sqliteConnection, 0)
        }
        runCount += 1
        return RowChangeRun(
            recorder: self, mark: amalgam_recorder_mark(pointer), opensTransaction: opensTransaction,
            statement: statement, recordedBefore: listen(isRecorded),
            undoNumber: canUndo ? beginUndo() : nil)
    }

    private func beginUndo() -> Int {
        undoPoints.append(amalgam_undo_begin(database.sqliteConnection))
        return undoPoints.count - 1
    }

    /// - Returns: whether the changes were undone, if the caller asked for it.
    @discardableResult
    private func endUndo(of run: RowChangeRun, undoes: Bool = false) -> Bool {
        guard let number = run.undoNumber, number < undoPoints.count else { return false }
        let point = undoPoints[number]
        undoPoints.removeSubrange(number...)
        guard let connection = database.sqliteConnection else { return false }
        return amalgam_undo_end(connection, point, undoes ? 1 : 0, run.statement?.sqliteStatement) != 0
    }

    /// Begins to record a write through a blob handle (`sqlite3_blob_write`).
    ///
    /// If no transaction is open, SQLite opens a transaction for the handle, and commits when the handle is closed.
    func beginRun(of bytes: UnsafeRawBufferPointer, at offset: Int) -> RowChangeRun? {
        if isStoring { return nil }
        let run = beginRun(isRecorded: true, opensTransaction: false, canUndo: database.isInsideTransaction)
        amalgam_recorder_set_blob(pointer, bytes.baseAddress, Int64(bytes.count), Int64(offset))
        return run
    }

    /// Called when a running statement is recompiled, because the recompiled statement may change other tables.
    func statementRecompiles() {
        if runCount > 0 && !isStoring { listen(true) }
    }

    /// Called after a statement that begins or ends a transaction or savepoint.
    func didRun(_ effect: TransactionEffect, wasInsideTransaction: Bool) {
        switch effect {
        case .rollback: changesWereUndone()
        case .rollbackTo(let name): changesWereUndone(since: name)
        case .savepoint(let name): if runCount > 0 { runSavepoints.append((name, runCount)) }
        case .release(let name): if let index = runSavepoint(name) { runSavepoints.removeSubrange(index...) }
        case .begin, .commit: break
        }
    }

    func transactionDidRollback() { changesWereUndone() }

    /// A rollback of the transaction has undone all recorded rows.
    private func changesWereUndone() {
        trail.changesWereUndone()
        if isStoring { return }
        amalgam_recorder_truncate(pointer, 0)
        undoneRunCount = runCount
        runSavepoints = []
    }

    /// A rollback has undone the rows that were recorded since the beginning of a savepoint, and the C recorder has discarded
    /// them. If the savepoint is older than a run, the rollback has undone this run.
    private func changesWereUndone(since savepoint: String) {
        trail.changesWereUndone()
        if isStoring { return }
        guard let index = runSavepoint(savepoint) else {
            undoneRunCount = runCount
            runSavepoints = []
            return
        }
        if runSavepoints[index].runCount < runCount { undoneRunCount = runCount }
        runSavepoints.removeSubrange((index + 1)...)
    }

    private func runSavepoint(_ name: String) -> Int? {
        runSavepoints.lastIndex { $0.name.equalsIgnoringCase(name) }
    }

    func releaseStatements() { trail.releaseStatements() }

    /// Starts or stops recording row changes.
    ///
    /// - Returns: whether row changes were recorded before this call.
    @discardableResult
    private func listen(_ isOn: Bool) -> Bool {
        guard database.hooks.pointer != nil else { return false }
        return amalgam_recorder_listen(pointer, isOn ? 1 : 0) != 0
    }

    /// Stops the recording.
    func stop() { listen(false) }

    // MARK: The end of a run

    func endChanges(_ run: RowChangeRun) {
        runCount -= 1
        while let last = runSavepoints.last, last.runCount > runCount { runSavepoints.removeLast() }
        listen(run.recordedBefore)
        amalgam_recorder_set_blob(pointer, nil, 0, 0)
    }

    func finish(_ run: RowChangeRun, callerUndoes: Bool) throws {
        defer { undoneRunCount = min(undoneRunCount, runCount) }
        // The outermost run stores the rows of all runs inside of it.
        if runCount > 0, !run.opensTransaction {
            endUndo(of: run)
            return
        }
        do {
            try store()
            if run.opensTransaction { try commit(run) }
            endUndo(of: run)
        } catch {
            if callerUndoes { discardRows(of: run) } else { undo(run, because: error) }
            throw error
        }
    }

    private func discardRows(of run: RowChangeRun) {
        trail.changesWereUndone()
        if runCount >= undoneRunCount { amalgam_recorder_truncate(pointer, run.mark) }
    }

    /// Undoes the changes of a run whose rows can't be stored, or whose transaction can't be committed.
    private func undo(_ run: RowChangeRun, because error: any Error) {
        // A statement with a RETURNING clause still runs.
        run.statement?.endStepping()
        if database.isInsideTransaction, endUndo(of: run, undoes: true) {
            discardRows(of: run)
            return database.statementWasUndone()
        }
        trail.changesWereUndone()
        amalgam_recorder_truncate(pointer, 0)
        if run.opensTransaction { try? database.rollback() } else { database.abortTransaction(error) }
    }

    func undo(_ run: RowChangeRun) {
        defer { undoneRunCount = min(undoneRunCount, runCount) }
        endUndo(of: run)
        guard database.isInsideTransaction else { return changesWereUndone() }
        discardRows(of: run)
        guard run.opensTransaction else { return }
        if amalgam_writing_statements(database.sqliteConnection) > 0 {
            leaveTransaction()
        } else {
            try? database.rollback()
        }
    }

    func returningStatementFailed() { trail.changesWereUndone() }

    func fail(_ run: RowChangeRun, undoesChanges: Bool, failsOnConflict: Bool) throws {
        let isUndone = undoesChanges || (run.opensTransaction && !failsOnConflict)
        if isUndone || !database.isInsideTransaction { undo(run) } else { try finish(run) }
    }

    // MARK: Storing

    private func store() throws {
        guard amalgam_recorder_mark(pointer) > 0 else { return }
        let isHeldByHandle = !database.isInsideTransaction
        // The transaction of a blob handle can only be rolled back if autocommit is off.
        if isHeldByHandle { amalgam_set_autocommit(database.sqliteConnection, 0) }
        try storeInTransaction()
        if isHeldByHandle { leaveTransaction() }
    }

    private func storeInTransaction() throws {
        let transaction = amalgam_recorder_transaction(pointer)
        if transaction != storedTransaction { trail.transactionDidBegin() }
        storedTransaction = transaction
        isStoring = true
        let recordedBefore = listen(false)
        defer {
            listen(recordedBefore)
            isStoring = false
        }
        try database.unnoticed { try trail.store(RecordedRows(pointer), database) }
        amalgam_recorder_truncate(pointer, 0)
        if trail.hasSeveralContexts { contextDidChange() }
    }

    /// Commits the transaction that was opened for a statement. If this statement, or another one that writes, is still
    /// running, restores autocommit instead, and SQLite commits when the last of them ends.
    private func commit(_ run: RowChangeRun) throws {
        if amalgam_writing_statements(database.sqliteConnection) > 0 { return leaveTransaction() }
        do {
            try database.withoutTrace { try database.commit() }
        } catch let error as DatabaseError {
            // The application hasn't executed COMMIT, so the error is reported for its statement.
            guard let statement = run.statement else { throw error }
            throw database.error(
                error.extendedResultCode.rawValue, message: error.message, sql: statement.sql,
                arguments: statement.arguments)
        }
    }

    /// Restores autocommit, so that the last running statement ends the transaction.
    private func leaveTransaction() {
        amalgam_set_autocommit(database.sqliteConnection, 1)
        database.transactionDidEnd()
    }
}

private let tablesNumbers = Atomic<Int>(0)

private func nextTablesNumber() -> Int { tablesNumbers.wrappingAdd(1, ordering: .relaxed).newValue }

extension Database {
    /// The recorder of the audited tables; nil if none is audited.
    var auditRecorder: RowRecorder? { rowRecorder as? RowRecorder }

    fileprivate func describeRecordedTable(
        _ table: String, isShadow: Bool, _ count: Int, _ modes: UnsafeMutablePointer<UInt8>
    ) -> CInt {
        let names = (0..<count).map { columnNameOfRowChange(at: $0) ?? "" }
        auditRecorder?.trail.noteNewColumns(self)
        guard let plan = auditRecorder?.trail.plan(table: table, columns: names, isShadow: isShadow) else { return -1 }
        for (index, column) in plan.columns.prefix(count).enumerated() { modes[index] = column.rawValue }
        let key = plan.columns.indices.first {
            plan.columns[$0] == .redacted && amalgam_recorder_is_key(sqliteConnection, CInt($0)) != 0
        }
        auditRecorder?.trail.refuse(plan.number, key.map { AuditLog.Table.redactsKey(table, names[$0]) })
        return CInt(plan.number)
    }
}
