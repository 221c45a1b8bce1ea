import CAmalgam

/// A running statement, or C code that changes rows without a statement of the library.
struct ObservedRun {
    let statementListeners: StatementListeners
    var statement: SQLiteStatement?
    /// The statement's change count when the observers of virtual tables were last notified.
    var reportedChangeCount: Int64 = 0

    /// Returns the observers to notify of changes in virtual tables, if there are new changes.
    mutating func listenersToNotify() -> [ObserverRegistration] {
        guard !statementListeners.listenersWithoutRows.isEmpty, let statement else { return [] }
        let changes = amalgam_changes_so_far(statement)
        guard changes != reportedChangeCount else { return [] }
        reportedChangeCount = changes
        return statementListeners.listenersWithoutRows
    }
}
