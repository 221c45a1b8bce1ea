import CAmalgam

/// An object that records the row changes of a connection, and stores them in the same transaction: see
/// ``Database/rowRecorder``.
///
/// A run is a statement, changeset or blob write that may change rows. For each run, the connection calls a `beginRun`
/// method, then ``endChanges(_:)``, and then `finish` if the run has succeeded, or `undo` or `fail` if it has failed.
/// Only the thread that has access to the connection uses the recorder.
package protocol RowChangeRecorder: AnyObject {
    /// Whether row changes of a statement may be recorded.
    func mayRecord(_ statement: Statement) -> Bool

    /// Whether deletions in a table may be recorded. If so, SQLite must delete the rows one by one.
    func recordsDeletions(_ table: String) -> Bool

    /// Called before a statement changes rows.
    ///
    /// - Returns: nil if the changes aren't recorded.
    func beginRun(of statement: Statement) -> RowChangeRun?

    /// Called before a function of SQLite changes rows with its own statements, in a transaction.
    func beginRun() -> RowChangeRun?

    /// Called before a write through a blob handle.
    ///
    /// Outside of a transaction, SQLite begins a transaction for the handle, and commits it when the handle is closed.
    func beginRun(of bytes: UnsafeRawBufferPointer, at offset: Int) -> RowChangeRun?

    /// Called when the run has changed its last row, before one of the methods below.
    func endChanges(_ run: RowChangeRun)

    /// Stores the recorded rows of a successful run, and commits the transaction that was opened for the run, if any.
    ///
    /// - Parameter callerUndoes: Whether the caller undoes the changes if this method throws an error. Otherwise, the
    ///   recorder undoes them. If it can't, it calls ``Database/abortTransaction(_:)``.
    /// - Throws: an error of storing, or of the commit.
    func finish(_ run: RowChangeRun, callerUndoes: Bool) throws

    /// Called when a write through a blob handle has failed: SQLite has undone the change. Discards the rows recorded
    /// in this run, and rolls back the transaction that was opened for the run, if any.
    func undo(_ run: RowChangeRun)

    /// Called when a statement or changeset has failed. Discards the recorded rows of changes that SQLite has undone,
    /// as ``undo(_:)`` does. Stores the recorded rows of preserved changes, as ``finish(_:)`` does.
    ///
    /// - Parameters:
    ///   - run: the run.
    ///   - undoesChanges: whether SQLite has undone the changes of the run.
    ///   - failsOnConflict: whether SQLite has preserved the changes made before a conflict (`ON CONFLICT FAIL`).
    /// - Throws: an error of storing the preserved changes.
    func fail(_ run: RowChangeRun, undoesChanges: Bool, failsOnConflict: Bool) throws

    /// Called when a statement with a RETURNING clause has failed after its first row. SQLite has undone its changes, and
    /// with them what the recorder has stored since.
    func returningStatementFailed()

    /// Called when SQLite compiles a running statement again: the statement may then change rows of other tables.
    func statementRecompiles()

    /// Called when a statement has begun or ended a transaction or savepoint.
    func didRun(_ effect: TransactionEffect, wasInsideTransaction: Bool)

    /// Called when SQLite has rolled back the transaction.
    func transactionDidRollback()

    /// Releases the cached statements of the recorder before the connection is closed.
    func releaseStatements()
}

extension RowChangeRecorder {
    package func finish(_ run: RowChangeRun) throws { try finish(run, callerUndoes: false) }
}

/// The run of a statement, or of another call of SQLite, that changes recorded rows.
package struct RowChangeRun {
    /// The recorder, retained because a function that the statement calls may end the recording.
    package let recorder: any RowChangeRecorder

    /// The amount of recorded data before the run.
    package let mark: Int

    /// Whether a transaction was opened for the run.
    package let opensTransaction: Bool

    /// The statement of the application, for errors.
    package let statement: Statement?

    /// Whether the recorder was recording changes before the run began.
    package let recordedBefore: Bool

    /// Identifies the point to which the changes can be undone, if any.
    package let undoNumber: Int?

    package init(
        recorder: any RowChangeRecorder, mark: Int, opensTransaction: Bool, statement: Statement?,
        recordedBefore: Bool, undoNumber: Int?
    ) {
        self.recorder = recorder
        self.mark = mark
        self.opensTransaction = opensTransaction
        self.statement = statement
        self.recordedBefore = recordedBefore
        self.undoNumber = undoNumber
    }
}

/// A value that identifies the recorded tables and the state of the schemas. While this value stays the same, an
/// earlier answer of ``RowChangeRecorder/mayRecord(_:)`` for a statement is valid.
package struct RecordingStamp: Equatable {
    private let tables: Int
    private let schema: SchemaState.Stamp

    /// - Parameter tables: a number that identifies the recorded tables in the whole process.
    package init(_ database: Database, tables: Int) {
        self.tables = tables
        schema = database.schema.state.stamp
    }
}

extension Database {
    /// Runs a closure. Traces, change counts, the recorded region and the authorizer ignore its statements.
    package func unnoticed<T>(_ body: () throws -> T) throws -> T {
        let counts = amalgam_get_change_counts(sqliteConnection)
        let accessedRegion = observation.accessedRegion
        observation.accessedRegion = nil
        defer {
            observation.accessedRegion = accessedRegion
            if let sqliteConnection { amalgam_set_change_counts(sqliteConnection, counts) }
        }
        guard access.authorizerScope?.preservesTransaction == true else {
            return try withoutTrace { try withoutAuthorizer(body) }
        }
        // An interrupt in the middle of a change would roll back the transaction.
        return try access.interrupter.withoutInterruption { try withoutTrace { try withoutAuthorizer(body) } }
    }

    /// Runs statements that aren't traced.
    package func withoutTrace<T>(_ body: () throws -> T) rethrows -> T {
        let mask = amalgam_trace_pause(sqliteConnection)
        defer { if let sqliteConnection { amalgam_trace_resume(sqliteConnection, mask) } }
        return try body()
    }

    /// Called after a statement was undone, without an SQL statement, because its rows couldn't be recorded.
    package func statementWasUndone() {
        amalgam_restore_cursors(sqliteConnection)
        // The recorder may have created its tables.
        schemaDidChange()
    }

    /// Called when a transaction begins without a statement. Invalidates cached information about statements.
    package func transactionDidBegin() { observation.broker.didBeginTransaction() }

    /// Returns the name of a column of the row that is about to change.
    package func columnNameOfRowChange(at index: Int) -> String? {
        amalgam_preupdate_column_name(sqliteConnection, CInt(index)).map { String(cString: $0) }
    }
}
