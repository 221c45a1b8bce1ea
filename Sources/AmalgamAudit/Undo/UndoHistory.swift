public import AmalgamCore
internal import Synchronization

/// A history of the user's actions, which can be undone and redone across tables.
///
/// ```swift
/// let history = UndoHistory()
///
/// try dbQueue.write { db in
///     try history.perform(db, named: "Rename Player") {
///         try db.execute(sql: "UPDATE player SET name = 'Anne' WHERE id = 1")
///     }
/// }
/// print(history.undoActionName ?? "")                     // Rename Player
/// _ = try dbQueue.write { db in try history.undo(db) }    // the player is Anna again
/// _ = try dbQueue.write { db in try history.redo(db) }    // the player is Anne again
/// ```
///
/// An action consists of all changes by a closure, including those of triggers and foreign key actions. An action is
/// undone as a whole, or not at all: if undoing would overwrite or delete values that have changed since, or if a
/// constraint doesn't allow it, an ``UndoConflict`` with these rows is thrown, and nothing changes. Undoing an update
/// restores the columns that the action has changed. Changes of other columns by other code remain.
///
/// Actions are stored in memory, and belong to one database. To undo a transaction after a restart, see
/// ``AuditLog/revert(_:transaction:)``. If the transaction that performs or undoes an action is rolled back, the history
/// returns to its state before the transaction. If only a savepoint around the action is rolled back, the history isn't
/// restored.
///
/// Observers receive the changes made by undoing and redoing like any other changes, and an ``AuditLog`` records them.
/// Rows that exchange unique values are deleted and inserted again.
///
/// # What is recorded
///
/// Changes of rows in all tables of the main database are recorded, byte for byte: tables with and without a primary
/// key, keys with NULL or with other letters in the same collation, `WITHOUT ROWID` and `STRICT` tables, generated
/// columns. A row is found by its rowid, or by the primary key of a `WITHOUT ROWID` table. Values are restored whatever
/// `ON CONFLICT` clauses the table has.
///
/// Virtual tables, their shadow tables, SQLite's own tables, and audit logs are excluded. Tables in which columns have
/// all three names `rowid`, `_rowid_` and `oid`, and none is the `INTEGER PRIMARY KEY`, can't be recorded: performing
/// an action that changes them throws `SQLITE_MISUSE`.
///
/// Foreign keys are checked at the end of undoing. Foreign key actions don't run, because the changes that they have
/// made are undone with the action.
///
/// # Changes of the schema
///
/// Schema changes aren't undone. Columns may be added at the end of a table. If an action renames or drops a table or
/// columns after it has changed rows of the table, ``perform(_:named:_:)`` throws `SQLITE_SCHEMA`, and rolls the action
/// back. If that happens after the action, ``undo(_:)`` throws `SQLITE_SCHEMA`, also if there is a new table with the same
/// name and columns.
///
/// SQLite has no identity of tables, so the history only knows the statements of its own connection. If another
/// connection drops or renames a table, and creates a table with the same name and columns, the history takes the new table for
/// the previous one: rows with other values are a conflict, but rows with the same keys and values are overwritten. Call
/// ``removeAll()`` after such a change.
///
/// VACUUM may renumber the rows of tables without an `INTEGER PRIMARY KEY`. Such a row isn't found any more, which is a
/// conflict: another row that now has its rowid is never changed. After any change of the schema, which the history can't
/// tell from a VACUUM, a row of such a table that has an equal row is a conflict, too.
///
/// # Triggers
///
/// Triggers don't fire while an action is undone or redone, because the changes that they have made are part of the
/// action. If triggers update a full-text table, which isn't recorded, let the triggers fire:
/// ``init(tables:limit:firesTriggers:)``. Changes that the triggers make in recorded tables are taken back then, so that
/// these tables have the same content in both cases.
///
/// # Cost
///
/// For each changed row, the values before and after the action are in memory. Performing an action makes SQLite compile
/// the statements of the connection again.
public final class UndoHistory: Sendable {
    /// The tables whose changes are recorded; nil for all tables.
    public let tables: [String]?

    /// The maximum number of actions. If there are more, the oldest ones are removed.
    public let limit: Int

    /// Whether triggers fire while an action is undone or redone.
    public let firesTriggers: Bool

    private let state = Mutex(State())

    private struct State: Sendable {
        var actions = Actions()
        /// The actions at the beginning of the current transaction; nil if the transaction hasn't changed the actions.
        var committedActions: Actions?
        /// The connection on which an action is being recorded.
        var recordingConnection: ObjectIdentifier?
    }

    /// The actions that can be undone and redone. The last action of each array is undone or redone next.
    private struct Actions: Sendable {
        var undoable: [Action] = []
        var redoable: [Action] = []
    }

    private struct Action: Sendable {
        let id: ActionID
        let name: String?
        var content: RecordedAction
    }

    /// The identity of an action.
    private final class ActionID: Sendable {}

    /// Creates a history without actions.
    ///
    /// ```swift
    /// let history = UndoHistory(tables: ["player", "team"], limit: 20)
    /// ```
    ///
    /// - Parameters:
    ///   - tables: the tables whose changes are recorded, or nil for all tables, including those that are created
    ///     later.
    ///   - limit: the maximum number of actions.
    ///   - firesTriggers: whether triggers fire while an action is undone or redone. What they change in recorded
    ///     tables is taken back.
    public init(tables: [String]? = nil, limit: Int = 100, firesTriggers: Bool = false) {
        self.tables = tables
        self.limit = max(0, limit)
        self.firesTriggers = firesTriggers
    }

    // MARK: State

    /// Whether there is an action to undo.
    public var canUndo: Bool { state.withLock { !$0.actions.undoable.isEmpty } }

    /// Whether there is an action to redo. Performing an action removes those that could be redone.
    public var canRedo: Bool { state.withLock { !$0.actions.redoable.isEmpty } }

    /// The name of the action to undo; nil if there is none, or if it has no name.
    public var undoActionName: String? { state.withLock { $0.actions.undoable.last?.name } }

    /// The name of the action to redo; nil if there is none, or if it has no name.
    public var redoActionName: String? { state.withLock { $0.actions.redoable.last?.name } }

    /// Removes all actions. A rollback of the current transaction doesn't restore them.
    public func removeAll() {
        state.withLock { state in
            state.actions = Actions()
            if state.committedActions != nil { state.committedActions = Actions() }
        }
    }

    // MARK: Actions

    /// Runs a closure, and records its changes as one action.
    ///
    /// ```swift
    /// _ = try history.perform(db, named: "Delete Team") {
    ///     try team.delete(db)   // and its players, by ON DELETE CASCADE
    /// }
    /// ```
    ///
    /// The closure runs in a savepoint. The changes of a nested call are part of the outer action. If the closure
    /// changes no rows, no action is recorded.
    ///
    /// - Parameters:
    ///   - db: a connection with write access.
    ///   - name: the name of the action, for example for a menu.
    ///   - changes: makes the changes.
    /// - Returns: the result of the closure.
    /// - Throws: the error of the closure, after its changes were rolled back; `SQLITE_SCHEMA` if the closure has
    ///   renamed or dropped a table or columns after changing rows; `SQLITE_MISUSE` while an action is performed on
    ///   another connection.
    public func perform<T>(_ db: Database, named name: String? = nil, _ changes: () throws -> T) throws -> T {
        try db.checkAccess()
        let connection = ObjectIdentifier(db)
        let outer = state.withLock { state in
            defer { state.recordingConnection = state.recordingConnection ?? connection }
            return state.recordingConnection
        }
        if let outer {
            if outer != connection { throw Self.isRecordingElsewhere }
            return try changes()
        }
        defer { state.withLock { $0.recordingConnection = nil } }
        return try record(db, name, changes)
    }

    private static var isRecordingElsewhere: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                Another connection performs an action of this history: use one UndoHistory for each database.
                """)
    }

    private func record<T>(_ db: Database, _ name: String?, _ changes: () throws -> T) throws -> T {
        var result: T?
        try db.inSavepoint {
            let recorder = try RowImageRecorder(db, includes)
            defer { recorder.discard() }
            result = try changes()
            recorder.stop()
            let content = try RecordedAction(db, recorder)
            if !content.isEmpty {
                update(db) { [limit] actions in
                    actions.undoable.append(Action(id: ActionID(), name: name, content: content))
                    actions.undoable.removeFirst(max(0, actions.undoable.count - limit))
                    actions.redoable = []
                }
            }
            return .commit
        }
        return result!
    }

    /// Whether the changes of a table belong to actions.
    private func includes(_ table: String, _ isShadow: Bool) -> Bool {
        if let tables { return tables.contains { $0.equalsIgnoringCase(table) } }
        return !isShadow && !Database.isGRDBInternalTable(table) && !Database.isSQLiteInternalTable(table)
    }

    /// Undoes the last action that was performed or redone.
    ///
    /// ```swift
    /// let didUndo = try dbQueue.write { db in try history.undo(db) }
    /// ```
    ///
    /// - Returns: whether there was an action to undo.
    /// - Throws: an ``UndoConflict`` if rows have changed since; `SQLITE_SCHEMA` if a table was dropped or renamed, or has
    ///   other columns; an error of SQLite. The action isn't undone then,
    ///   and remains in the history.
    @discardableResult
    public func undo(_ db: Database) throws -> Bool {
        try db.checkAccess()
        guard let action = state.withLock({ $0.actions.undoable.last }) else { return false }
        let undone = try replay(db, action, .undo)
        update(db) { actions in
            // `removeAll` may have been called during the access.
            guard actions.undoable.last?.id === action.id else { return }
            actions.undoable.removeLast()
            actions.redoable.append(undone)
        }
        return true
    }

    /// Redoes the last action that was undone.
    ///
    /// ```swift
    /// let didRedo = try dbQueue.write { db in try history.redo(db) }
    /// ```
    ///
    /// - Returns: whether there was an action to redo.
    /// - Throws: an ``UndoConflict`` if rows have changed since; `SQLITE_SCHEMA` if a table was dropped or renamed, or has
    ///   other columns; an error of SQLite. The action isn't redone then,
    ///   and remains in the history.
    @discardableResult
    public func redo(_ db: Database) throws -> Bool {
        try db.checkAccess()
        guard let action = state.withLock({ $0.actions.redoable.last }) else { return false }
        let redone = try replay(db, action, .redo)
        update(db) { actions in
            guard actions.redoable.last?.id === action.id else { return }
            actions.redoable.removeLast()
            actions.undoable.append(redone)
        }
        return true
    }

    /// - Returns: the action, whose rows are known to be at their places in the current version of the schema.
    private func replay(_ db: Database, _ action: Action, _ direction: ActionReplay.Direction) throws -> Action {
        var action = action
        try db.inSavepoint {
            let obstacles = try ActionReplay(db, action.content, direction).run(firesTriggers: firesTriggers, includes)
            // The error rolls back the savepoint.
            if !obstacles.conflicts.isEmpty {
                throw UndoConflict(
                    actionName: action.name, conflicts: obstacles.conflicts, violatingRows: obstacles.violations)
            }
            action.content.schemaVersion = try RecordedAction.schemaVersion(db)
            return .commit
        }
        return action
    }

    /// Changes the history. A rollback of the current transaction reverses this change.
    private func update(_ db: Database, _ change: (inout Actions) -> Void) {
        let isFirst = state.withLock { state in
            let isFirst = state.committedActions == nil && db.isInsideTransaction
            if isFirst { state.committedActions = state.actions }
            change(&state.actions)
            return isFirst
        }
        guard isFirst else { return }
        db.afterNextTransaction(
            onCommit: { [self] _ in state.withLock { $0.committedActions = nil } },
            onRollback: { [self] _ in
                state.withLock { state in
                    if let actions = state.committedActions { state.actions = actions }
                    state.committedActions = nil
                }
            })
    }
}
