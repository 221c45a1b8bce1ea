extension Evaluator {
    func isTrue(_ condition: Expr, _ env: Env) throws -> Bool? { try evaluate(condition, env).isTrue }

    /// Returns the value of an expression that isn't an aggregate in the rows of a group, if all rows agree.
    func evaluate(_ expression: Expr, _ env: Env) throws -> Cell {
        switch expression {
        case .column(let number, let name, _):
            guard let row = env.rows[number] else { throw Undecided.uncomputed("a column without a row") }
            return row[try source(number).position(name)]
        case .value(let cell): return cell
        case .collated(let expression, _): return try evaluate(expression, env)
        case .unary(.minus, let operand): return try evaluate(operand, env).negated()
        case .unary(.complement, let operand): return try evaluate(operand, env).complement()
        case .unary(.not, let operand): return .truth(try isTrue(operand, env).map { !$0 })
        case .arithmetic(let arithmeticOperator, let left, let right):
            return try arithmeticOperator(evaluate(left, env), evaluate(right, env))
        case .comparison(let comparison, let left, let right): return try compare(left, comparison, right, env)
        case .logic(let isAnd, let left, let right):
            let conditions = [try isTrue(left, env), try isTrue(right, env)]
            return .truth(isAnd ? Logic.and(conditions) : Logic.or(conditions))
        case .concatenation(let parts): return try .concatenation(parts.map { try evaluate($0, env) })
        case .range(let kind, let element, let lower, let upper): return try range(kind, element, lower, upper, env)
        case .inList(let element, let list):
            // The affinity and the collation are those of the left operand alone.
            let value = try evaluate(element, env)
            let affinities = self.affinities(try affinity(of: element), .none)
            let collation = try collation(of: element)
            return .truth(
                Logic.or(
                    try list.map { try isEqual(value, evaluate($0, env), affinities, collation.candidates) }))
        case .inQuery(let element, let query):
            let rows = try self.rows(of: query, env)
            let value = try evaluate(element, env)
            let affinities = self.affinities(try affinity(of: element), try columns(of: query)[0].affinity)
            let collation = try collation(of: element)
            return .truth(Logic.or(try rows.map { try isEqual(value, $0[0], affinities, collation.candidates) }))
        case .exists(let query): return .truth(try !rows(of: query, env).isEmpty)
        case .scalar(let query): return try scalar(query, env)
        case .like(let string, let pattern): return try match(string, pattern, Pattern.like, env)
        case .glob(let string, let pattern): return try match(string, pattern, Pattern.glob, env)
        case .cases(let base, let branches, let otherwise): return try cases(base, branches, otherwise, env)
        case .function(let function, let arguments): return try call(function, arguments, env)
        case .cast(let expression, let affinity): return try evaluate(expression, env).cast(to: affinity)
        case .aggregate(let aggregate):
            guard let group = env.group else { throw Undecided.uncomputed("an aggregate without a group") }
            return try evaluate(aggregate, group, isWindow: false)
        case .window(let aggregate, let window): return try evaluate(aggregate, window, env)
        case .windowFunction(let function, let arguments, let window):
            return try evaluate(function, arguments, window, env)
        }
    }

    // MARK: - Comparisons

    private func compare(
        _ left: Expr, _ comparison: ComparisonOperator, _ right: Expr, _ env: Env
    ) throws -> Cell {
        let affinities = self.affinities(try affinity(of: left), try affinity(of: right))
        return try compare(
            evaluate(left, env), comparison, evaluate(right, env), affinities, collation(left, right).candidates,
            isNullLiteral: left.isNullLiteral || right.isNullLiteral)
    }

    /// Compares by each of the affinities and collations that SQLite may use.
    func compare(
        _ left: Cell, _ comparison: ComparisonOperator, _ right: Cell, _ affinities: [Affinity?],
        _ collations: [Collation], isNullLiteral: Bool = false
    ) throws -> Cell {
        var results: Set<Cell> = []
        for affinity in affinities {
            let (left, right) = (try left.compared(as: affinity), try right.compared(as: affinity))
            for collation in collations {
                let sign = left.compared(with: right, collation)
                let hasNull = (left.isNull || right.isNull) && Mistake.current != .null
                // `== nil` and `!= nil` stand for IS NULL and IS NOT NULL.
                switch comparison {
                case .is: results.insert(.truth(sign == .equal))
                case .isNot: results.insert(.truth(sign != .equal))
                case .equal where isNullLiteral: results.insert(.truth(sign == .equal))
                case .notEqual where isNullLiteral: results.insert(.truth(sign != .equal))
                case _ where hasNull: results.insert(.null)
                case .equal: results.insert(.truth(sign == .equal))
                case .notEqual: results.insert(.truth(sign != .equal))
                case .less: results.insert(.truth(sign == .less))
                case .lessOrEqual: results.insert(.truth(sign != .greater))
                case .greater: results.insert(.truth(sign == .greater))
                case .greaterOrEqual: results.insert(.truth(sign != .less))
                }
            }
        }
        if results.count > 1 { throw Undecided.ambiguous("the affinity or collation of a subquery's column") }
        return results.first!
    }

    private func isEqual(
        _ left: Cell, _ right: Cell, _ affinities: [Affinity?], _ collations: [Collation]
    ) throws -> Bool? {
        try compare(left, .equal, right, affinities, collations).isTrue
    }

    private func range(_ kind: RangeKind, _ element: Expr, _ lower: Cell, _ upper: Cell, _ env: Env) throws -> Cell {
        let isAbove = { try self.compare(element, .greaterOrEqual, .value(lower), env).isTrue }
        let isBelow = { (comparison: ComparisonOperator) in
            try self.compare(element, comparison, .value(upper), env).isTrue
        }
        switch kind {
        case .closed: return .truth(Logic.and([try isAbove(), try isBelow(.lessOrEqual)]))
        case .halfOpen: return .truth(Logic.and([try isAbove(), try isBelow(.less)]))
        case .from: return .truth(try isAbove())
        case .through: return .truth(try isBelow(.lessOrEqual))
        case .upTo: return .truth(try isBelow(.less))
        }
    }

    private func match(
        _ string: Expr, _ pattern: Expr, _ matches: ([UInt8], [UInt8]) -> Bool, _ env: Env
    ) throws -> Cell {
        let (string, pattern) = (try evaluate(string, env), try evaluate(pattern, env))
        for cell in [string, pattern] {
            if case .blob = cell { throw Undecided.ambiguous("a pattern or a blob") }
        }
        guard let string = try string.bytes, let pattern = try pattern.bytes else { return .null }
        return .truth(matches(string, pattern))
    }

    private func cases(_ base: Expr?, _ branches: [CaseBranch], _ otherwise: Expr?, _ env: Env) throws -> Cell {
        for branch in branches {
            let isChosen =
                if let base {
                    // In SQL, CASE x WHEN NULL is never true.
                    try compare(
                        evaluate(base, env), .equal, evaluate(branch.condition, env),
                        affinities(affinity(of: base), affinity(of: branch.condition)),
                        collation(base, branch.condition).candidates
                    ).isTrue
                } else {
                    try isTrue(branch.condition, env)
                }
            if isChosen == true { return try evaluate(branch.value, env) }
        }
        return try otherwise.map { try evaluate($0, env) } ?? .null
    }
}

extension Expr {
    var isNullLiteral: Bool {
        if case .value(.null) = self { return true }
        return false
    }
}
