/// The parts of the query interface that a query uses, by name.
struct Features {
    private(set) var names: Set<String> = []

    /// The kind of the request, which is also among the names.
    let kind: String

    /// The kinds of requests. Requests with typed columns are a kind, too.
    static let kinds = [
        "plain request", "joined request", "prefetching request", "grouped request", "windowed request",
        "request with association aggregates", "request with a common table", "compound request",
    ]

    init(_ query: Query) {
        kind = Self.kind(of: query)
        names.insert(kind)
        add(query)
    }

    private static func kind(of query: Query) -> String {
        guard case .select(let select) = query else { return kinds[7] }
        let table = select.table
        if !select.commonTables.isEmpty { return kinds[6] }
        if !table.aggregates.isEmpty { return kinds[5] }
        let expressions = (table.selection ?? []).map(\.expression)
        if expressions.contains(where: \.isWindowed) { return kinds[4] }
        if !select.groups.isEmpty || expressions.contains(where: \.isAggregated) { return kinds[3] }
        if table.joins.contains(where: { $0.mode == .includingAll }) { return kinds[2] }
        return table.joins.isEmpty ? kinds[0] : kinds[1]
    }

    /// What the system's SQLite isn't asked, because versions of it have wrong results: group_concat() as a window
    /// function returns a zero byte for empty strings, and 3.40.1 ignores the FILTER clause of max() for some frames.
    static let systemErrors: Set = ["window groupConcat", "filtered window extreme"]

    /// All names that the search must find.
    static let all: [String] = {
        var names = kinds
        names += [
            "filter", "select", "annotated", "forKey", "order", "reversed", "limit", "offset", "distinct", "group",
            "having",
            "alias", "column", "literal", "collation", "through one", "through many", "inferred foreign key",
            "explicit foreign key", "nested join", "filtered join", "ordered join", "common table",
            "joined common table",
            "recursive common table", "correlated subquery", "compound order", "compound limit", "aggregate filter",
            "aggregate order", "distinct aggregate", "window partition", "window order", "window aggregate",
            "concatenation",
            "list", "in query", "exists", "scalar query", "like", "glob", "case", "case base", "cast",
            "association having",
            "operator &&", "operator ||", "operator == nil",
        ]
        names += Association.Kind.allCases.map { "association \($0)" }
        names += Joined.Mode.allCases.map { "join \($0)" }
        names += AggregatedJoin.Name.allCases.map { "association aggregate \($0)" }
        names += Compound.Operator.allCases.map { "compound \($0)" }
        names += ComparisonOperator.allCases.map { "operator \($0.rawValue)" }
        names += ArithmeticOperator.allCases.map { "operator \($0.rawValue)" }
        names += UnaryOperator.allCases.map { "prefix \($0.rawValue)" }
        names += RangeKind.allCases.map { "range \($0)" }
        names += Function.allCases.map { "function \($0)" }
        names += Aggregate.Name.allCases.map { "aggregate \($0)" }
        names += WindowFunction.allCases.map { "window \($0)" }
        names += Window.Unit.allCases.map { "frame \($0)" }
        names += Window.Exclusion.allCases.map { "exclusion \($0)" }
        return names
    }()

    private mutating func add(_ query: Query) {
        switch query {
        case .select(let select): add(select)
        case .compound(let compound):
            add(compound.first)
            for member in compound.others {
                names.insert("compound \(member.compoundOperator)")
                add(member.query)
            }
            insert("compound order", !compound.orders.isEmpty)
            insert("compound limit", compound.limit != nil)
        }
    }

    private mutating func insert(_ name: String, _ isUsed: Bool) { if isUsed { names.insert(name) } }

    private mutating func add(_ select: Select) {
        add(select.table)
        insert("distinct", select.isDistinct)
        insert("group", !select.groups.isEmpty)
        insert("having", !select.groupFilters.isEmpty)
        insert("limit", select.limit != nil)
        insert("offset", select.limit?.offset != nil)
        for expression in select.groups + select.groupFilters { add(expression, select.table) }
        for table in select.commonTables {
            insert("recursive common table", table.step != nil)
            add(table.query)
        }
    }

    private mutating func add(_ table: Branch) {
        insert("filter", !table.filters.isEmpty)
        insert("select", table.selection != nil)
        insert("annotated", !table.annotations.isEmpty)
        insert("order", !table.orders.isEmpty)
        insert("reversed", table.isReversed)
        if case .commonTable = table.origin { names.insert("common table") }
        for selected in (table.selection ?? []) + table.annotations {
            insert("forKey", selected.key != nil)
            add(selected.expression, table)
        }
        for expression in table.filters + table.orders.map(\.term) { add(expression, table) }
        for join in table.joins {
            names.insert("join \(join.mode)")
            insert("nested join", !join.table.joins.isEmpty)
            insert("filtered join", !join.table.filters.isEmpty)
            insert("ordered join", !join.table.orders.isEmpty)
            add(join.association)
            add(join.table)
        }
        for join in table.aggregates {
            add(join.association)
            for use in join.uses {
                names.insert("association aggregate \(use.name)")
                insert("association having", use.condition != nil)
            }
            add(join.table)
        }
    }

    private mutating func add(_ association: Association) {
        if let pivot = association.pivot {
            names.insert(association.isToMany ? "through many" : "through one")
            add(pivot.step)
            add(pivot.table)
        }
        add(association.step)
    }

    private mutating func add(_ step: Association.Step) {
        names.insert("association \(step.kind)")
        insert("joined common table", step.kind == .condition)
        if step.kind != .condition { names.insert(step.isInferred ? "inferred foreign key" : "explicit foreign key") }
    }

    // MARK: - Expressions

    private mutating func add(_ expression: Expr, _ table: Branch) {
        for part in expression.parts { add(part, table) }
        switch expression {
        case .column(_, _, let isAliased): names.insert(isAliased ? "alias" : "column")
        case .value: names.insert("literal")
        case .collated: names.insert("collation")
        case .unary(let unaryOperator, _): names.insert("prefix \(unaryOperator.rawValue)")
        case .arithmetic(let arithmeticOperator, _, _): names.insert("operator \(arithmeticOperator.rawValue)")
        case .comparison(let comparison, _, let right):
            names.insert("operator \(comparison.rawValue)")
            insert("operator == nil", comparison == .equal && right.isNullLiteral)
        case .logic(let isAnd, _, _): names.insert(isAnd ? "operator &&" : "operator ||")
        case .concatenation: names.insert("concatenation")
        case .range(let kind, _, _, _): names.insert("range \(kind)")
        case .inList: names.insert("list")
        case .inQuery(_, let query): addSubquery("in query", query, table)
        case .exists(let query): addSubquery("exists", query, table)
        case .scalar(let query): addSubquery("scalar query", query, table)
        case .like: names.insert("like")
        case .glob: names.insert("glob")
        case .cases(let base, _, _): names.insert(base == nil ? "case" : "case base")
        case .function(let function, _): names.insert("function \(function)")
        case .cast: names.insert("cast")
        case .aggregate(let aggregate): add(aggregate, table)
        case .window(let aggregate, let window):
            names.insert("window aggregate")
            insert("window groupConcat", aggregate.name == .groupConcat)
            let isExtreme = aggregate.name == .min || aggregate.name == .max
            insert("filtered window extreme", isExtreme && aggregate.filter != nil)
            add(aggregate, table)
            add(window, table)
        case .windowFunction(let function, _, let window):
            names.insert("window \(function)")
            add(window, table)
        }
    }

    private mutating func addSubquery(_ name: String, _ query: Query, _ table: Branch) {
        names.insert(name)
        add(query)
        query.forEachExpression { expression in
            if case .column(table.source, _, _) = expression { names.insert("correlated subquery") }
        }
    }

    private mutating func add(_ aggregate: Aggregate, _ table: Branch) {
        names.insert("aggregate \(aggregate.name)")
        insert("distinct aggregate", aggregate.isDistinct)
        insert("aggregate filter", aggregate.filter != nil)
        insert("aggregate order", aggregate.order != nil)
        for part in [aggregate.filter, aggregate.order?.term].compactMap(\.self) { add(part, table) }
    }

    private mutating func add(_ window: Window, _ table: Branch) {
        insert("window partition", !window.partitions.isEmpty)
        insert("window order", !window.orders.isEmpty)
        if let frame = window.frame {
            names.insert("frame \(frame.unit)")
            if let exclusion = frame.exclusion { names.insert("exclusion \(exclusion)") }
        }
        for part in window.partitions + window.orders.map(\.term) { add(part, table) }
    }
}
