public import AmalgamCore
import AmalgamSandbox
import AmalgamSessions
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
/// An action consists of all changes by a closure, including those of triggers and foreign key actions. A session
/// records these changes as a changeset. An action is undone as a whole, or not at all: if undoing would overwrite rows
/// that have changed since, an ``UndoConflict`` with these rows is thrown. Foreign keys are checked at the end of
/// undoing. Foreign key actions don't run, because the changes that they have made are undone with the action.
///
/// Actions are stored in memory, and belong to one database. If the transaction that performs or undoes an action is
/// rolled back, the history returns to its state before the transaction. If only a savepoint around the action is
/// rolled back, the history isn't restored.
///
/// Observers receive the changes made by undoing and redoing like any other changes, and an ``AuditLog`` records them.
///
/// # What is recorded
///
/// Changes of rows in tables of the main database are recorded, by primary key or rowid. Virtual tables, their shadow
/// tables, and audit logs are excluded. Schema changes aren't undone. If the schema of a table changes after an action
/// has changed its rows, undoing the action may fail, unless columns were only added at the end.
///
/// Triggers don't fire while an action is undone or redone, because the changes that they have made are part of the
/// action. If triggers update a full-text table, which isn't recorded, let the triggers fire:
/// ``init(tables:limit:firesTriggers:)``.
///
/// See <https://sqlite.org/sessionintro.html>.
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
        let changeset: Changeset
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
    ///   - firesTriggers: whether triggers fire while an action is undone or redone. If triggers change recorded
    ///     tables, the changes by triggers conflict with the action, or are made twice.
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
    /// - Throws: the error of the closure, after its changes were rolled back; an error of the session; `SQLITE_MISUSE`
    ///   while an action is performed on another connection.
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
            let session = try makeSession(db)
            result = try changes()
            let changeset = try session.changeset()
            try session.close()
            if try changeset.count > 0 {
                update(db) { [limit] actions in
                    actions.undoable.append(Action(id: ActionID(), name: name, changeset: changeset))
                    actions.undoable.removeFirst(max(0, actions.undoable.count - limit))
                    actions.redoable = []
                }
            }
            return .commit
        }
        return result!
    }

    private func makeSession(_ db: Database) throws -> Session {
        let session = try Session(db, options: .recordsImplicitRowIDs)
        if let tables {
            for table in tables { try session.attach(table: table) }
        } else {
            let shadows = try Set(db.tables(in: "main").filter { $0.kind == .shadow }.map(\.name))
            try session.attach { table in
                !shadows.contains(table) && !Database.isGRDBInternalTable(table)
            }
        }
        return session
    }

    /// Undoes the last action that was performed or redone.
    ///
    /// ```swift
    /// let didUndo = try dbQueue.write { db in try history.undo(db) }
    /// ```
    ///
    /// - Returns: whether there was an action to undo.
    /// - Throws: an ``UndoConflict`` if rows have changed since, or an error of SQLite. The action isn't undone then,
    ///   and remains in the history.
    @discardableResult
    public func undo(_ db: Database) throws -> Bool {
        try db.checkAccess()
        guard let action = state.withLock({ $0.actions.undoable.last }) else { return false }
        try apply(db, action.changeset.inverted(), action)
        update(db) { actions in
            // `removeAll` may have been called during the access.
            guard actions.undoable.last?.id === action.id else { return }
            actions.undoable.removeLast()
            actions.redoable.append(action)
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
    /// - Throws: an ``UndoConflict`` if rows have changed since, or an error of SQLite. The action isn't redone then,
    ///   and remains in the history.
    @discardableResult
    public func redo(_ db: Database) throws -> Bool {
        try db.checkAccess()
        guard let action = state.withLock({ $0.actions.redoable.last }) else { return false }
        try apply(db, action.changeset, action)
        update(db) { actions in
            guard actions.redoable.last?.id === action.id else { return }
            actions.redoable.removeLast()
            actions.undoable.append(action)
        }
        return true
    }

    private func apply(_ db: Database, _ changeset: Changeset, _ action: Action) throws {
        var conflicts: [ChangeConflict] = []
        try withTriggers(db, firesTriggers) {
            try db.inSavepoint {
                try db.apply(changeset, options: .withoutForeignKeyActions) { conflict in
                    conflicts.append(conflict)
                    return .omit
                }
                // All conflicts are known now. The error rolls back the savepoint.
                if !conflicts.isEmpty { throw UndoConflict(actionName: action.name, conflicts: conflicts) }
                return .commit
            }
        }
    }

    private func withTriggers(_ db: Database, _ areFired: Bool, _ body: () throws -> Void) throws {
        let wereFired = try db.isEnabled(.triggers)
        if areFired || !wereFired { return try body() }
        try db.setEnabled(.triggers, false)
        defer { try? db.setEnabled(.triggers, true) }
        try body()
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
