import AmalgamCore
public import AmalgamSessions

/// The reason why an action is not undone or redone: rows that it concerns have changed since.
///
/// ```swift
/// do {
///     try dbQueue.write { db in try history.undo(db) }
/// } catch let error as UndoConflict {
///     print(error)   // "Rename Player" cannot be undone or redone: data conflict: UPDATE player
/// }
/// ```
public struct UndoConflict: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the action, if it has one.
    public let actionName: String?

    /// What does not fit, at least one: rows with other values than the action has left, rows that are missing or in the
    /// way, constraints and foreign keys that would be violated.
    public let conflicts: [ChangeConflict]

    /// The tables of the rows that do not fit.
    public var tableNames: Set<String> { Set(conflicts.compactMap { $0.change?.tableName }) }

    /// The action, and the conflicts without values of the rows.
    public var description: String {
        let action = actionName.map { "\"\($0)\"" } ?? "The action"
        let summaries = conflicts.map(\.summary).joined(separator: ", ")
        return "\(action) cannot be undone or redone: \(summaries)"
    }
}
