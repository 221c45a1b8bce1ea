import AmalgamCore

/// Matches the changed rows of one table against the observations that track this table, during one transaction.
///
/// Once an observation has matched a row, no further rows are compared with its region.
final class TableDispatch {
    fileprivate final class Pending {
        let entry: RegionIndex.Entry
        var isAffected = false
        /// Whether a statement of the transaction updates a tracked column, even if the values stay the same.
        var isUpdated = false
        /// The positions of the tracked columns, computed on first use; nil for all columns.
        var positions: [Int]??

        init(_ entry: RegionIndex.Entry) {
            self.entry = entry
        }
    }

    /// The observations that track the rows with certain values in a column.
    private struct ValueIndex {
        let column: TableName
        var byValue: [DatabaseValue: [Pending]] = [:]
    }

    /// The unaffected observations that track all rows.
    private var everyRow: [Pending] = []
    /// The observations that track certain rows.
    private var byRowID: [Int64: [Pending]] = [:]
    private var byColumn: [ValueIndex] = []
    private let all: [Pending]

    /// The positions of the table's columns, computed on first use.
    private var columns: [TableName: Int]?

    init(_ entries: [RegionIndex.Entry]) {
        all = entries.map(Pending.init)
        for pending in all { add(pending) }
    }

    private func add(_ pending: Pending) {
        let rows = pending.entry.rows
        if let rowIDs = rows.rowIDs {
            for rowID in rowIDs { byRowID[rowID, default: []].append(pending) }
        } else if let (column, values) = rows.values.min(by: { $0.value.count < $1.value.count }) {
            let index = byColumn.firstIndex { $0.column == column } ?? byColumn.endIndex
            if index == byColumn.endIndex { byColumn.append(ValueIndex(column: column)) }
            for value in values { byColumn[index].byValue[value, default: []].append(pending) }
        } else {
            everyRow.append(pending)
        }
    }

    /// Registers a kind of change that a statement may make, such as an update of two columns.
    ///
    /// - Returns: whether `match` must be called for each row that the statement changes.
    func expect(_ kind: DatabaseEventKind) -> Bool {
        var isInteresting = false
        for pending in all where !pending.isAffected && pending.entry.concerns(kind) {
            if case .update = kind { pending.isUpdated = true }
            isInteresting = true
        }
        return isInteresting
    }

    /// The observations that are affected by rows in a savepoint, if the savepoint is released.
    final class SavepointMatches {
        /// The observations that track all rows and haven't matched a row yet.
        fileprivate var everyRow: [Pending]
        fileprivate var pendings: [ObjectIdentifier: Pending] = [:]

        init(_ dispatch: TableDispatch) {
            everyRow = dispatch.everyRow
        }

        fileprivate func contains(_ pending: Pending) -> Bool { pendings[ObjectIdentifier(pending)] != nil }
    }

    /// Matches a changed row, and calls a closure with each observation that it affects.
    func match(_ event: DatabasePreUpdateEvent, _ notify: (any RunningObservation) -> Void) {
        if !everyRow.isEmpty {
            for pending in everyRow where concerns(pending, event) { markAffected(pending, notify) }
            everyRow.removeAll(where: \.isAffected)
        }
        matchKnownRows(event) { pending in
            if !pending.isAffected && isConcerned(pending, event) { markAffected(pending, notify) }
        }
    }

    /// Matches a row that was changed in a savepoint.
    func match(_ event: DatabasePreUpdateEvent, _ matches: SavepointMatches) {
        func deferMatch(_ pending: Pending) { matches.pendings[ObjectIdentifier(pending)] = pending }
        if !matches.everyRow.isEmpty {
            for pending in matches.everyRow where !pending.isAffected && concerns(pending, event) {
                deferMatch(pending)
            }
            matches.everyRow.removeAll { $0.isAffected || matches.contains($0) }
        }
        matchKnownRows(event) { pending in
            if !pending.isAffected && !matches.contains(pending) && isConcerned(pending, event) { deferMatch(pending) }
        }
    }

    /// Marks the observations that match rows of a released savepoint as affected, and passes each to a closure.
    func markAffected(_ matches: SavepointMatches, _ notify: (any RunningObservation) -> Void) {
        for pending in matches.pendings.values where !pending.isAffected { markAffected(pending, notify) }
        everyRow.removeAll(where: \.isAffected)
    }

    /// Calls a closure with the observations that track certain rows only, and may track the changed row.
    private func matchKnownRows(_ event: DatabasePreUpdateEvent, _ body: (Pending) -> Void) {
        if !byRowID.isEmpty {
            if let rowID = event.initialRowID { byRowID[rowID]?.forEach(body) }
            if let rowID = event.finalRowID, rowID != event.initialRowID { byRowID[rowID]?.forEach(body) }
        }
        for index in byColumn {
            guard let position = position(of: index.column, event) else {
                for pendings in index.byValue.values { pendings.forEach(body) }
                continue
            }
            if let value = event.initialDatabaseValue(atIndex: position)?.integerIfEqual {
                index.byValue[value]?.forEach(body)
            }
            if let value = event.finalDatabaseValue(atIndex: position)?.integerIfEqual {
                index.byValue[value]?.forEach(body)
            }
        }
    }

    private func isConcerned(_ pending: Pending, _ event: DatabasePreUpdateEvent) -> Bool {
        meets(pending, event) && concerns(pending, event)
    }

    /// Marks all observations that a kind of change may affect, because the changed rows aren't known.
    func matchAllRows(_ kind: DatabaseEventKind, _ notify: (any RunningObservation) -> Void) {
        for pending in all where !pending.isAffected && pending.entry.concerns(kind) { markAffected(pending, notify) }
        everyRow.removeAll(where: \.isAffected)
    }

    private func markAffected(_ pending: Pending, _ notify: (any RunningObservation) -> Void) {
        pending.isAffected = true
        notify(pending.entry.member)
    }

    /// Whether a row has the tracked values in all columns of an entry, before or after the change.
    private func meets(_ pending: Pending, _ event: DatabasePreUpdateEvent) -> Bool {
        let values = pending.entry.rows.values
        // Without tracked values, each row qualifies. So does a row that was found by its rowid.
        if values.isEmpty || pending.entry.rows.rowIDs != nil { return true }
        func meets(_ value: (Int) -> DatabaseValue?) -> Bool {
            values.allSatisfy { column, values in
                guard let position = position(of: column, event) else { return true }
                return value(position).map { values.contains($0.integerIfEqual) } ?? false
            }
        }
        return meets(event.initialDatabaseValue(atIndex:)) || meets(event.finalDatabaseValue(atIndex:))
    }

    private func position(of column: TableName, _ event: DatabasePreUpdateEvent) -> Int? {
        if let columns { return columns[column] }
        let names = event.columnNames.enumerated().map { (TableName($0.element), $0.offset) }
        let columns = Dictionary(names, uniquingKeysWith: { first, _ in first })
        self.columns = columns
        return columns[column]
    }

    /// Whether the change of a tracked row affects an entry.
    private func concerns(_ pending: Pending, _ event: DatabasePreUpdateEvent) -> Bool {
        guard event.kind == .update else { return true }
        if event.initialRowID != event.finalRowID { return true }
        switch pending.entry.member.trigger {
        case .writes: return pending.isUpdated
        case .changes: return changesValues(pending, event)
        }
    }

    private func changesValues(_ pending: Pending, _ event: DatabasePreUpdateEvent) -> Bool {
        guard let positions = positions(pending, event) else {
            return (0..<event.count).contains(where: event.changesValue(atIndex:))
        }
        return positions.contains(where: event.changesValue(atIndex:))
    }

    private func positions(_ pending: Pending, _ event: DatabasePreUpdateEvent) -> [Int]? {
        if let positions = pending.positions { return positions }
        let positions = pending.entry.columns.map { $0.compactMap { position(of: $0, event) } }
        pending.positions = .some(positions)
        return positions
    }
}
