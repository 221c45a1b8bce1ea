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

    /// Those who track rows with some values in a column.
    private struct ValueRoute {
        let column: TableName
        var byValue: [DatabaseValue: [Pending]] = [:]
    }

    /// Those who track all rows, and have not been marked yet.
    private var everyRow: [Pending] = []
    /// Those who track some rows.
    private var byRowID: [Int64: [Pending]] = [:]
    private var byColumn: [ValueRoute] = []
    private let all: [Pending]

    /// The columns of the table by their positions, once they are needed.
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
            if index == byColumn.endIndex { byColumn.append(ValueRoute(column: column)) }
            for value in values { byColumn[index].byValue[value, default: []].append(pending) }
        } else {
            everyRow.append(pending)
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
        if !byRowID.isEmpty {
            if let rowID = event.initialRowID { follow(event, byRowID[rowID], mark) }
            if let rowID = event.finalRowID, rowID != event.initialRowID { follow(event, byRowID[rowID], mark) }
        }
        for route in byColumn { follow(event, route, mark) }
    }

    private func follow(_ event: DatabasePreUpdateEvent, _ route: ValueRoute, _ mark: (any HubMember) -> Void) {
        guard let position = position(of: route.column, event) else {
            for pendings in route.byValue.values { follow(event, pendings, mark) }
            return
        }
        if let value = event.initialDatabaseValue(atIndex: position)?.integerIfEqual {
            follow(event, route.byValue[value], mark)
        }
        if let value = event.finalDatabaseValue(atIndex: position)?.integerIfEqual {
            follow(event, route.byValue[value], mark)
        }
    }

    private func follow(_ event: DatabasePreUpdateEvent, _ pendings: [Pending]?, _ mark: (any HubMember) -> Void) {
        for pending in pendings ?? [] where !pending.isMarked && meets(pending, event) && concerns(pending, event) {
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

    /// Whether a row has the values that an entry tracks, in all of its columns, before its change or after it.
    private func meets(_ pending: Pending, _ event: DatabasePreUpdateEvent) -> Bool {
        let values = pending.entry.rows.values
        // One column has been looked at, and a rowid tells all.
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
            event.initialDatabaseValue(atIndex: index) != event.finalDatabaseValue(atIndex: index)
        }
        guard let positions = positions(pending, event) else { return (0..<event.count).contains(where: changes) }
        return positions.contains(where: changes)
    }

    private func positions(_ pending: Pending, _ event: DatabasePreUpdateEvent) -> [Int]? {
        if let positions = pending.positions { return positions }
        let positions = pending.entry.columns.map { $0.compactMap { position(of: $0, event) } }
        pending.positions = .some(positions)
        return positions
    }
}
