internal import AmalgamCore
import CAmalgam
import Synchronization

/// Writes down the rows that a connection changes, and has them stored in the same transaction.
///
/// **When.** The rows of a statement are stored when it has changed the last of them: after its first step. A statement
/// outside of a transaction would be committed by then: autocommit mode is switched off while it runs, as BEGIN does, and
/// the transaction is committed once the rows are stored. If rows of the statement (`RETURNING`), or of another statement,
/// are still to be read, autocommit mode is switched on again instead, and SQLite commits when they have been.
///
/// **Failures.** What a statement did not change in the end is forgotten: SQLite undoes a statement that fails, unless
/// `ON CONFLICT FAIL` says otherwise. When rows cannot be stored, the transaction is rolled back: no change stays that
/// is not recorded.
///
/// It belongs to its connection and is used, like it, from one thread at a time.
final class RowRecorder: RowChangeRecorder {
    // Unsafe for speed: the database owns its recorder.
    private unowned(unsafe) let database: Database
    let trail: AuditTrail
    private let pointer: OpaquePointer

    /// Stands for the recorded tables: no other recorder has the same number, nor this one once its tables change.
    private var tablesNumber = nextTablesNumber()

    /// Whether rows are being stored: what this changes is not recorded, nor what triggers on the log change.
    private var isStoring = false

    /// How many runs are under way.
    private var runCount = 0

    /// What was written down before each savepoint that SQLite has opened to apply a changeset.
    private var savepointMarks: [Int] = []

    /// - throws: `SQLITE_NOMEM`.
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

    /// Other tables are recorded from now on, or other columns.
    func tablesDidChange() {
        tablesNumber = nextTablesNumber()
        amalgam_recorder_forget(pointer)
        // Statements compiled before may hold SQLite's truncate optimisation, which deletes rows unseen.
        database.expireStatements()
    }

    // MARK: Statements

    /// Whether rows that a statement changes may be recorded.
    func mayRecord(_ statement: Statement) -> Bool {
        if isStoring { return false }
        let stamp = RecordingStamp(database, tables: tablesNumber)
        if statement.recordingStamp == stamp { return statement.isRecorded }
        statement.isRecorded = statement.eventKinds.contains { trail.mayRecord(table: $0.tableName) }
        statement.recordingStamp = stamp
        return statement.isRecorded
    }

    /// Whether the rows of a table that are deleted may be recorded: SQLite must delete them one by one.
    func recordsDeletions(_ table: String) -> Bool { !isStoring && trail.mayRecord(table: table) }

    /// A statement is about to change rows.
    ///
    /// - Returns: nil when its changes are not recorded.
    func beginRun(of statement: Statement) -> RowChangeRun? {
        if isStoring { return nil }
        let isRecorded = mayRecord(statement)
        if isRecorded, statement.eventKinds.contains(where: { $0.operation == SQLITE_DELETE }) {
            statement.requireRowDeletions()
        }
        // Also for statements that are not known to change recorded rows: they may be compiled again when they run.
        return beginRun(isRecorded: isRecorded, opensTransaction: !database.isInsideTransaction, statement)
    }

    /// Something else than a statement of ours is about to change rows, in a transaction.
    func beginRun() -> RowChangeRun? { isStoring ? nil : beginRun(isRecorded: true, opensTransaction: false) }

    private func beginRun(
        isRecorded: Bool, opensTransaction: Bool, _ statement: Statement? = nil
    ) -> RowChangeRun {
        if opensTransaction {
            trail.transactionDidBegin()
            database.transactionDidBegin()
            amalgam_set_autocommit(database.sqliteConnection, 0)
        }
        runCount += 1
        return RowChangeRun(
            recorder: self, mark: amalgam_recorder_mark(pointer), opensTransaction: opensTransaction,
            statement: statement, recordedBefore: listen(isRecorded))
    }

    /// A write through a blob handle is about to happen.
    ///
    /// Outside of a transaction, SQLite opens one for the handle, and commits it when the handle is closed.
    func beginRun(of bytes: UnsafeRawBufferPointer, at offset: Int) -> RowChangeRun? {
        guard let run = beginRun() else { return nil }
        if !database.isInsideTransaction { trail.transactionDidBegin() }
        amalgam_recorder_set_blob(pointer, bytes.baseAddress, Int64(bytes.count), Int64(offset))
        return run
    }

    /// A statement under way is compiled again: it may change other rows than was known.
    func statementRecompiles() {
        if runCount > 0 && !isStoring { listen(true) }
    }

    /// A statement has begun, ended or divided a transaction.
    func didRun(_ effect: TransactionEffect, wasInsideTransaction: Bool) {
        switch effect {
        case .begin: trail.transactionDidBegin()
        case .savepoint where !wasInsideTransaction: trail.transactionDidBegin()
        case .rollback, .rollbackTo: trail.changesWereUndone()
        case .commit, .release, .savepoint: break
        }
    }

    /// SQLite begins or ends a savepoint by itself while it applies a changeset.
    func savepointWillChange(_ operation: String) {
        switch operation {
        case "BEGIN": savepointMarks.append(amalgam_recorder_mark(pointer))
        case "RELEASE": _ = savepointMarks.popLast()
        default: savepointMarks.last.map { amalgam_recorder_truncate(pointer, $0) }
        }
    }

    func transactionDidRollback() { trail.changesWereUndone() }

    func releaseStatements() { trail.releaseStatements() }

    /// Writes down the changes from now on, or not any more.
    ///
    /// - Returns: whether changes were written down before.
    @discardableResult
    private func listen(_ isOn: Bool) -> Bool {
        guard database.hooks.pointer != nil else { return false }
        return amalgam_recorder_listen(pointer, isOn ? 1 : 0) != 0
    }

    /// Ends the recording.
    func stop() { listen(false) }

    // MARK: The end of a run

    func endChanges(_ run: RowChangeRun) {
        runCount -= 1
        if runCount == 0 { savepointMarks = [] }
        listen(run.recordedBefore)
        amalgam_recorder_set_blob(pointer, nil, 0, 0)
    }

    func finish(_ run: RowChangeRun) throws {
        do {
            try store()
            if run.opensTransaction { try commit(run) }
        } catch {
            amalgam_recorder_truncate(pointer, 0)
            trail.changesWereUndone()
            try? database.rollback()
            throw error
        }
    }

    func undo(_ run: RowChangeRun) {
        trail.changesWereUndone()
        guard database.isInsideTransaction else { return amalgam_recorder_truncate(pointer, 0) }
        amalgam_recorder_truncate(pointer, run.mark)
        guard run.opensTransaction else { return }
        if amalgam_writing_statements(database.sqliteConnection) > 0 {
            leaveTransaction()
        } else {
            try? database.rollback()
        }
    }

    func fail(_ run: RowChangeRun, undoesChanges: Bool, failsOnConflict: Bool) throws {
        let isUndone = undoesChanges || (run.opensTransaction && !failsOnConflict)
        if isUndone || !database.isInsideTransaction { undo(run) } else { try finish(run) }
    }

    // MARK: Storing

    private func store() throws {
        guard amalgam_recorder_mark(pointer) > 0 else { return }
        let isHeldByHandle = !database.isInsideTransaction
        // The transaction of a blob handle can be rolled back only when it is one of the connection.
        if isHeldByHandle { amalgam_set_autocommit(database.sqliteConnection, 0) }
        try storeInTransaction()
        if isHeldByHandle { leaveTransaction() }
    }

    private func storeInTransaction() throws {
        isStoring = true
        let recordedBefore = listen(false)
        defer {
            listen(recordedBefore)
            isStoring = false
        }
        try database.unnoticed { try trail.store(RecordedRows(pointer), database) }
        amalgam_recorder_truncate(pointer, 0)
    }

    /// Commits the transaction that was opened for a statement, or leaves it to the last statement that is under way.
    private func commit(_ run: RowChangeRun) throws {
        if amalgam_writing_statements(database.sqliteConnection) > 0 { return leaveTransaction() }
        do {
            try database.withoutTrace { try database.commit() }
        } catch let error as DatabaseError {
            // The application has asked for no COMMIT: it is its statement that fails.
            guard let statement = run.statement else { throw error }
            throw database.error(
                error.extendedResultCode.rawValue, message: error.message, sql: statement.sql,
                arguments: statement.arguments)
        }
    }

    /// The last statement under way ends the transaction.
    private func leaveTransaction() {
        amalgam_set_autocommit(database.sqliteConnection, 1)
        database.transactionDidEnd()
    }
}

private let tablesNumbers = Atomic<Int>(0)

private func nextTablesNumber() -> Int { tablesNumbers.wrappingAdd(1, ordering: .relaxed).newValue }

extension Database {
    /// The recorder of the audited tables; nil while nothing is audited.
    var auditRecorder: RowRecorder? { rowRecorder as? RowRecorder }

    fileprivate func describeRecordedTable(
        _ table: String, isShadow: Bool, _ count: Int, _ modes: UnsafeMutablePointer<UInt8>
    ) -> CInt {
        let names = (0..<count).map { columnNameOfRowChange(at: $0) ?? "" }
        guard let plan = auditRecorder?.trail.plan(table: table, columns: names, isShadow: isShadow) else { return -1 }
        for (index, column) in plan.columns.prefix(count).enumerated() { modes[index] = column.rawValue }
        return CInt(plan.number)
    }
}
