import CAmalgam

/// A statement under way, or C code that changes rows without a statement of ours.
struct ObservedRun {
    let audience: Audience
    var statement: SQLiteStatement?
    /// The count of changes that those who hear of virtual tables were told of.
    var changesTold: Int64 = 0

    /// Those who must be told of changes in virtual tables.
    mutating func listenersToTell() -> [ObserverRegistration] {
        guard !audience.listenersWithoutRows.isEmpty, let statement else { return [] }
        let changes = amalgam_changes_so_far(statement)
        guard changes != changesTold else { return [] }
        changesTold = changes
        return audience.listenersWithoutRows
    }
}
