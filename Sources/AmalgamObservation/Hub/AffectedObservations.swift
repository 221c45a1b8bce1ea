import AmalgamCore

/// The observations affected by the transaction under way: used on the writing connection only.
///
/// Row changes identify the affected observations exactly, among those whose regions were known when the transaction began to
/// write. An observation that starts later, or gets a different region, is compared with the kinds of change that the
/// statements of the transaction may have made. These are known for all statements, and cost nothing for each row.
struct AffectedObservations {
    /// What was tracked when the transaction began to write.
    let index: RegionIndex
    let stamp: Int

    /// Whether the transaction may have written unknown changes before the hub was installed.
    let isPartial: Bool

    private(set) var kinds: Set<DatabaseEventKind> = []
    private(set) var members: [ObjectIdentifier: any RunningObservation] = [:]

    /// The observations affected by announced changes, whose author and time are not known.
    private(set) var announced: Set<ObjectIdentifier> = []

    /// Nil for tables that no observation tracks.
    private var dispatches: [String: TableDispatch?] = [:]
    private var recentDispatch: (table: String, dispatch: TableDispatch?)?

    init(_ index: RegionIndex, stamp: Int, isPartial: Bool = false) {
        self.index = index
        self.stamp = stamp
        self.isPartial = isPartial
    }

    /// A statement may make a kind of change.
    ///
    /// - Returns: whether the row changes have to be matched.
    mutating func expect(_ kind: DatabaseEventKind) -> Bool {
        kinds.insert(kind)
        return dispatch(kind.tableName)?.expect(kind) ?? false
    }

    /// A row changes.
    mutating func match(_ event: DatabasePreUpdateEvent) {
        dispatch(event.tableName)?.match(event) { members[$0.id] = $0 }
    }

    /// A row changes in a savepoint.
    ///
    /// - Parameter matches: the observations that are already known to be affected if the savepoint is released.
    mutating func deferMatches(_ event: DatabasePreUpdateEvent, _ matches: SavepointMatches?) -> SavepointMatches? {
        guard let dispatch = dispatch(event.tableName) else { return matches }
        let matches = matches ?? SavepointMatches()
        dispatch.match(event, matches.matches(of: dispatch))
        return matches
    }

    /// A savepoint is released.
    mutating func markAffected(_ matches: SavepointMatches) {
        for (dispatch, tableMatches) in matches.dispatches {
            dispatch.markAffected(tableMatches) { members[$0.id] = $0 }
        }
    }

    /// The rows that change are not known.
    mutating func matchAllRows(_ kind: DatabaseEventKind) {
        kinds.insert(kind)
        dispatch(kind.tableName)?.matchAllRows(kind) {
            members[$0.id] = $0
            announced.insert($0.id)
        }
    }

    private mutating func dispatch(_ table: String) -> TableDispatch? {
        if let recentDispatch, recentDispatch.table == table { return recentDispatch.dispatch }
        let dispatch: TableDispatch?
        if let known = dispatches[table] {
            dispatch = known
        } else {
            let entries = index.entries(of: table)
            dispatch = entries.isEmpty ? nil : TableDispatch(entries)
            dispatches[table] = .some(dispatch)
        }
        recentDispatch = (table, dispatch)
        return dispatch
    }
}

/// The observations that a transaction affects if a savepoint is released.
final class SavepointMatches {
    private(set) var dispatches: [(dispatch: TableDispatch, matches: TableDispatch.SavepointMatches)] = []

    func matches(of dispatch: TableDispatch) -> TableDispatch.SavepointMatches {
        if let known = dispatches.first(where: { $0.dispatch === dispatch }) { return known.matches }
        let matches = TableDispatch.SavepointMatches(dispatch)
        dispatches.append((dispatch, matches))
        return matches
    }
}
