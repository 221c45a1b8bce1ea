import CAmalgam

/// A statement under way, or C code that changes rows without a statement of the library.
struct ObservedRun {
    let statementListeners: StatementListeners
    var statement: SQLiteStatement?
    /// The count of changes that the observers of virtual tables were notified of.
    var reportedChangeCount: Int64 = 0

    /// The observers that must be notified of changes in virtual tables.
    mutating func listenersToNotify() -> [ObserverRegistration] {
        guard !statementListeners.listenersWithoutRows.isEmpty, let statement else { return [] }
        let changes = amalgam_changes_so_far(statement)
        guard changes != reportedChangeCount else { return [] }
        reportedChangeCount = changes
        return statementListeners.listenersWithoutRows
    }
}
