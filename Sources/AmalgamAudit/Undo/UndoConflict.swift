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
    ///
    /// The changes are those that undoing would make. Tables without a primary key have the rowid as their first column.
    public let conflicts: [ChangeConflict]

    /// The rows that would violate a foreign key, if there is a conflict of the kind `foreignKey`.
    public let violatingRows: [ViolatingRow]

    /// A row that would refer to a row that doesn't exist.
    public struct ViolatingRow: Hashable, Sendable {
        /// The name of the table that contains the row.
        public let tableName: String

        /// The rowid of the row; nil for a `WITHOUT ROWID` table.
        public let rowID: Int64?

        /// The name of the table to which the foreign key refers.
        public let referencedTableName: String
    }

    init(actionName: String?, conflicts: [ChangeConflict], violatingRows: [ViolatingRow] = []) {
        self.actionName = actionName
        self.conflicts = conflicts
        self.violatingRows = violatingRows
    }

    /// The names of the tables with conflicts.
    public var tableNames: Set<String> {
        Set(conflicts.compactMap { $0.change?.tableName } + violatingRows.map(\.tableName))
    }

    /// The name of the action, and the conflicts without the values of rows.
    public var description: String {
        let action = actionName.map { "\"\($0)\"" } ?? "The action"
        let rows = violatingRows.map {
            "\($0.tableName) \($0.rowID.map(String.init) ?? "") refers to \($0.referencedTableName)"
        }
        let summaries = (conflicts.map(\.summary) + rows).joined(separator: ", ")
        return "\(action) cannot be undone or redone: \(summaries)"
    }
}

extension UndoConflict.ViolatingRow {
    /// The rows of the main database that violate foreign keys now.
    static func all(_ db: Database) throws -> [UndoConflict.ViolatingRow] {
        try Row.fetchAll(db, sql: "PRAGMA main.foreign_key_check").map { row in
            UndoConflict.ViolatingRow(tableName: row[0], rowID: row[1], referencedTableName: row[2])
        }
    }
}
