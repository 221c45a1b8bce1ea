import AmalgamCore

/// The observations that are affected by the current transaction. Used on the writing connection only.
///
/// Each changed row is compared with the regions (tables, columns and rows) that observations tracked when the
/// transaction began to write. If an observation starts later, or its region changes, its region is compared with
/// `kinds`: the kinds of change that the statements of the transaction may have made, such as an update of the columns
/// `name` and `score` of `player`. A statement adds its kinds once, not for each row.
struct AffectedObservations {
    /// The regions that were tracked when the transaction began to write.
    let index: RegionIndex
    let stamp: Int

    /// Whether the transaction may have written before the hub was installed.
    let isPartial: Bool

    private(set) var kinds: Set<DatabaseEventKind> = []
    private(set) var members: [ObjectIdentifier: any RunningObservation] = [:]

    /// The observations affected by changes whose rows and transaction aren't known.
    private(set) var announced: Set<ObjectIdentifier> = []

    /// Nil for tables that no observation tracks.
    private var dispatches: [ExactString: TableDispatch?] = [:]
    private var recentDispatch: (table: String, dispatch: TableDispatch?)?

    init(_ index: RegionIndex, stamp: Int, isPartial: Bool = false) {
        self.index = index
        self.stamp = stamp
        self.isPartial = isPartial
    }

    /// Registers a kind of change that a statement may make, such as an update of two columns.
    ///
    /// - Returns: whether `match` must be called for each row that the statement changes.
    mutating func expect(_ kind: DatabaseEventKind) -> Bool {
        kinds.insert(kind)
        return dispatch(kind.tableName)?.expect(kind) ?? false
    }

    /// Matches a changed row.
    mutating func match(_ event: DatabasePreUpdateEvent) {
        dispatch(event.tableName)?.match(event) { members[$0.id] = $0 }
    }

    /// Compares a row that was changed in a savepoint with the tracked regions.
    ///
    /// - Parameter matches: the observations that earlier rows affect if the savepoint is released. Nil if none.
    /// - Returns: `matches` together with the observations that this row affects.
    mutating func deferMatches(_ event: DatabasePreUpdateEvent, _ matches: SavepointMatches?) -> SavepointMatches? {
        guard let dispatch = dispatch(event.tableName) else { return matches }
        let matches = matches ?? SavepointMatches()
        dispatch.match(event, matches.matches(of: dispatch))
        return matches
    }

    /// Marks the observations that match rows of a released savepoint as affected.
    mutating func markAffected(_ matches: SavepointMatches) {
        for (dispatch, tableMatches) in matches.dispatches {
            dispatch.markAffected(tableMatches) { members[$0.id] = $0 }
        }
    }

    /// Marks all observations that a kind of change may affect, because the changed rows aren't known.
    mutating func matchAllRows(_ kind: DatabaseEventKind) {
        kinds.insert(kind)
        dispatch(kind.tableName)?.matchAllRows(kind) {
            members[$0.id] = $0
            announced.insert($0.id)
        }
    }

    private mutating func dispatch(_ table: String) -> TableDispatch? {
        if let recentDispatch, recentDispatch.table.equalsExactly(table) { return recentDispatch.dispatch }
        let name = ExactString(table)
        let dispatch: TableDispatch?
        if let known = dispatches[name] {
            dispatch = known
        } else {
            let entries = index.entries(of: table)
            dispatch = entries.isEmpty ? nil : TableDispatch(entries)
            dispatches[name] = .some(dispatch)
        }
        recentDispatch = (table, dispatch)
        return dispatch
    }
}

/// The observations that are affected if a savepoint is released.
final class SavepointMatches {
    private(set) var dispatches: [(dispatch: TableDispatch, matches: TableDispatch.SavepointMatches)] = []

    func matches(of dispatch: TableDispatch) -> TableDispatch.SavepointMatches {
        if let known = dispatches.first(where: { $0.dispatch === dispatch }) { return known.matches }
        let matches = TableDispatch.SavepointMatches(dispatch)
        dispatches.append((dispatch, matches))
        return matches
    }
}
