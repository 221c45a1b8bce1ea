import CAmalgam

/// Those who want to hear of the row changes of one statement.
///
/// Observers are asked about all kinds of change that a statement is known to make before it runs, once per
/// transaction. The answers decide whether rows are reported at all. Some changes cannot be foreseen: those of a trigger
/// that another connection has just created, of a changeset, of a write through a blob handle, or of C code that runs
/// statements of its own. About these, observers are asked when the change comes.
///
/// The rows of SQLite's own tables are never reported. Those of shadow tables, where a virtual table keeps its data, are
/// reported when a statement names the shadow table.
final class Audience {
    /// The state of the broker that this audience was made for.
    let generation: UInt64

    /// Whether no observer receives events: of the changes that can be foreseen, or of all changes.
    let isEmpty: Bool

    /// Whether somebody wants to hear of deletions. Then SQLite must delete rows one by one.
    let includesDeletions: Bool

    /// Those who want to hear of changes in virtual tables, whose rows SQLite does not report.
    let listenersWithoutRows: [ObserverRegistration]

    /// What they may be told of.
    let kindsWithoutRows: [DatabaseEventKind]

    private let registrations: [ObserverRegistration]
    private let foreseenKinds: [DatabaseEventKind]
    /// One element per kind.
    private let listeners: [[ObserverRegistration]]

    // Neither is used while it changes.
    @exclusivity(unchecked)
    private var routes: [Route] = []
    @exclusivity(unchecked)
    private var recentRoute: Route?

    init(
        foreseenKinds: [DatabaseEventKind], virtualTables: Set<String>, registrations: [ObserverRegistration],
        generation: UInt64
    ) {
        self.generation = generation
        self.registrations = registrations
        self.foreseenKinds = foreseenKinds
        // Each observer is asked about all kinds before the next one is.
        var listeners: [[ObserverRegistration]] = foreseenKinds.map { _ in [] }
        for registration in registrations {
            for (index, kind) in foreseenKinds.enumerated() where registration.observes(kind) {
                listeners[index].append(registration)
            }
        }
        self.listeners = listeners
        let heard = zip(foreseenKinds, listeners).filter { !$0.1.isEmpty }
        isEmpty = heard.isEmpty && !registrations.contains(where: \.observesAllEvents)
        includesDeletions = heard.contains { $0.0.operation == SQLITE_DELETE }
        let heardWithoutRows = heard.filter { virtualTables.contains($0.0.tableName) }
        kindsWithoutRows = heardWithoutRows.map(\.0)
        let listening = heardWithoutRows.flatMap(\.1)
        listenersWithoutRows = registrations.filter { registration in listening.contains { $0 === registration } }
    }

    /// The way of the events of one operation on one table.
    final class Route {
        fileprivate let operation: CInt
        // SQLite passes the same pointers as long as its schema does not change.
        fileprivate let schemaPointer: UnsafePointer<CChar>
        fileprivate let tablePointer: UnsafePointer<CChar>
        let table: EventTable
        /// Those who want to hear; nil when they must be asked for each event.
        let listeners: [ObserverRegistration]?
        /// The common case.
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

    func route(of change: RowChange) -> Route {
        if let recentRoute, recentRoute.matches(change) { return recentRoute }
        let route = routes.first { $0.matches(change) } ?? makeRoute(change)
        recentRoute = route
        return route
    }

    /// Forgets what depends on the schema.
    func schemaDidChange() {
        routes = []
        recentRoute = nil
    }

    private func makeRoute(_ change: RowChange) -> Route {
        let names = EventNames(schema: String(cString: change.schema), table: String(cString: change.table))
        let route = Route(change, table: EventTable(names), listeners: listeners(of: change, table: names.table))
        routes.append(route)
        return route
    }

    private func listeners(of change: RowChange, table: String) -> [ObserverRegistration]? {
        let index = foreseenKinds.firstIndex { $0.operation == change.operation && $0.tableName == table }
        if let index { return listeners[index] }
        if change.isShadow || table.hasPrefix("sqlite_") { return [] }
        switch change.operation {
        case SQLITE_INSERT: return listeners(of: .insert(tableName: table))
        case SQLITE_DELETE: return listeners(of: .delete(tableName: table))
        default: return nil
        }
    }

    /// Those who want to hear of a change that was not foreseen.
    private func listeners(of kind: DatabaseEventKind) -> [ObserverRegistration] {
        registrations.filter { $0.observes(kind) }
    }
}

/// What SQLite's pre-update hook tells. The pointers are good during its call.
struct RowChange {
    var operation: CInt
    var schema: UnsafePointer<CChar>
    var table: UnsafePointer<CChar>
    var oldRowID: Int64
    var newRowID: Int64
    var hasRowID: Bool
    var isShadow: Bool
}
