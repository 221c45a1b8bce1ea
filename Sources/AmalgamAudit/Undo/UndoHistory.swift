public import AmalgamCore
import AmalgamSandbox
import AmalgamSessions
internal import Synchronization

/// Undoes and redoes what the user did, across tables.
///
/// ```swift
/// let history = UndoHistory()
///
/// try dbQueue.write { db in
///     try history.perform(db, named: "Rename Player") {
///         try db.execute(sql: "UPDATE player SET name = 'Anne' WHERE id = 1")
///     }
/// }
/// history.undoActionName                              // "Rename Player"
/// _ = try dbQueue.write { db in try history.undo(db) }    // the player is Anna again
/// _ = try dbQueue.write { db in try history.redo(db) }    // the player is Anne again
/// ```
///
/// An action is all that a closure changes, also by triggers and foreign key actions: a changeset recorded by a session.
/// It is undone as a whole, or not at all: when rows that it concerns have changed since, and would be overwritten, an
/// ``UndoConflict`` says which ones. Foreign keys are checked at the end, and their actions do not run: what they
/// had done is undone with the rest.
///
/// Actions are kept in memory, and belong to one database. When the transaction of an action, or of its undoing, is
/// rolled back, the history is what it was before. It is not when only a savepoint is, that was opened around the action.
///
/// It works beside observers, which hear of the changes as of others, and beside an ``AuditLog``, which records them.
///
/// # What is recorded
///
/// Rows of the tables of the main database, by their primary key or rowid. Virtual tables, and those in which they keep
/// their content, are left out, and so are audit logs. Schema changes are not undone: an action that was recorded
/// before its tables got other columns than at their end may not be undone any more.
///
/// Triggers do not fire while an action is undone or redone, because what they did is part of the action. Where
/// triggers keep a full-text table up to date, which is no part of it, let them fire: ``init(tables:limit:firesTriggers:)``.
///
/// See <https://sqlite.org/sessionintro.html>.
public final class UndoHistory: Sendable {
    /// The tables whose changes are undone; nil for all.
    public let tables: [String]?

    /// How many actions are kept. The oldest ones are forgotten.
    public let limit: Int

    /// Whether triggers fire while an action is undone or redone.
    public let firesTriggers: Bool

    private let state = Mutex(State())

    private struct State: Sendable {
        var actions = Actions()
        /// The actions before the transaction under way.
        var committedActions: Actions?
        /// The connection on which an action is being recorded.
        var recordingConnection: ObjectIdentifier?
    }

    /// The actions that can be undone and redone: the next one is the last.
    private struct Actions: Sendable {
        var undoable: [Action] = []
        var redoable: [Action] = []
    }

    private struct Action: Sendable {
        let id: ActionID
        let name: String?
        let changeset: Changeset
    }

    /// Tells actions apart.
    private final class ActionID: Sendable {}

    /// A history without actions.
    ///
    /// - Parameters:
    ///   - tables: the tables whose changes are recorded: all of them when nil, also those created later.
    ///   - limit: how many actions are kept.
    ///   - firesTriggers: whether triggers fire while an action is undone or redone. Changes of recorded tables that they
    ///     make then are conflicts, or are made twice.
    public init(tables: [String]? = nil, limit: Int = 100, firesTriggers: Bool = false) {
        self.tables = tables
        self.limit = max(0, limit)
        self.firesTriggers = firesTriggers
    }

    // MARK: State

    /// Whether there is an action to undo.
    public var canUndo: Bool { state.withLock { !$0.actions.undoable.isEmpty } }

    /// Whether there is an action to redo: not any more when something else was done after it was undone.
    public var canRedo: Bool { state.withLock { !$0.actions.redoable.isEmpty } }

    /// The name of the action that is undone next; nil when there is none, or when it has no name.
    public var undoActionName: String? { state.withLock { $0.actions.undoable.last?.name } }

    /// The name of the action that is redone next; nil when there is none, or when it has no name.
    public var redoActionName: String? { state.withLock { $0.actions.redoable.last?.name } }

    /// Forgets all actions, also when the transaction under way is rolled back.
    public func removeAll() {
        state.withLock { state in
            state.actions = Actions()
            if state.committedActions != nil { state.committedActions = Actions() }
        }
    }

    // MARK: Actions

    /// Runs a closure whose changes can be undone as one action.
    ///
    /// ```swift
    /// try history.perform(db, named: "Delete Team") {
    ///     try team.delete(db)   // and its players, by ON DELETE CASCADE
    /// }
    /// ```
    ///
    /// It runs in a savepoint, outside of a transaction in a transaction. A call inside of another one is part of the same
    /// action. A closure that changes nothing is no action.
    ///
    /// - Parameter name: what a menu shows.
    /// - throws: the error of the closure, once its changes are undone; errors of the session; `SQLITE_MISUSE` while an action
    ///   is performed on another connection.
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
                Another connection performs an action of this history: give each database an UndoHistory of its own.
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
    /// - Returns: whether there was one.
    /// - throws: an ``UndoConflict`` when rows have changed since; errors of SQLite. Nothing is undone then, and the
    ///   action stays.
    @discardableResult
    public func undo(_ db: Database) throws -> Bool {
        try db.checkAccess()
        guard let action = state.withLock({ $0.actions.undoable.last }) else { return false }
        try apply(db, action.changeset.inverted(), action)
        update(db) { actions in
            // All actions may have been forgotten meanwhile.
            guard actions.undoable.last?.id === action.id else { return }
            actions.undoable.removeLast()
            actions.redoable.append(action)
        }
        return true
    }

    /// Redoes the last action that was undone.
    ///
    /// - Returns: whether there was one.
    /// - throws: an ``UndoConflict`` when rows have changed since; errors of SQLite. Nothing is redone then, and the
    ///   action stays.
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
                // All of them are known now: the savepoint undoes what was done.
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

    /// Changes the history, as long as the transaction is not rolled back.
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
