// The functions of <https://sqlite.org/lang_aggfunc.html>.

extension Evaluator {
    /// Returns the value of an aggregate over rows.
    ///
    /// - Parameter isWindow: whether the rows are those of a frame, in the order of the window.
    func evaluate(_ aggregate: Aggregate, _ group: [Env], isWindow: Bool) throws -> Cell {
        var rows = group
        if let filter = aggregate.filter { rows = try rows.filter { try isTrue(filter, $0) == true } }
        guard let argument = aggregate.argument else { return .integer(Int64(rows.count)) }
        if let order = aggregate.order {
            let sorted = try sort(rows, by: [order])
            for tie in sorted where Set(try tie.map { try evaluate(argument, $0) }).count > 1 {
                throw Undecided.ambiguous("the order of equal values in an aggregate")
            }
            rows = sorted.flatMap(\.self)
        }
        var values = try rows.map { try evaluate(argument, $0) }.filter { !$0.isNull }
        let collations = try collation(of: argument).candidates
        if aggregate.isDistinct {
            let counts = Set(collations.map { collation in Set(values.map { $0.normal(collation) }).count })
            if aggregate.name == .count && counts.count == 1 { return .integer(Int64(counts.first!)) }
            throw Undecided.ambiguous("distinct values of an aggregate")
        }
        switch aggregate.name {
        case .count: return .integer(Int64(values.count))
        case .min, .max: return try extremes(aggregate.name, values, collations)
        case .sum: return try sum(values) ?? .null
        case .total: return try sum(values).map { .real($0.double) } ?? .real(0)
        case .average:
            if values.isEmpty { return .null }
            return .real(try sum(values)!.double / Double(values.count))
        case .groupConcat:
            let isOrdered = isWindow || aggregate.order != nil
            values = try values.map { .text(try $0.bytes!) }
            if !isOrdered && Set(values).count > 1 { throw Undecided.ambiguous("the order of concatenated values") }
            if values.isEmpty { return .null }
            return .text(Array(try values.map { try $0.bytes! }.joined(separator: [0x2C])))
        }
    }

    private func extremes(_ name: Aggregate.Name, _ values: [Cell], _ collations: [Collation]) throws -> Cell {
        guard let first = values.first else { return .null }
        var results: Set<Cell> = []
        for collation in collations {
            let wanted: Sign = name == .min ? .less : .greater
            let best = values.reduce(first) { $1.compared(with: $0, collation) == wanted ? $1 : $0 }
            results.formUnion(values.filter { $0.compared(with: best, collation) == .equal })
        }
        if results.count > 1 { throw Undecided.ambiguous("the least or the greatest of equal values") }
        return results.first!
    }

    /// Returns the sum, which is an integer if all values are integers; nil without values. Adding the values in any
    /// order has the same result.
    private func sum(_ values: [Cell]) throws -> Cell? {
        if values.isEmpty { return nil }
        var (integer, real): (Int64, Double) = (0, 0)
        var isInteger = true
        for value in values {
            switch value {
            case .integer(let number) where Swift.abs(number / 2) < 1 << 48:
                integer += number
                real += Double(number)
            case .integer: throw Undecided.ambiguous("a sum of large numbers")
            default:
                // A string isn't an integer for sum(), even if it looks like one.
                let number = try value.operand.double
                guard Swift.abs(number) < 0x1p30, (number * 1024).rounded() == number * 1024 else {
                    throw Undecided.ambiguous("a rounded sum")
                }
                isInteger = try value.isWholeNumber && isInteger
                real += number
                if case .integer(let whole) = try value.operand { integer += whole }
            }
        }
        return isInteger ? .integer(integer) : .real(real)
    }

    /// Sorts rows. Rows with equal terms are in one array.
    func sort(_ rows: [Env], by orders: [Order]) throws -> [[Env]] {
        let collations = try orders.map { try collation(of: $0.term) }
        if orders.isEmpty { return rows.isEmpty ? [] : [rows] }
        let keyed = try rows.map { row in (row, try orders.map { try evaluate($0.term, row) }) }
        let results = try sort(keyed, orders, collations)
        return results.map { $0.map(\.0) }
    }

    /// Sorts elements by keys that are already evaluated.
    func sort<Element>(
        _ elements: [(Element, [Cell])], _ orders: [Order], _ collations: [ExprCollation]
    ) throws -> [[(Element, [Cell])]] {
        for (index, collation) in collations.enumerated() where collation == .unknown {
            for (_, keys) in elements {
                if case .text = keys[index] { throw Undecided.ambiguous("the collation of a sorted column") }
            }
        }
        let sorting = zip(orders, collations).map { ($0.direction, $1.candidates[0]) }
        func sign(_ left: [Cell], _ right: [Cell]) -> Sign {
            for (index, (direction, collation)) in sorting.enumerated() {
                let sign = direction.sign(left[index], right[index], collation)
                if sign != .equal { return sign }
            }
            return .equal
        }
        let sorted = elements.sorted { sign($0.1, $1.1) == .less }
        return sorted.reduce(into: []) { groups, element in
            if let last = groups.last?.last, sign(last.1, element.1) == .equal {
                groups[groups.count - 1].append(element)
            } else {
                groups.append([element])
            }
        }
    }
}

extension Order.Direction {
    func sign(_ left: Cell, _ right: Cell, _ collation: Collation) -> Sign {
        if left.isNull != right.isNull { return left.isNull == nullsAreFirst ? .less : .greater }
        let sign = left.compared(with: right, collation)
        return isDescending ? Sign(rawValue: -sign.rawValue)! : sign
    }
}

extension Cell {
    /// Whether sum() adds the value as an integer: strings that look like integers are added as integers, too.
    var isWholeNumber: Bool {
        get throws {
            switch self {
            case .integer: return true
            case .text:
                guard case .integer = try operand, case .integer = try compared(as: .numeric) else { return false }
                return true
            case .null, .real, .blob: return false
            }
        }
    }
}
