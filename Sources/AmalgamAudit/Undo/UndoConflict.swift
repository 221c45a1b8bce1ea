import AmalgamCore
public import AmalgamSessions

/// The error of an action that can't be undone or redone, for example because its rows have changed since.
///
/// ```swift
/// do {
///     _ = try dbQueue.write { db in try history.undo(db) }
/// } catch let error as UndoConflict {
///     print(error)   // "Rename Player" cannot be undone or redone: data conflict: UPDATE player
/// }
/// ```
public struct UndoConflict: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the action, if it has one.
    public let actionName: String?

    /// The conflicts, at least one. In a conflict, a row has other values than after the action (or than after undoing
    /// it, if the action is redone), a row is missing, a row with the same key already exists, or a constraint or
    /// foreign key would be violated.
    public let conflicts: [ChangeConflict]

    /// The names of the tables with conflicts.
    public var tableNames: Set<String> { Set(conflicts.compactMap { $0.change?.tableName }) }

    /// The name of the action, and the conflicts without the values of rows.
    public var description: String {
        let action = actionName.map { "\"\($0)\"" } ?? "The action"
        let summaries = conflicts.map(\.summary).joined(separator: ", ")
        return "\(action) cannot be undone or redone: \(summaries)"
    }
}
