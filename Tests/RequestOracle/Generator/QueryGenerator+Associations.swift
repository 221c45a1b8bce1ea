extension QueryGenerator {
    /// Adds a join to a table, and perhaps further joins behind it.
    ///
    /// - Parameters:
    ///   - isOptional: whether the table is joined with LEFT JOIN, behind which the library accepts LEFT JOIN only.
    ///   - isPlain: whether the fetched rows get no parts of the association.
    mutating func addJoin(
        to table: inout Branch, _ scope: inout Scope, isOptional: Bool, depth: Int, isPlain: Bool = false
    ) {
        guard var association = association(table) else { return }
        var modes: [Joined.Mode] = isPlain ? [.joiningOptional] : [.includingOptional, .joiningOptional]
        if !isPlain && depth == 0 { modes.append(.annotatedWithOptional) }
        if !isOptional {
            modes += isPlain ? [.joiningRequired] : [.includingRequired, .joiningRequired]
            if !isPlain && depth == 0 { modes.append(.annotatedWithRequired) }
        }
        let mode = random.pick(modes)
        connectPivot(of: &association)
        if let pivot = association.pivot { scope.others.append(pivot.table.source) }
        var joined = branch(association.step.destination)
        scope.others.append(joined.source)
        if random.chance(30) { joined.filters = conditions(Scope(current: joined.source)) }
        if mode.isIncluded && random.chance(25) {
            joined.selection = [Selected(expression: value(Scope(current: joined.source), depth: 1))]
        }
        if random.chance(15) { joined.orders = [order(Scope(current: joined.source))] }
        if depth == 0 && random.chance(35) && !mode.isAnnotated {
            addJoin(to: &joined, &scope, isOptional: !mode.isRequired, depth: 1, isPlain: isPlain)
        }
        table.joins.append(Joined(mode: mode, association: association, table: joined))
    }

    /// Adds an association to many, whose rows are fetched by a statement of their own.
    mutating func addPrefetch(to table: inout Branch, depth: Int) {
        guard var association = toMany(table) else { return }
        connectPivot(of: &association)
        var joined = branch(association.step.destination)
        let scope = Scope(current: joined.source)
        if random.chance(30) { joined.filters = conditions(scope) }
        if random.chance(25) { joined.selection = [Selected(expression: value(scope, depth: 1))] }
        if random.chance(40) { joined.orders = orders(scope) + total(joined) }
        if depth == 0 {
            var inner = scope
            if random.chance(25) { addJoin(to: &joined, &inner, isOptional: false, depth: 1) }
            if random.chance(25) { addPrefetch(to: &joined, depth: 1) }
        }
        table.joins.append(Joined(mode: .includingAll, association: association, table: joined))
    }

    /// Gives the table in between a source.
    mutating func connectPivot(of association: inout Association) {
        guard let pivot = association.pivot else { return }
        var table = branch(pivot.step.destination)
        if random.chance(20) { table.filters = conditions(Scope(current: table.source)) }
        association.pivot = (pivot.step, table)
    }

    private mutating func association(_ table: Branch) -> Association? {
        guard case .table(let name) = table.origin else { return nil }
        let steps = steps(name)
        if steps.isEmpty { return nil }
        let first = random.pick(steps)
        return random.chance(25) ? through(first) ?? Association(step: first) : Association(step: first)
    }

    mutating func toMany(_ table: Branch) -> Association? {
        guard case .table(let name) = table.origin else { return nil }
        let many = steps(name).filter { $0.kind == .hasMany }
        if random.chance(30), let first = steps(name).randomElement(using: &random), let association = through(first),
            association.isToMany
        {
            return association
        }
        return many.isEmpty ? nil : Association(step: random.pick(many))
    }

    private mutating func through(_ first: Association.Step) -> Association? {
        let steps = steps(first.destination)
        if steps.isEmpty { return nil }
        // The table in between gets its source when the association is used.
        return Association(
            step: random.pick(steps), pivot: (first, Branch(source: -1, origin: .table(first.destination))))
    }

    /// Returns the associations of a table to the tables that it refers to, and to those that refer to it.
    private mutating func steps(_ name: String) -> [Association.Step] {
        var steps: [Association.Step] = []
        for table in world.tables {
            for column in table.columns {
                guard let target = column.reference else { continue }
                let isOnly = table.columns.count(where: { $0.reference == target }) == 1
                let key = world.table(target).key.name
                if table.name == name {
                    steps.append(
                        Association.Step(
                            kind: .belongsTo, origin: name, destination: target, originColumn: column.name,
                            destinationColumn: key, isInferred: isOnly && random.chance(60), key: newKey()))
                }
                if target == name {
                    steps.append(
                        Association.Step(
                            kind: random.chance(75) ? .hasMany : .hasOne, origin: name, destination: table.name,
                            originColumn: key, destinationColumn: column.name,
                            isInferred: isOnly && random.chance(60), key: newKey()))
                }
            }
        }
        return steps
    }
}

extension Random: RandomNumberGenerator {
    mutating func next() -> UInt64 { UInt64(next(below: .max)) &* 2 &+ UInt64(next(below: 2)) }
}
