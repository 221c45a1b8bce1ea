/// Makes a case smaller, as long as it still fails.
struct Shrinker {
    let fails: (Case) -> Bool

    func shrunk(_ original: Case) -> Case {
        var smallest = original
        var attempts = 0
        while let smaller = smallest.smaller.first(where: { candidate in
            attempts += 1
            return attempts < 2000 && fails(candidate)
        }) {
            smallest = smaller
        }
        return smallest
    }
}

extension Case {
    /// Cases that lack one thing: a table, a row, a clause or an operand.
    fileprivate var smaller: [Case] {
        var cases = query.smaller.map { Case(world: world, query: $0) }
        for index in world.tables.indices {
            for row in world.tables[index].rows.indices {
                var smaller = self
                smaller.world.tables[index].rows.remove(at: row)
                cases.append(smaller)
            }
            cases += smallerTables(at: index)
        }
        return cases
    }

    /// Cases without the table, or with a simpler definition of it.
    private func smallerTables(at index: Int) -> [Case] {
        let table = world.tables[index]
        var cases: [Case] = []
        if world.tables.count > 1 && !isRead(table.name) {
            var smaller = self
            smaller.world.tables.remove(at: index)
            cases.append(smaller)
        }
        for column in table.columns.indices {
            if table.columns[column].reference != nil {
                var smaller = self
                smaller.world.tables[index].columns[column].reference = nil
                cases.append(smaller)
            }
            if table.columns[column].isIndexed {
                var smaller = self
                smaller.world.tables[index].columns[column].isIndexed = false
                cases.append(smaller)
            }
            if !table.columns[column].isKey && !query.columnNames.contains(table.columns[column].name) {
                var smaller = self
                smaller.world.tables[index].columns.remove(at: column)
                for row in table.rows.indices { smaller.world.tables[index].rows[row].remove(at: column) }
                cases.append(smaller)
            }
        }
        return cases
    }

    private func isRead(_ table: String) -> Bool {
        query.tableNames.contains(table)
            || world.tables.contains { $0.name != table && $0.columns.contains { $0.reference == table } }
    }
}

extension Query {
    fileprivate var smaller: [Query] {
        switch self {
        case .select(let select): return select.smaller.map { Query.select($0) }
        case .compound(let compound):
            var result = compound.others.map(\.query) + [compound.first]
            for index in compound.others.indices {
                if compound.others.count > 1 { result.append(.compound(compound.without(\.others, index))) }
                result += compound.others[index].query.smaller.filter { $0.width == self.width }.map { query -> Query in
                    var smaller = compound
                    smaller.others[index].query = query
                    return .compound(smaller)
                }
            }
            result += compound.first.smaller.filter { $0.width == self.width }.map { query -> Query in
                var smaller = compound
                smaller.first = query
                return .compound(smaller)
            }
            for index in compound.orders.indices { result.append(.compound(compound.without(\.orders, index))) }
            if compound.limit != nil {
                var smaller = compound
                smaller.limit = nil
                result.append(.compound(smaller))
            }
            return result
        }
    }

    private var width: Int? {
        switch self {
        case .select(let select): select.table.selection?.count
        case .compound(let compound): compound.first.width
        }
    }

    /// The names of the columns in expressions and associations.
    fileprivate var columnNames: Set<String> {
        var names: Set<String> = []
        forEachExpression { expression in
            if case .column(_, let name, _) = expression { names.insert(name) }
        }
        forEachAssociation { step in names.formUnion([step.originColumn, step.destinationColumn]) }
        return names
    }

    private func forEachAssociation(_ body: (Association.Step) -> Void) {
        switch self {
        case .select(let select): select.table.forEachAssociation(body)
        case .compound(let compound):
            for query in [compound.first] + compound.others.map(\.query) { query.forEachAssociation(body) }
        }
    }

    /// The names of the tables that the query reads.
    fileprivate var tableNames: Set<String> {
        var names: Set<String> = []
        collectTableNames(&names)
        forEachExpression { expression in
            switch expression {
            case .inQuery(_, let query), .exists(let query), .scalar(let query): query.collectTableNames(&names)
            default: break
            }
        }
        return names
    }

    private func collectTableNames(_ names: inout Set<String>) {
        switch self {
        case .select(let select):
            select.table.collectTableNames(&names)
            for table in select.commonTables { table.query.collectTableNames(&names) }
        case .compound(let compound):
            for query in [compound.first] + compound.others.map(\.query) { query.collectTableNames(&names) }
        }
    }
}

extension Branch {
    fileprivate func forEachAssociation(_ body: (Association.Step) -> Void) {
        for (association, table) in joins.map({ ($0.association, $0.table) })
            + aggregates.map({ ($0.association, $0.table) })
        {
            body(association.step)
            if let pivot = association.pivot {
                body(pivot.step)
                pivot.table.forEachAssociation(body)
            }
            table.forEachAssociation(body)
        }
    }

    fileprivate func collectTableNames(_ names: inout Set<String>) {
        switch origin {
        case .table(let name): names.insert(name)
        case .commonTable(let table): Query.compound(Compound(first: table.query, others: [])).insertNames(&names)
        }
        for (association, table) in joins.map({ ($0.association, $0.table) })
            + aggregates.map({ ($0.association, $0.table) })
        {
            association.pivot?.table.collectTableNames(&names)
            table.collectTableNames(&names)
        }
    }
}

extension Query {
    fileprivate func insertNames(_ names: inout Set<String>) { names.formUnion(tableNames) }
}

protocol Shrinkable {}

extension Shrinkable {
    /// Returns a copy without one element.
    func without<Element>(_ path: WritableKeyPath<Self, [Element]>, _ index: Int) -> Self {
        var copy = self
        copy[keyPath: path].remove(at: index)
        return copy
    }

    /// Returns copies that lack one element of a list each.
    func withoutEach<Element>(_ path: WritableKeyPath<Self, [Element]>) -> [Self] {
        self[keyPath: path].indices.map { without(path, $0) }
    }

    /// Returns copies in which one expression of a list is replaced by a smaller one.
    func shrinkingEach(_ path: WritableKeyPath<Self, [Expr]>) -> [Self] {
        self[keyPath: path].indices.flatMap { index in
            self[keyPath: path][index].smaller.map { smaller in
                var copy = self
                copy[keyPath: path][index] = smaller
                return copy
            }
        }
    }
}

extension Compound: Shrinkable {}
extension Select: Shrinkable {}
extension Branch: Shrinkable {}

extension Select {
    fileprivate var smaller: [Select] {
        var result = withoutEach(\.groupFilters) + shrinkingEach(\.groupFilters) + withoutEach(\.groups)
        result += table.smaller.map { table in
            var smaller = self
            smaller.table = table
            return smaller
        }
        if limit != nil {
            var smaller = self
            smaller.limit = nil
            result.append(smaller)
        }
        if isDistinct {
            var smaller = self
            smaller.isDistinct = false
            result.append(smaller)
        }
        return result
    }
}

extension Branch {
    fileprivate var smaller: [Branch] {
        var result = withoutEach(\.joins) + withoutEach(\.aggregates) + withoutEach(\.annotations)
        result += withoutEach(\.filters) + withoutEach(\.orders) + shrinkingEach(\.filters)
        for index in joins.indices {
            result += joins[index].table.smaller.map { table in
                var smaller = self
                smaller.joins[index].table = table
                return smaller
            }
        }
        for index in aggregates.indices where aggregates[index].uses.count > 1 {
            for use in aggregates[index].uses.indices {
                var smaller = self
                smaller.aggregates[index].uses.remove(at: use)
                result.append(smaller)
            }
        }
        if isReversed {
            var smaller = self
            smaller.isReversed = false
            result.append(smaller)
        }
        for index in orders.indices {
            result += orders[index].term.smaller.filter { !$0.isConstant }.map { term in
                var smaller = self
                smaller.orders[index].term = term
                return smaller
            }
        }
        return result + smallerSelections
    }

    private var smallerSelections: [Branch] {
        guard let selection else { return [] }
        var result: [Branch] = []
        for index in selection.indices {
            if selection.count > 1 {
                var smaller = self
                smaller.selection!.remove(at: index)
                result.append(smaller)
            }
            result += selection[index].expression.smaller.map { expression in
                var smaller = self
                smaller.selection![index].expression = expression
                return smaller
            }
        }
        return result
    }
}

extension Expr {
    /// Expressions that lack an operator or an operand.
    fileprivate var smaller: [Expr] {
        switch self {
        case .logic(let isAnd, let left, let right):
            let lefts = left.smaller.map { Expr.logic(isAnd: isAnd, $0, right) }
            return [left, right] + lefts + right.smaller.map { Expr.logic(isAnd: isAnd, left, $0) }
        case .comparison(let comparison, let left, let right):
            let lefts = left.smaller.map { Expr.comparison(comparison, $0, right) }
            return lefts + right.smaller.map { Expr.comparison(comparison, left, $0) }
        case .unary(let unaryOperator, let part): return [part] + part.smaller.map { Expr.unary(unaryOperator, $0) }
        case .collated(let part, let collation): return [part] + part.smaller.map { Expr.collated($0, collation) }
        case .range(let kind, let part, let lower, let upper):
            return part.smaller.map { Expr.range(kind, $0, lower, upper) }
        case .inQuery(let part, let query):
            return part.smaller.map { Expr.inQuery($0, query) } + query.smaller.map { Expr.inQuery(part, $0) }
        case .exists(let query): return query.smaller.map { Expr.exists($0) }
        case .scalar(let query): return query.smaller.map { Expr.scalar($0) }
        case .function(let function, let arguments):
            return arguments
                + arguments.indices.flatMap { index in
                    arguments[index].smaller.map { smaller -> Expr in
                        var arguments = arguments
                        arguments[index] = smaller
                        return .function(function, arguments)
                    }
                }
        case .aggregate(var aggregate):
            let hasMore = aggregate.filter != nil || aggregate.order != nil
            (aggregate.filter, aggregate.order) = (nil, nil)
            return hasMore ? [.aggregate(aggregate)] : []
        case .window(let aggregate, let window):
            return window.smaller.map { Expr.window(aggregate, $0) }
        case .windowFunction(let function, let arguments, let window):
            return window.smaller.map { Expr.windowFunction(function, arguments, $0) }
        default: return parts
        }
    }
}

extension Window: Shrinkable {
    fileprivate var smaller: [Window] {
        var result = withoutEach(\.partitions) + (frame?.unit == .range ? [] : withoutEach(\.orders))
        if frame != nil {
            var smaller = self
            smaller.frame = nil
            result.append(smaller)
        }
        return result
    }
}
