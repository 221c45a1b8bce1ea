import CAmalgam

/// The observers that receive the row changes of one statement.
///
/// Before a statement runs, observers are asked about all kinds of change that the statement is known to make, once per
/// transaction. If they observe none, SQLite's pre-update hook isn't installed. Some changes can't be foreseen: those
/// of a trigger that another connection has just created, of a changeset, of a write through a blob handle, or of C
/// code. Observers are asked about such a change when it happens. Rows of SQLite's own tables are never reported. Rows
/// of shadow tables, in which virtual tables store data, are reported if a statement names the shadow table.
final class StatementListeners {
    /// The generation of the broker for which the listeners are valid.
    let generation: UInt64

    /// Whether no observer receives events of the foreseen changes, and no observer receives all events.
    let isEmpty: Bool

    /// Whether an observer receives deletions. If so, SQLite must delete rows one by one.
    let includesDeletions: Bool

    /// The observers of virtual tables, whose row changes SQLite doesn't report.
    let listenersWithoutRows: [ObserverRegistration]

    /// The observed kinds of change in virtual tables.
    let kindsWithoutRows: [DatabaseEventKind]

    private let registrations: [ObserverRegistration]
    private let foreseenKinds: [DatabaseEventKind]
    /// The observers of each foreseen kind.
    private let listeners: [[ObserverRegistration]]

    private var allChangeListeners: [ChangeListeners] = []
    private var recentChangeListeners: ChangeListeners?

    init(
        foreseenKinds: [DatabaseEventKind], virtualTables: Set<TableName>, registrations: [ObserverRegistration],
        generation: UInt64
    ) {
        self.generation = generation
        self.registrations = registrations
        self.foreseenKinds = foreseenKinds
        // Each observer is asked about all kinds before the next observer is asked.
        var listeners: [[ObserverRegistration]] = foreseenKinds.map { _ in [] }
        for registration in registrations {
            for (index, kind) in foreseenKinds.enumerated() where registration.observes(kind) {
                listeners[index].append(registration)
            }
        }
        self.listeners = listeners
        let observed = zip(foreseenKinds, listeners).filter { !$0.1.isEmpty }
        isEmpty = observed.isEmpty && !registrations.contains(where: \.observesAllEvents)
        includesDeletions = observed.contains { $0.0.operation == SQLITE_DELETE }
        let observedWithoutRows =
            virtualTables.isEmpty ? [] : observed.filter { virtualTables.contains(TableName($0.0.tableName)) }
        kindsWithoutRows = observedWithoutRows.map(\.0)
        let listening = observedWithoutRows.flatMap(\.1)
        listenersWithoutRows = registrations.filter { registration in listening.contains { $0 === registration } }
    }

    /// The listeners of one operation on one table.
    final class ChangeListeners {
        fileprivate let operation: CInt
        // SQLite passes the same pointers until the schema changes.
        fileprivate let schemaPointer: UnsafePointer<CChar>
        fileprivate let tablePointer: UnsafePointer<CChar>
        let table: EventTable
        /// The observers that receive the events; nil if they must be asked for each event.
        let listeners: [ObserverRegistration]?
        /// The element of `listeners` if there is exactly one, which is the common case.
        let onlyListener: ObserverRegistration?
        let isEmpty: Bool

        fileprivate init(_ change: RowChange, table: EventTable, listeners: [ObserverRegistration]?) {
            operation = change.operation
            schemaPointer = change.schema
            tablePointer = change.table
            self.table = table
            self.listeners = listeners
            onlyListener = listeners?.count == 1 ? listeners?.first : nil
            isEmpty = listeners?.isEmpty ?? false
        }

        fileprivate func matches(_ change: RowChange) -> Bool {
            tablePointer == change.table && operation == change.operation && schemaPointer == change.schema
        }
    }

    func changeListeners(of change: RowChange) -> ChangeListeners {
        if let recentChangeListeners, recentChangeListeners.matches(change) { return recentChangeListeners }
        let changeListeners = allChangeListeners.first { $0.matches(change) } ?? makeChangeListeners(change)
        recentChangeListeners = changeListeners
        return changeListeners
    }

    /// Discards the listeners by table, which depend on the schema.
    func schemaDidChange() {
        allChangeListeners = []
        recentChangeListeners = nil
    }

    private func makeChangeListeners(_ change: RowChange) -> ChangeListeners {
        let names = EventNames(schema: String(cString: change.schema), table: String(cString: change.table))
        let changeListeners = ChangeListeners(
            change, table: EventTable(names), listeners: listeners(of: change, table: names.table))
        allChangeListeners.append(changeListeners)
        return changeListeners
    }

    private func listeners(of change: RowChange, table: String) -> [ObserverRegistration]? {
        let index = foreseenKinds.firstIndex { $0.isOf(change.operation, table: table) }
        if let index { return listeners[index] }
        if change.isShadow || table.hasPrefix("sqlite_") { return [] }
        switch change.operation {
        case SQLITE_INSERT: return listeners(of: .insert(tableName: table))
        case SQLITE_DELETE: return listeners(of: .delete(tableName: table))
        default: return nil
        }
    }

    /// The observers of an unforeseen change.
    private func listeners(of kind: DatabaseEventKind) -> [ObserverRegistration] {
        registrations.filter { $0.observes(kind) }
    }
}

/// The arguments of SQLite's pre-update hook. The pointers are valid during its call.
struct RowChange {
    var operation: CInt
    var schema: UnsafePointer<CChar>
    var table: UnsafePointer<CChar>
    var oldRowID: Int64
    var newRowID: Int64
    var hasRowID: Bool
    var isShadow: Bool
}
