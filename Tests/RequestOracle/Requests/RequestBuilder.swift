import Amalgam

/// Makes requests of the query interface from queries, as an application would write them.
final class RequestBuilder {
    private var aliases: [Int: TableAlias<Void>] = [:]

    /// The sources that expressions name by an alias. Other tables have no alias.
    private let aliased: Set<Int>

    init(_ query: Query) {
        var aliased: Set<Int> = []
        query.forEachExpression { expression in
            if case .column(let source, _, true) = expression { aliased.insert(source) }
        }
        self.aliased = aliased
    }

    /// Returns the alias of a source.
    func alias(_ source: Int) -> TableAlias<Void> {
        if let alias = aliases[source] { return alias }
        let alias = TableAlias()
        aliases[source] = alias
        return alias
    }

    func request(_ query: Query) -> any FetchRequest<Row> {
        switch query {
        case .select(let select): request(select)
        case .compound(let compound): request(compound)
        }
    }

    func request(_ select: Select) -> QueryInterfaceRequest<Row> {
        let table = select.table
        var request =
            switch table.origin {
            case .table(let name): refined(Table(name).all(), table)
            case .commonTable(let commonTable): refined(self.commonTable(commonTable).all(), table)
            }
        for commonTable in select.commonTables { request = request.with(self.commonTable(commonTable)) }
        if !select.groups.isEmpty { request = request.group(select.groups.map { expression($0, table.source) }) }
        for condition in select.groupFilters { request = request.having(expression(condition, table.source)) }
        if select.isDistinct { request = request.distinct() }
        if let limit = select.limit { request = request.limit(limit.count, offset: limit.offset) }
        return request
    }

    // MARK: - Clauses

    /// Applies the clauses that requests and associations have in common.
    func refined<R: DerivableRequest<Row>>(_ request: R, _ table: Branch) -> R {
        var request = request
        if aliased.contains(table.source) { request = request.aliased(alias(table.source)) }
        if let selection = table.selection { request = request.select(selections(selection, table)) }
        if !table.annotations.isEmpty { request = request.annotated(with: selections(table.annotations, table)) }
        for condition in table.filters { request = request.filter(expression(condition, table.source)) }
        for join in table.joins { request = joined(request, join) }
        for join in table.aggregates {
            request = combined(request, join.association, join.table, .aggregates(join.uses))
        }
        if !table.orders.isEmpty { request = request.order(table.orders.map { ordering($0, table.source) }) }
        return table.isReversed ? request.reversed() : request
    }

    private func selections(_ selection: [Selected], _ table: Branch) -> [any SQLSelectable] {
        selection.map { selected in
            let value = expression(selected.expression, table.source)
            return selected.key.map { value.forKey($0) } ?? value
        }
    }

    func ordering(_ order: Order, _ source: Int) -> any SQLOrderingTerm {
        let term = expression(order.term, source)
        return switch order.direction {
        case .unstated: term
        case .asc: term.asc
        case .desc: term.desc
        case .ascNullsLast: term.ascNullsLast
        case .descNullsFirst: term.descNullsFirst
        }
    }

    // MARK: - Common table expressions

    func commonTable(_ table: CommonTable) -> CommonTableExpression<Row> {
        let columns = (0..<table.columnCount).map { "c\($0)" }
        let base = request(table.query)
        guard let step = table.step else {
            return CommonTableExpression(named: table.name, columns: columns, request: base.sqlSubquery)
        }
        let next = Table(table.name)
            .select([Column("c0") + step.increment])
            .filter(Column("c0") < step.limit)
        return CommonTableExpression(
            recursive: true, named: table.name, columns: columns,
            request: append(next, step.isUnionAll ? .unionAll : .union, to: base))
    }

    // MARK: - Compound requests

    func request(_ compound: Compound) -> CompoundRequest<Row> {
        var others = compound.others.map { ($0.compoundOperator, request($0.query)) }[...]
        let (firstOperator, second) = others.removeFirst()
        let first: any FetchRequest<Row> = request(compound.first)
        var result = append(second, firstOperator, to: first)
        for (compoundOperator, other) in others {
            result = append(other, compoundOperator, to: result)
        }
        if !compound.orders.isEmpty {
            result = result.order(compound.orders.map { Column("c\($0.column)").directed($0.isDescending) })
        }
        return compound.limit.map { result.limit($0.count, offset: $0.offset) } ?? result
    }

    private func append(
        _ second: any FetchRequest<Row>, _ compoundOperator: Compound.Operator, to first: any FetchRequest<Row>
    ) -> CompoundRequest<Row> {
        func combined(_ first: some FetchRequest<Row>, _ second: some FetchRequest<Row>) -> CompoundRequest<Row> {
            switch compoundOperator {
            case .union: first.union(second)
            case .unionAll: first.unionAll(second)
            case .intersect: first.intersect(second)
            case .except: first.except(second)
            }
        }
        return combined(first, second)
    }
}

extension Column {
    fileprivate func directed(_ isDescending: Bool) -> any SQLOrderingTerm { isDescending ? desc : self }
}
