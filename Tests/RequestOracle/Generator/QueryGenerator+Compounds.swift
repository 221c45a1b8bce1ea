extension QueryGenerator {
    mutating func compound() -> Compound {
        let width = random.count(1...2)
        var compound = Compound(first: .select(member(width)), others: [])
        for _ in 0..<random.count(1...2) {
            compound.others.append(
                Compound.Member(
                    compoundOperator: random.pick(Compound.Operator.allCases), query: .select(member(width))))
        }
        if random.chance(50) { compound.orders = [(random.next(below: width), random.chance(50))] }
        if random.chance(30) { compound.limit = limit() }
        return compound
    }

    /// Returns a request that selects columns with the names `c0`, `c1`.
    mutating func member(_ width: Int, isCorrelatedWith scope: Scope? = nil) -> Select {
        var select = Select(table: branch())
        let own = Scope(current: select.table.source)
        select.table.selection = (0..<width).map { index in
            Selected(expression: random.chance(80) ? column(own) : value(own, depth: 1), key: "c\(index)")
        }
        let outer = scope.map { Scope(current: own.current, others: $0.all) } ?? own
        select.table.filters = conditions(outer)
        if random.chance(10) { select.isDistinct = true }
        if random.chance(15) {
            // A limit of a subquery needs an order that determines its rows.
            select.table.orders = select.isDistinct ? [] : total(select.table)
            if !select.isDistinct { select.limit = limit() }
        }
        return select
    }

    mutating func withCommonTable() -> Select {
        var table = CommonTable(name: "cte", columnCount: random.count(1...2), query: .select(member(1)))
        if random.chance(35) {
            table.columnCount = 1
            table.query = .select(counterBase())
            table.step = RecursiveStep(
                isUnionAll: random.chance(50), increment: Int64(random.count(1...3)), limit: Int64(random.count(2...8)))
        } else if random.chance(40) {
            var compound = compound()
            if random.chance(70) { compound.limit = nil }
            table.query = .compound(compound)
            table.columnCount = compound.width
        } else {
            table.query = .select(member(table.columnCount))
        }
        var select: Select
        if random.chance(50) {
            select = Select(table: branch(table))
            let scope = Scope(current: select.table.source)
            select.table.filters = conditions(scope)
            if random.chance(40) { select.table.orders = orders(scope) }
        } else {
            select = Select(table: branch())
            join(table, to: &select)
        }
        select.commonTables = [table]
        if random.chance(20) { select.limit = limit() }
        return select
    }

    /// Joins a common table expression by a condition on two columns.
    private mutating func join(_ table: CommonTable, to select: inout Select) {
        guard case .table(let origin) = select.table.origin else { return }
        let joined = branch(table)
        let step = Association.Step(
            kind: .condition, origin: origin, destination: table.name,
            originColumn: random.pick(columns[select.table.source]!), destinationColumn: "c0", isInferred: false,
            key: newKey())
        let mode = random.pick([
            Joined.Mode.includingRequired, .includingOptional, .joiningRequired, .joiningOptional,
            .annotatedWithRequired, .annotatedWithOptional,
        ])
        select.table.joins = [Joined(mode: mode, association: Association(step: step), table: joined)]
        let scope = Scope(current: select.table.source, others: [joined.source])
        select.table.filters = conditions(scope)
        if random.chance(40) { select.table.orders = orders(scope) }
    }

    /// Integers to count from.
    private mutating func counterBase() -> Select {
        var select = Select(table: branch())
        let column = column(Scope(current: select.table.source))
        select.table.selection = [Selected(expression: .cast(column, .integer), key: "c0")]
        return select
    }
}

extension Compound {
    /// The number of columns.
    var width: Int {
        switch first {
        case .select(let select): select.table.selection?.count ?? 0
        case .compound(let compound): compound.width
        }
    }
}
