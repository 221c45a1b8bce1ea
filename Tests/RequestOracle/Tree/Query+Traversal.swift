extension Query {
    /// Calls a closure with all expressions of the query and of its subqueries.
    func forEachExpression(_ body: (Expr) -> Void) {
        switch self {
        case .select(let select):
            select.table.forEachExpression(body)
            for expression in select.groups + select.groupFilters { expression.forEach(body) }
            for table in select.commonTables { table.query.forEachExpression(body) }
        case .compound(let compound):
            compound.first.forEachExpression(body)
            for member in compound.others { member.query.forEachExpression(body) }
        }
    }
}

extension Branch {
    func forEachExpression(_ body: (Expr) -> Void) {
        for selected in (selection ?? []) + annotations { selected.expression.forEach(body) }
        for expression in filters + orders.map(\.term) { expression.forEach(body) }
        for join in joins {
            join.association.pivot?.table.forEachExpression(body)
            join.table.forEachExpression(body)
        }
        for join in aggregates {
            join.association.pivot?.table.forEachExpression(body)
            join.table.forEachExpression(body)
        }
        if case .commonTable(let table) = origin { table.query.forEachExpression(body) }
    }
}

extension Expr {
    /// Calls a closure with the expression and all of its operands, also those in subqueries.
    func forEach(_ body: (Expr) -> Void) {
        body(self)
        for part in allParts { part.forEach(body) }
        switch self {
        case .inQuery(_, let query), .exists(let query), .scalar(let query): query.forEachExpression(body)
        default: break
        }
    }

    private var allParts: [Expr] {
        switch self {
        case .aggregate(let aggregate): aggregate.allParts
        case .window(let aggregate, let window): aggregate.allParts + window.parts
        case .windowFunction(_, let arguments, let window): arguments + window.parts
        default: parts
        }
    }
}

extension Aggregate {
    fileprivate var allParts: [Expr] { [argument, filter, order?.term].compactMap(\.self) }
}

extension Window {
    fileprivate var parts: [Expr] { partitions + orders.map(\.term) }
}
