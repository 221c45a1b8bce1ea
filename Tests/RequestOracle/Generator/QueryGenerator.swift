/// Makes queries for the tables of a world.
struct QueryGenerator {
    var random: Random
    let world: World
    private var sourceCount = 0
    private var keyCount = 0
    /// The columns of each source.
    private(set) var columns: [Int: [String]] = [:]

    init(_ world: World, random: Random) {
        self.world = world
        self.random = random
    }

    /// The sources that an expression may name.
    struct Scope {
        /// The source of the clause, whose columns need no alias.
        var current: Int
        var others: [Int] = []

        var all: [Int] { [current] + others }
    }

    mutating func query() -> Query {
        switch random.next(below: 16) {
        case 0, 1: .compound(compound())
        case 2, 3: .select(grouped())
        case 4, 5: .select(windowed())
        case 6, 7: .select(aggregated())
        case 8, 9: .select(prefetching())
        case 10: .select(withCommonTable())
        case 11...13: .select(joined())
        default: .select(plain())
        }
    }

    // MARK: - Sources

    mutating func branch() -> Branch { branch(random.pick(world.tables).name) }

    mutating func branch(_ table: String) -> Branch {
        let branch = Branch(source: sourceCount, origin: .table(table))
        columns[sourceCount] = world.table(table).columns.map(\.name)
        sourceCount += 1
        return branch
    }

    mutating func branch(_ table: CommonTable) -> Branch {
        let branch = Branch(source: sourceCount, origin: .commonTable(table))
        columns[sourceCount] = (0..<table.columnCount).map { "c\($0)" }
        sourceCount += 1
        return branch
    }

    mutating func newKey() -> String {
        keyCount += 1
        return "k\(keyCount)"
    }

    /// The primary key of a table, or nil for a common table expression.
    func key(_ table: Branch) -> Expr? {
        guard case .table(let name) = table.origin else { return nil }
        return .column(source: table.source, name: world.table(name).key.name, isAliased: true)
    }

    // MARK: - Requests

    private mutating func plain() -> Select {
        var select = Select(table: branch())
        let scope = Scope(current: select.table.source)
        select.table.filters = conditions(scope)
        finish(&select, scope)
        return select
    }

    mutating func joined() -> Select {
        var select = Select(table: branch())
        var scope = Scope(current: select.table.source)
        for _ in 0..<random.count(1...2) { addJoin(to: &select.table, &scope, isOptional: false, depth: 0) }
        select.table.filters = conditions(scope)
        finish(&select, scope)
        return select
    }

    private mutating func prefetching() -> Select {
        var select = Select(table: branch())
        var scope = Scope(current: select.table.source)
        if random.chance(30) { addJoin(to: &select.table, &scope, isOptional: false, depth: 1) }
        addPrefetch(to: &select.table, depth: 0)
        if random.chance(30) { addPrefetch(to: &select.table, depth: 1) }
        select.table.filters = conditions(Scope(current: select.table.source))
        if random.chance(40) { select.table.orders = orders(Scope(current: select.table.source)) + total(select.table) }
        if random.chance(20) { select.limit = limit() }
        return select
    }

    private mutating func grouped() -> Select {
        var select = Select(table: branch())
        var scope = Scope(current: select.table.source)
        if random.chance(30) { addJoin(to: &select.table, &scope, isOptional: false, depth: 1, isPlain: true) }
        select.table.filters = conditions(scope)
        if random.chance(80) { select.groups = (0..<random.count(1...2)).map { _ in term(scope) } }
        var selection = select.groups.map { Selected(expression: $0) }
        for _ in 0..<random.count(1...3) { selection.append(Selected(expression: aggregateValue(scope))) }
        if random.chance(15) { selection.append(Selected(expression: column(scope))) }
        for index in selection.indices where random.chance(30) { selection[index].key = newKey() }
        select.table.selection = selection
        if random.chance(40) && !select.groups.isEmpty {
            select.groupFilters = [
                .comparison(comparison(), .aggregate(aggregate(scope)), .value(.integer(Int64(random.count(0...3)))))
            ]
        }
        if random.chance(40) && !select.groups.isEmpty {
            select.table.orders = select.groups.map {
                Order(term: $0, direction: random.pick(Order.Direction.allCases))
            }
        }
        if random.chance(15) { select.isDistinct = true }
        if random.chance(20) { select.limit = limit() }
        return select
    }

    private mutating func windowed() -> Select {
        var select = Select(table: branch())
        var scope = Scope(current: select.table.source)
        if random.chance(25) { addJoin(to: &select.table, &scope, isOptional: false, depth: 1, isPlain: true) }
        select.table.filters = conditions(scope)
        var selection = [Selected(expression: key(select.table)!)]
        for _ in 0..<random.count(1...2) { selection.append(Selected(expression: windowValue(scope, select.table))) }
        select.table.selection = selection
        if random.chance(30) { select.table.orders = orders(scope) }
        return select
    }

    private mutating func aggregated() -> Select {
        var select = Select(table: branch())
        let scope = Scope(current: select.table.source)
        for _ in 0..<random.count(1...2) {
            guard var association = toMany(select.table) else { break }
            var table = branch(association.step.destination)
            if random.chance(30) { table.filters = conditions(Scope(current: table.source)) }
            connectPivot(of: &association)
            let columns = columns[table.source]!
            let uses = (0..<random.count(1...3)).map { _ in
                AggregatedJoin.Use(
                    name: random.pick(AggregatedJoin.Name.allCases), column: random.pick(columns),
                    condition: nil, key: newKey())
            }
            select.table.aggregates.append(AggregatedJoin(association: association, table: table, uses: uses))
        }
        if random.chance(40), !select.table.aggregates.isEmpty {
            let index = random.next(below: select.table.aggregates[0].uses.count)
            select.table.aggregates[0].uses[index].condition = (comparison(), Int64(random.count(0...2)))
        }
        select.table.filters = conditions(scope)
        if random.chance(30) { select.table.orders = orders(scope) }
        if random.chance(20) { select.limit = limit() }
        return select
    }

    /// Adds selection, annotations, order and limit.
    private mutating func finish(_ select: inout Select, _ scope: Scope) {
        if random.chance(40) {
            select.table.selection = (0..<random.count(1...3)).map { _ in
                Selected(expression: value(scope, depth: 2), key: random.chance(25) ? newKey() : nil)
            }
        }
        if random.chance(20) {
            select.table.annotations = [
                Selected(expression: value(scope, depth: 2), key: random.chance(70) ? newKey() : nil)
            ]
        }
        if random.chance(20), !select.table.joins.contains(where: { $0.hasIncludedRows || $0.mode == .includingAll }) {
            select.isDistinct = true
        }
        if random.chance(50) {
            if select.isDistinct, let selection = select.table.selection {
                let terms = selection.map(\.expression).filter { !$0.isConstant }
                if !terms.isEmpty {
                    select.table.orders = [
                        Order(term: random.pick(terms), direction: random.pick(Order.Direction.allCases))
                    ]
                }
            } else {
                select.table.orders = orders(scope)
                if random.chance(40) { select.table.orders += total(select.table) }
            }
            select.table.isReversed = random.chance(20)
        }
        if random.chance(25) { select.limit = limit() }
    }

    /// The order by the primary key.
    func total(_ table: Branch) -> [Order] { key(table).map { [Order(term: $0)] } ?? [] }

    mutating func orders(_ scope: Scope) -> [Order] {
        (0..<random.count(1...2)).map { _ in order(scope) }
    }

    mutating func order(_ scope: Scope) -> Order {
        Order(term: term(scope), direction: random.pick(Order.Direction.allCases))
    }

    mutating func limit() -> Limit {
        Limit(count: random.pick([0, 1, 2, 3, 5, -1]), offset: random.chance(40) ? random.count(0...3) : nil)
    }
}

extension Expr {
    /// Whether the expression names no column.
    var isConstant: Bool {
        switch self {
        case .column, .aggregate, .window, .windowFunction, .inQuery, .exists, .scalar: false
        default: parts.allSatisfy(\.isConstant)
        }
    }
}
