import AmalgamCore

/// What is known of the transaction under way: used on the writing connection only.
///
/// Rows tell exactly whom a transaction concerns, among those whose regions were known when it began to write. Who comes
/// later, or gets another region, is judged by the kinds of change that the statements of the transaction may have made.
/// These are known for all statements, and cost nothing for each row.
struct TransactionMarks {
    /// What was tracked when the transaction began to write.
    let index: RegionIndex
    let stamp: Int

    /// Whether the transaction may have written before the hub was there: nobody knows what.
    let isPartial: Bool

    private(set) var kinds: Set<DatabaseEventKind> = []
    private(set) var members: [ObjectIdentifier: any HubMember] = [:]

    /// Those who are concerned by changes that were announced: who has made them, and when, is not known.
    private(set) var announced: Set<ObjectIdentifier> = []

    /// Nil for tables that nobody tracks.
    private var routes: [String: TableRoute?] = [:]
    private var recentRoute: (table: String, route: TableRoute?)?

    init(_ index: RegionIndex, stamp: Int, isPartial: Bool = false) {
        self.index = index
        self.stamp = stamp
        self.isPartial = isPartial
    }

    /// A statement may make a kind of change.
    ///
    /// - Returns: whether somebody must hear of the rows.
    mutating func expect(_ kind: DatabaseEventKind) -> Bool {
        kinds.insert(kind)
        return route(kind.tableName)?.expect(kind) ?? false
    }

    /// A row changes.
    mutating func follow(_ event: DatabasePreUpdateEvent) {
        route(event.tableName)?.follow(event) { members[$0.id] = $0 }
    }

    /// A row changes in a savepoint.
    ///
    /// - Parameter held: who is already known to be concerned if the savepoint is released.
    mutating func hold(_ event: DatabasePreUpdateEvent, _ held: HeldMarks?) -> HeldMarks? {
        guard let route = route(event.tableName) else { return held }
        let held = held ?? HeldMarks()
        route.follow(event, held.marks(of: route))
        return held
    }

    /// A savepoint is released.
    mutating func mark(_ held: HeldMarks) {
        for (route, marks) in held.routes { route.mark(marks) { members[$0.id] = $0 } }
    }

    /// The rows that change are not known.
    mutating func followAll(_ kind: DatabaseEventKind) {
        kinds.insert(kind)
        route(kind.tableName)?.followAll(kind) {
            members[$0.id] = $0
            announced.insert($0.id)
        }
    }

    private mutating func route(_ table: String) -> TableRoute? {
        if let recentRoute, recentRoute.table == table { return recentRoute.route }
        let route: TableRoute?
        if let known = routes[table] {
            route = known
        } else {
            let entries = index.entries(of: table)
            route = entries.isEmpty ? nil : TableRoute(entries)
            routes[table] = .some(route)
        }
        recentRoute = (table, route)
        return route
    }
}

/// Those whom a transaction concerns if a savepoint is released.
final class HeldMarks {
    private(set) var routes: [(route: TableRoute, marks: TableRoute.HeldMarks)] = []

    func marks(of route: TableRoute) -> TableRoute.HeldMarks {
        if let known = routes.first(where: { $0.route === route }) { return known.marks }
        let marks = TableRoute.HeldMarks(route)
        routes.append((route, marks))
        return marks
    }
}
