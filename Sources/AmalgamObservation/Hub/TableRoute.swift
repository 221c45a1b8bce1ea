import AmalgamCore

/// The way of the row changes of one table to those who track it, during one transaction.
///
/// Who is known to be concerned needs not hear of further rows: entries leave the route when they are marked.
final class TableRoute {
    private final class Pending {
        let entry: RegionIndex.Entry
        var isMarked = false
        /// Whether a statement of the transaction updates a tracked column, whatever the values.
        var isUpdated = false
        /// The positions of the tracked columns, once they are needed; nil for all columns.
        var positions: [Int]??

        init(_ entry: RegionIndex.Entry) {
            self.entry = entry
        }
    }

    /// Those who track all rows, and have not been marked yet.
    private var everyRow: [Pending] = []
    /// Those who track some rows.
    private var byRowID: [Int64: [Pending]] = [:]
    private let all: [Pending]

    init(_ entries: [RegionIndex.Entry]) {
        all = entries.map(Pending.init)
        for pending in all {
            guard let rowIDs = pending.entry.rowIDs else {
                everyRow.append(pending)
                continue
            }
            for rowID in rowIDs { byRowID[rowID, default: []].append(pending) }
        }
    }

    /// A statement may make a kind of change.
    ///
    /// - Returns: whether somebody must hear of the rows.
    func expect(_ kind: DatabaseEventKind) -> Bool {
        var isInteresting = false
        for pending in all where !pending.isMarked && pending.entry.concerns(kind) {
            if case .update = kind { pending.isUpdated = true }
            isInteresting = true
        }
        return isInteresting
    }

    /// A row changes. Calls a closure with those who must know.
    func follow(_ event: DatabasePreUpdateEvent, _ mark: (any HubMember) -> Void) {
        if !everyRow.isEmpty {
            for pending in everyRow where concerns(pending, event) { self.mark(pending, mark) }
            everyRow.removeAll(where: \.isMarked)
        }
        guard !byRowID.isEmpty else { return }
        if let rowID = event.initialRowID { follow(event, rowID, mark) }
        if let rowID = event.finalRowID, rowID != event.initialRowID { follow(event, rowID, mark) }
    }

    private func follow(_ event: DatabasePreUpdateEvent, _ rowID: Int64, _ mark: (any HubMember) -> Void) {
        for pending in byRowID[rowID] ?? [] where !pending.isMarked && concerns(pending, event) {
            self.mark(pending, mark)
        }
    }

    /// The rows that change are not known. Calls a closure with those who must know.
    func followAll(_ kind: DatabaseEventKind, _ mark: (any HubMember) -> Void) {
        for pending in all where !pending.isMarked && pending.entry.concerns(kind) { self.mark(pending, mark) }
        everyRow.removeAll(where: \.isMarked)
    }

    private func mark(_ pending: Pending, _ mark: (any HubMember) -> Void) {
        pending.isMarked = true
        mark(pending.entry.member)
    }

    /// Whether the change of a row concerns an entry that tracks it.
    private func concerns(_ pending: Pending, _ event: DatabasePreUpdateEvent) -> Bool {
        guard event.kind == .update else { return true }
        if event.initialRowID != event.finalRowID { return true }
        switch pending.entry.member.trigger {
        case .writes: return pending.isUpdated
        case .changes: return changesValues(pending, event)
        }
    }

    private func changesValues(_ pending: Pending, _ event: DatabasePreUpdateEvent) -> Bool {
        func changes(_ index: Int) -> Bool {
            // By storage: a fetch can tell 1 from 1.0, which are equal as values.
            event.initialDatabaseValue(atIndex: index)?.storage != event.finalDatabaseValue(atIndex: index)?.storage
        }
        guard let positions = positions(pending, event) else { return (0..<event.count).contains(where: changes) }
        return positions.contains(where: changes)
    }

    private func positions(_ pending: Pending, _ event: DatabasePreUpdateEvent) -> [Int]? {
        if let positions = pending.positions { return positions }
        let positions = pending.entry.columns.map { columns in
            event.columnNames.enumerated().filter { columns.contains(TableName($0.element)) }.map(\.offset)
        }
        pending.positions = .some(positions)
        return positions
    }
}
