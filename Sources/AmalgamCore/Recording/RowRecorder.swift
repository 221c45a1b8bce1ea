import CAmalgam

/// Writes down the rows that a connection changes, and has them stored in the same transaction.
///
/// **When.** The rows of a statement are stored when it has changed the last of them: after its first step. A statement
/// outside of a transaction would be committed by then: autocommit mode is switched off while it runs, as BEGIN does, and
/// the transaction is committed once the rows are stored. Where rows of the statement (`RETURNING`), or of another one,
/// are still to be read, autocommit mode is switched on again instead, and SQLite commits when they have been.
///
/// **Failures.** What a statement did not change in the end is forgotten: SQLite undoes a statement that fails, unless
/// `ON CONFLICT FAIL` says otherwise. When rows cannot be stored, the transaction is rolled back: no change stays that
/// is not recorded.
///
/// It belongs to its connection and is used, like it, from one thread at a time.
package final class RowRecorder {
    // Unsafe for speed: the database owns its recorder.
    fileprivate unowned(unsafe) let database: Database
    package let recording: any RowRecording
    private let pointer: OpaquePointer

    /// Whether rows are being stored: what this changes is not recorded, nor what triggers on the log change.
    private var isStoring = false

    /// How many runs are under way.
    private var runCount = 0

    /// What was written down before each savepoint that SQLite has opened to apply a changeset.
    private var savepointMarks: [Int] = []

    /// Something under way that changes rows.
    struct Run {
        /// Kept alive: a function that the statement calls may end the recording.
        fileprivate let recorder: RowRecorder
        /// What was written down before it.
        fileprivate let mark: Int
        /// Whether a transaction was opened for it.
        fileprivate let opensTransaction: Bool
        /// What the application has run, for errors.
        fileprivate let statement: Statement?
        /// The recorder that was at work before.
        fileprivate let outer: OpaquePointer?
    }

    /// - throws: `SQLITE_NOMEM`.
    package init(_ database: Database, _ recording: any RowRecording) throws {
        self.database = database
        self.recording = recording
        let pointer = amalgam_recorder_create(database.hooks, Unmanaged.passUnretained(database).toOpaque()) {
            owner, table, isShadow, count, modes in
            Unmanaged<Database>.fromOpaque(owner!)._withUnsafeGuaranteedRef {
                $0.describe(String(cString: table!), isShadow: isShadow != 0, Int(count), modes!)
            }
        }
        guard let pointer else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        self.pointer = pointer
    }

    deinit { amalgam_recorder_free(pointer) }

    /// Other tables are recorded from now on, or other columns.
    package func plansDidChange() {
        database.recordingGeneration &+= 1
        amalgam_recorder_forget(pointer)
        // Statements compiled before may hold SQLite's truncate optimisation, which deletes rows unseen.
        database.expireStatements()
    }

    // MARK: Statements

    /// Whether rows that a statement changes may be recorded.
    func mayRecord(_ statement: Statement) -> Bool {
        if isStoring { return false }
        let stamp = RecordingStamp(tables: database.recordingGeneration, schema: database.schemaState.stamp)
        if statement.recordingStamp == stamp { return statement.isRecorded }
        statement.isRecorded = statement.eventKinds.contains { recording.mayRecord(table: $0.tableName) }
        statement.recordingStamp = stamp
        return statement.isRecorded
    }

    /// Whether the rows of a table that are deleted may be recorded: SQLite must delete them one by one.
    func recordsDeletions(_ table: String) -> Bool { !isStoring && recording.mayRecord(table: table) }

    /// A statement is about to change rows.
    ///
    /// - Returns: nil when its changes are not recorded.
    func beginRun(of statement: Statement) -> Run? {
        if isStoring { return nil }
        let isRecorded = mayRecord(statement)
        if isRecorded, statement.eventKinds.contains(where: { $0.operation == SQLITE_DELETE }) {
            statement.requireRowDeletions()
        }
        // Also for statements that are not known to change recorded rows: they may be compiled again when they run.
        return beginRun(isRecorded: isRecorded, opensTransaction: !database.isInsideTransaction, statement)
    }

    /// Something else than a statement of ours is about to change rows, in a transaction.
    func beginRun() -> Run? { isStoring ? nil : beginRun(isRecorded: true, opensTransaction: false) }

    private func beginRun(isRecorded: Bool, opensTransaction: Bool, _ statement: Statement? = nil) -> Run {
        if opensTransaction {
            recording.transactionDidBegin()
            database.observationBroker.didBeginTransaction()
            amalgam_set_autocommit(database.sqliteConnection, 0)
        }
        runCount += 1
        return Run(
            recorder: self, mark: amalgam_recorder_mark(pointer), opensTransaction: opensTransaction,
            statement: statement,
            outer: amalgam_hooks_set_recorder(database.hooks, isRecorded ? pointer : nil))
    }

    /// A write through a blob handle is about to happen.
    ///
    /// Outside of a transaction, SQLite opens one for the handle, and commits it when the handle is closed.
    func beginRun(of bytes: UnsafeRawBufferPointer, at offset: Int) -> Run? {
        guard let run = beginRun() else { return nil }
        if !database.isInsideTransaction { recording.transactionDidBegin() }
        amalgam_recorder_set_blob(pointer, bytes.baseAddress, Int64(bytes.count), Int64(offset))
        return run
    }

    /// A statement under way is compiled again: it may change other rows than was known.
    func statementRecompiles() {
        if runCount > 0 && !isStoring { amalgam_hooks_set_recorder(database.hooks, pointer) }
    }

    /// A statement has begun, ended or divided a transaction.
    func didRun(_ effect: TransactionEffect, wasInsideTransaction: Bool) {
        switch effect {
        case .begin: recording.transactionDidBegin()
        case .savepoint where !wasInsideTransaction: recording.transactionDidBegin()
        case .rollback, .rollbackTo: recording.changesWereUndone()
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

    fileprivate func endChanges(_ run: Run) {
        runCount -= 1
        if runCount == 0 { savepointMarks = [] }
        amalgam_hooks_set_recorder(database.hooks, run.outer)
        amalgam_recorder_set_blob(pointer, nil, 0, 0)
    }

    fileprivate func finish(_ run: Run) throws {
        do {
            try store()
            if run.opensTransaction { try commit(run) }
        } catch {
            amalgam_recorder_truncate(pointer, 0)
            recording.changesWereUndone()
            try? database.rollback()
            throw error
        }
    }

    fileprivate func undo(_ run: Run) {
        recording.changesWereUndone()
        guard database.isInsideTransaction else { return amalgam_recorder_truncate(pointer, 0) }
        amalgam_recorder_truncate(pointer, run.mark)
        guard run.opensTransaction else { return }
        if amalgam_writing_statements(database.sqliteConnection) > 0 {
            leaveTransaction()
        } else {
            try? database.rollback()
        }
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
        let outer = amalgam_hooks_set_recorder(database.hooks, nil)
        defer {
            amalgam_hooks_set_recorder(database.hooks, outer)
            isStoring = false
        }
        try database.unnoticed { try recording.store(RecordedRows(database, pointer), database) }
        amalgam_recorder_truncate(pointer, 0)
    }

    /// Commits the transaction that was opened for a statement, or leaves it to the last statement that is under way.
    private func commit(_ run: Run) throws {
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

/// The recorded tables, and the schemas, that an answer about a statement holds for.
struct RecordingStamp: Equatable {
    let tables: Int
    let schema: SchemaState.Stamp
}

// MARK: - Runs

extension RowRecorder.Run {
    /// Nothing changes rows any more on behalf of the run. It comes before one of the methods below.
    func endChanges() { recorder.endChanges(self) }

    /// What the run has changed stays: stores the rows that were written down, and ends the transaction that was opened.
    ///
    /// - throws: an error of storing, or of the commit. The transaction is rolled back then.
    func finish() throws { try recorder.finish(self) }

    /// The run has failed, and SQLite has undone its changes, in a transaction that may be rolled back as a whole.
    func undo() { recorder.undo(self) }

    /// The run has failed.
    ///
    /// - Parameters:
    ///   - undoesChanges: whether SQLite has undone what was changed.
    ///   - failsOnConflict: whether it has left what was changed before a conflict, on demand.
    func fail(undoesChanges: Bool, failsOnConflict: Bool) throws {
        let isUndone = undoesChanges || (opensTransaction && !failsOnConflict)
        if isUndone || !recorder.database.isInsideTransaction { undo() } else { try finish() }
    }
}

/// Rows that were written down, and wait to be stored.
package struct RecordedRows {
    private let database: Database
    private let pointer: OpaquePointer

    init(_ database: Database, _ pointer: OpaquePointer) {
        self.database = database
        self.pointer = pointer
    }

    /// A change is too large to be stored, of the table with this number.
    package struct TooLarge: Error {
        package let table: Int
    }

    /// The next table with rows to be stored whose identifier is 0, as its number; nil at the end.
    ///
    /// - Parameter offset: where to go on; 0 at first.
    package func nextTable(missingIn identifiers: [Int64], from offset: inout Int) -> Int? {
        let number = identifiers.withUnsafeBufferPointer { identifiers in
            amalgam_recorder_next_table(pointer, &offset, identifiers.baseAddress, CInt(identifiers.count))
        }
        return number < 0 ? nil : Int(number)
    }

    /// Runs a statement that stores all rows.
    ///
    /// - Parameters:
    ///   - statement: inserts the rows of `amalgam_recorded_changes` into the log, by the names of its columns, and does nothing
    ///     else. See `amalgam_recorder_begin_storing`.
    ///   - origin: the value of `originID` in all rows.
    ///   - tables: the identifiers of tables, by the numbers of their plans.
    /// - throws: ``TooLarge``; the error of the statement.
    package func store(with statement: Statement, origin: Int64, tables: [Int64]) throws {
        try tables.withUnsafeBufferPointer { tables in
            amalgam_recorder_begin_storing(
                database.hooks, pointer, origin, tables.baseAddress, CInt(tables.count))
            defer { amalgam_recorder_end_storing(database.hooks, pointer) }
            try execute(statement)
        }
    }

    private func execute(_ statement: Statement) throws {
        do {
            try statement.execute()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
            throw TooLarge(table: Int(amalgam_recorder_largest_table(pointer)))
        }
    }
}

extension Double {
    /// The digits that stand for it in what is recorded.
    package var recordedDigits: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(AMALGAM_RECORDED_REAL_SIZE)) { digits in
            amalgam_recorder_format_real(self, digits.baseAddress!)
            return String(cString: digits.baseAddress!)
        }
    }
}

extension Database {
    /// Has the changes of rows recorded, or not any more.
    package func setRowRecording(_ recording: (any RowRecording)?) throws {
        try checkAccess()
        rowRecorder = try recording.map { try RowRecorder(self, $0) }
        recordingGeneration &+= 1
    }

    fileprivate func describe(
        _ table: String, isShadow: Bool, _ count: Int, _ modes: UnsafeMutablePointer<UInt8>
    ) -> CInt {
        let names = (0..<count).map { index in
            amalgam_preupdate_column_name(sqliteConnection, CInt(index)).map { String(cString: $0) } ?? ""
        }
        guard let plan = rowRecorder?.recording.plan(table: table, columns: names, isShadow: isShadow) else {
            return -1
        }
        for (index, column) in plan.columns.prefix(count).enumerated() { modes[index] = column.rawValue }
        return CInt(plan.number)
    }

    /// Runs statements that the application has not asked for, and shall not notice: not by a trace, nor by the counts
    /// of changes, nor by the regions it records. No authorizer is asked.
    fileprivate func unnoticed<T>(_ body: () throws -> T) throws -> T {
        let counts = amalgam_get_change_counts(sqliteConnection)
        let accessedRegion = accessedRegion
        self.accessedRegion = nil
        defer {
            self.accessedRegion = accessedRegion
            if let sqliteConnection { amalgam_set_change_counts(sqliteConnection, counts) }
        }
        return try withoutTrace { try withoutAuthorizer(body) }
    }

    fileprivate func withoutTrace<T>(_ body: () throws -> T) rethrows -> T {
        let mask = amalgam_trace_pause(sqliteConnection)
        defer { if let sqliteConnection { amalgam_trace_resume(sqliteConnection, mask) } }
        return try body()
    }
}
