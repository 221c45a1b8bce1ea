extension QueryGenerator {
    mutating func conditions(_ scope: Scope) -> [Expr] {
        (0..<random.pick([0, 0, 1, 1, 2])).map { _ in condition(scope, depth: 2) }
    }

    mutating func column(_ scope: Scope) -> Expr {
        let isOther = !scope.others.isEmpty && random.chance(40)
        let source = isOther ? random.pick(scope.others) : scope.current
        return .column(
            source: source, name: random.pick(columns[source]!), isAliased: source != scope.current || random.chance(30)
        )
    }

    private mutating func literal() -> Expr {
        switch random.next(below: 12) {
        case 0...4: .value(.integer(random.pick(WorldGenerator.integers)))
        case 5: .value(.real(random.pick(WorldGenerator.reals)))
        case 6...10: .value(.string(random.pick(WorldGenerator.strings)))
        default: .value(.blob([0x61]))
        }
    }

    /// A term of ORDER BY, GROUP BY or PARTITION BY. It isn't constant: SQL would take an integer for a position.
    mutating func term(_ scope: Scope) -> Expr {
        let column = column(scope)
        switch random.next(below: 10) {
        case 0: return .collated(column, random.pick(Collation.allCases))
        case 1: return .function(random.pick([.lower, .length, .typeof]), [column])
        case 2: return .arithmetic(.add, column, .value(.integer(1)))
        default: return column
        }
    }

    mutating func comparison() -> ComparisonOperator { random.pick(ComparisonOperator.allCases) }

    /// An operand of a comparison, perhaps with a collation.
    private mutating func operand(_ scope: Scope, depth: Int) -> Expr {
        let operand = random.chance(75) ? column(scope) : value(scope, depth: depth - 1)
        return random.chance(12) ? .collated(operand, random.pick(Collation.allCases)) : operand
    }

    // MARK: - Conditions

    mutating func condition(_ scope: Scope, depth: Int) -> Expr {
        if depth == 0 { return .comparison(comparison(), column(scope), literal()) }
        switch random.next(below: 20) {
        case 0...5: return .comparison(comparison(), operand(scope, depth: depth), literal())
        case 6...8: return .comparison(comparison(), operand(scope, depth: depth), operand(scope, depth: depth))
        case 9:
            let comparisons: [ComparisonOperator] = [.equal, .notEqual, .is, .isNot]
            return .comparison(random.pick(comparisons), column(scope), .value(.null))
        case 10, 11:
            return .logic(
                isAnd: random.chance(50), condition(scope, depth: depth - 1), condition(scope, depth: depth - 1))
        case 12: return .unary(.not, condition(scope, depth: depth - 1))
        case 13: return range(operand(scope, depth: depth))
        case 14:
            let list = (0..<random.count(0...3)).map { _ in random.chance(80) ? literal() : column(scope) }
            return .inList(operand(scope, depth: depth), list)
        case 15: return .inQuery(operand(scope, depth: 1), subquery(scope))
        case 16: return .exists(subquery(scope))
        case 17:
            let patterns = ["a%", "%b", "_", "%", "A_", "", "1%"]
            return .like(column(scope), .value(.string(random.pick(patterns))))
        case 18:
            let patterns = ["a*", "*b", "?", "*", "A?", "", "1*"]
            return .glob(column(scope), .value(.string(random.pick(patterns))))
        default: return value(scope, depth: depth)
        }
    }

    private mutating func range(_ element: Expr) -> Expr {
        let kind = random.pick(RangeKind.allCases)
        if random.chance(60) {
            let bounds = [random.pick(WorldGenerator.integers), random.pick(WorldGenerator.integers)].sorted()
            return .range(kind, element, .integer(bounds[0]), .integer(bounds[1]))
        }
        let bounds = [random.pick(["a", "A", "1"]), random.pick(["b", "B", "z", "é"])].sorted()
        return .range(kind, element, .string(bounds[0]), .string(bounds[1]))
    }

    /// A request of one column, which may refer to the tables around.
    private mutating func subquery(_ scope: Scope) -> Query {
        if random.chance(15) {
            var compound = Compound(first: .select(member(1)), others: [])
            compound.others = [
                Compound.Member(
                    compoundOperator: random.pick(Compound.Operator.allCases), query: .select(member(1)))
            ]
            return .compound(compound)
        }
        return .select(member(1, isCorrelatedWith: random.chance(50) ? scope : nil))
    }

    // MARK: - Values

    mutating func value(_ scope: Scope, depth: Int) -> Expr {
        if depth <= 0 { return random.chance(70) ? column(scope) : literal() }
        let part = { (self: inout QueryGenerator) in self.value(scope, depth: depth - 1) }
        switch random.next(below: 20) {
        case 0...4: return column(scope)
        case 5: return literal()
        case 6...8: return .arithmetic(random.pick(ArithmeticOperator.allCases), part(&self), part(&self))
        case 9:
            // SQL reads two signs in front of a number as a comment.
            return .unary(random.pick([.minus, .complement]), column(scope))
        case 10: return .concatenation([part(&self), part(&self)])
        case 11, 12: return cases(scope, depth: depth)
        case 13...15:
            let function = random.pick(Function.allCases)
            let arguments = (0..<random.count(function.argumentCounts)).map { index -> Expr in
                if function == .iif && index == 0 { return condition(scope, depth: depth - 1) }
                if function == .substr && index > 0 { return .value(.integer(Int64(random.count(-3...4)))) }
                return part(&self)
            }
            return .function(function, arguments)
        case 16: return .cast(part(&self), random.pick([.integer, .real, .text, .blob]))
        case 17: return .scalar(scalarQuery(scope))
        default: return condition(scope, depth: depth - 1)
        }
    }

    private mutating func cases(_ scope: Scope, depth: Int) -> Expr {
        let hasBase = random.chance(40)
        let branches = (0..<random.count(1...2)).map { _ in
            CaseBranch(
                condition: hasBase ? literal() : condition(scope, depth: depth - 1),
                value: value(scope, depth: depth - 1))
        }
        return .cases(
            base: hasBase ? column(scope) : nil, branches,
            otherwise: random.chance(70) ? value(scope, depth: depth - 1) : nil)
    }

    /// A request of one value.
    private mutating func scalarQuery(_ scope: Scope) -> Query {
        var select = member(1, isCorrelatedWith: random.chance(50) ? scope : nil)
        let own = Scope(current: select.table.source)
        select.isDistinct = false
        if random.chance(60) {
            select.table.selection = [Selected(expression: .aggregate(plainAggregate(own)), key: "c0")]
            select.limit = nil
            select.table.orders = []
        } else {
            select.table.orders = total(select.table)
            select.limit = Limit(count: 1)
        }
        return .select(select)
    }

    // MARK: - Aggregates

    private mutating func plainAggregate(_ scope: Scope) -> Aggregate {
        let name = random.pick([Aggregate.Name.count, .sum, .total, .average, .min, .max])
        return Aggregate(name: name, argument: name == .count && random.chance(50) ? nil : column(scope))
    }

    mutating func aggregate(_ scope: Scope) -> Aggregate {
        var aggregate = plainAggregate(scope)
        if random.chance(15) {
            aggregate = Aggregate(name: .groupConcat, argument: column(scope))
            if random.chance(70) {
                aggregate.order = Order(term: column(scope), direction: random.pick([.asc, .desc]))
            }
        }
        if aggregate.name == .count && aggregate.argument != nil { aggregate.isDistinct = random.chance(50) }
        if let argument = aggregate.argument, random.chance(10), !aggregate.isDistinct {
            aggregate.argument = .collated(argument, random.pick(Collation.allCases))
        }
        if random.chance(20) { aggregate.filter = condition(scope, depth: 1) }
        return aggregate
    }

    /// An expression of aggregates.
    mutating func aggregateValue(_ scope: Scope) -> Expr {
        let first = Expr.aggregate(aggregate(scope))
        switch random.next(below: 6) {
        case 0: return .arithmetic(random.pick([.add, .subtract, .multiply]), first, .aggregate(plainAggregate(scope)))
        case 1: return .function(.coalesce, [first, .value(.integer(0))])
        case 2: return .comparison(comparison(), first, literal())
        default: return first
        }
    }

    // MARK: - Windows

    mutating func windowValue(_ scope: Scope, _ table: Branch) -> Expr {
        var window = Window()
        if random.chance(50) { window.partitions = [term(scope)] }
        if random.chance(85) {
            window.orders = orders(scope)
            if random.chance(50) { window.orders += total(table) }
        }
        if random.chance(50) {
            var aggregate = plainAggregate(scope)
            if random.chance(10) { aggregate = Aggregate(name: .groupConcat, argument: column(scope)) }
            if random.chance(20) { aggregate.filter = condition(scope, depth: 1) }
            if random.chance(60) { window.frame = frame(window) }
            return .window(aggregate, window)
        }
        let function = random.pick(WindowFunction.allCases)
        if random.chance(40) { window.frame = frame(window) }
        let number = Expr.value(.integer(Int64(random.count(1...3))))
        let arguments: [Expr] =
            switch function {
            case .ntile: [number]
            case .lag, .lead: [column(scope), number, literal()]
            case .firstValue, .lastValue: [column(scope)]
            case .nthValue: [column(scope), number]
            default: []
            }
        return .windowFunction(function, arguments, window)
    }

    private mutating func frame(_ window: Window) -> Window.Frame {
        let units = window.orders.isEmpty ? [Window.Unit.rows] : Window.Unit.allCases
        let unit = random.pick(units)
        // RANGE with a distance needs one term.
        let hasDistance = unit != .range || window.orders.count == 1
        let distance = Int64(random.count(0...2))
        var starts: [Window.Bound] = [.unboundedPreceding, .currentRow]
        var ends: [Window.Bound] = [.currentRow, .unboundedFollowing]
        if hasDistance {
            starts += [.preceding(distance), .preceding(1), .following(distance)]
            ends += [.preceding(distance), .following(1), .following(distance)]
        }
        var start = random.pick(starts)
        let end = random.pick(ends)
        // A frame may not end at a bound before the kind of its start.
        switch (start, end) {
        case (.currentRow, .preceding), (.following, .currentRow), (.following, .preceding): start = .unboundedPreceding
        default: break
        }
        let exclusion = random.chance(25) ? random.pick(Window.Exclusion.allCases) : nil
        return Window.Frame(unit: unit, start: start, end: end, exclusion: exclusion)
    }
}
