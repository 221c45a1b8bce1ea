extension Evaluator {
    func answer(_ compound: Compound, _ outer: Env, isMain: Bool) throws -> Answer {
        let queries = [compound.first] + compound.others.map(\.query)
        let types = try queries.map { try columns(of: $0) }
        let collations = types[0].indices.map { index in collation(types.map { $0[index].collation }) }
        var rows = try self.rows(of: compound.first, outer)
        var areReplaceable = false
        for (index, member) in compound.others.enumerated() {
            let others = try self.rows(of: member.query, outer)
            if member.compoundOperator == .unionAll
                || (member.compoundOperator == .union && Mistake.current == .compound)
            {
                rows += others
                continue
            }
            if collations.contains(.unknown) && (rows + others).contains(where: { $0.contains(where: \.isText) }) {
                throw Undecided.ambiguous("the collation of a compound query")
            }
            let key = { (row: [Cell]) in zip(row, collations).map { $0.normal($1.candidates[0]) } }
            let (known, othersKnown) = (Set(rows.map(key)), Set(others.map(key)))
            let results: [[Cell]]
            switch member.compoundOperator {
            case .intersect: results = rows.filter { othersKnown.contains(key($0)) }
            case .except: results = rows.filter { !othersKnown.contains(key($0)) }
            default: results = rows + others
            }
            let wanted =
                member.compoundOperator == .intersect ? results + others.filter { known.contains(key($0)) } : results
            var first: [[Cell]: [Cell]] = [:]
            for row in wanted where first.updateValue(first[key(row)] ?? row, forKey: key(row)) ?? row != row {
                if !isMain || index < compound.others.count - 1 {
                    throw Undecided.ambiguous("the first of equal rows")
                }
                areReplaceable = true
            }
            rows = first.values.map(\.self)
        }
        let folds = collations.map { areReplaceable ? $0.candidates[0] : nil }
        let orders = compound.orders.map {
            Order(term: .value(.null), direction: $0.isDescending ? .desc : .unstated)
        }
        let keyed = rows.map { row in (Output(cells: row), compound.orders.map { row[$0.column] }) }
        let orderCollations = compound.orders.map { collations[$0.column] }
        let ties =
            try orders.isEmpty
            ? (rows.isEmpty ? [] : [keyed.map(\.0)]) : sort(keyed, orders, orderCollations).map { $0.map(\.0) }
        return Answer(ties: ties, limit: compound.limit, folds: folds)
    }

    /// The collation of a column of a compound query: that of the first SELECT that has one.
    private func collation(_ collations: [ExprCollation]) -> ExprCollation {
        collations.contains(.unknown) ? .unknown : collations.first { $0 != .none } ?? .none
    }
}

extension Cell {
    fileprivate var isText: Bool {
        if case .text = self { return true }
        return false
    }
}
