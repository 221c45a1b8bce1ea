import Amalgam
import Foundation

extension Cell {
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .real(let number): number.databaseValue
        case .text(let bytes): String(decoding: bytes, as: UTF8.self).databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        }
    }

    init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(number)
        case .double(let number): self = .real(number)
        case .string(let string): self = .string(string)
        case .blob(let data): self = .blob(Array(data))
        }
    }
}

extension RequestBuilder {
    /// Returns the expression for a clause of the given source.
    func expression(_ expression: Expr, _ source: Int) -> SQLExpression {
        let make = { (part: Expr) in self.expression(part, source) }
        switch expression {
        case .column(let number, let name, let isAliased):
            return isAliased ? alias(number)[name] : Column(name).sqlExpression
        case .value(let cell): return cell.databaseValue.sqlExpression
        case .collated(let part, let collation):
            return make(part).collating(Database.CollationName(rawValue: collation.rawValue))
        case .unary(.minus, let part): return -make(part)
        case .unary(.not, let part): return !make(part)
        case .unary(.complement, let part): return ~make(part)
        case .arithmetic(let arithmeticOperator, let left, let right):
            return arithmetic(make(left), arithmeticOperator, make(right))
        case .comparison(let comparison, let left, let right):
            return compared(make(left), comparison, right.literal, make(right))
        case .logic(let isAnd, let left, let right):
            return isAnd ? make(left) && make(right) : make(left) || make(right)
        case .concatenation(let parts): return parts.map(make).joined(operator: .concat)
        case .range(let kind, let element, let lower, let upper): return range(kind, make(element), lower, upper)
        case .inList(let element, let list): return list.map(make).contains(make(element))
        case .inQuery(let element, let query): return request(query).sqlSubquery.contains(make(element))
        case .exists(let query): return request(query).sqlSubquery.exists()
        case .scalar(let query): return request(query).sqlSubquery.sqlExpression
        case .like(let string, let pattern): return make(string).like(make(pattern))
        case .glob(let string, let pattern): return make(string).glob(make(pattern))
        case .cases(let base, let branches, let otherwise):
            return cases(base.map(make), branches.map { (make($0.condition), make($0.value)) }, otherwise.map(make))
        case .function(let function, let arguments): return call(function, arguments.map(make))
        case .cast(let part, let affinity):
            return cast(make(part), as: Database.StorageClass(rawValue: affinity.rawValue))
        case .aggregate(let aggregate): return self.aggregate(aggregate, source)
        case .window(let aggregate, let window):
            return self.aggregate(aggregate, source).over(self.window(window, source))
        case .windowFunction(let function, let arguments, let window):
            return call(function, arguments.map(make)).over(self.window(window, source))
        }
    }

    private func arithmetic(
        _ left: SQLExpression, _ arithmeticOperator: ArithmeticOperator, _ right: SQLExpression
    ) -> SQLExpression {
        switch arithmeticOperator {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        case .remainder: left % right
        case .bitAnd: left & right
        case .bitOr: left | right
        case .shiftLeft: left << right
        case .shiftRight: left >> right
        }
    }

    /// Literals are the operands of other overloads.
    private func compared(
        _ left: SQLExpression, _ comparison: ComparisonOperator, _ literal: DatabaseValue?, _ right: SQLExpression
    ) -> SQLExpression {
        switch comparison {
        case .equal: literal.map { left == $0 } ?? (left == right)
        case .notEqual: literal.map { left != $0 } ?? (left != right)
        case .less: literal.map { left < $0 } ?? (left < right)
        case .lessOrEqual: literal.map { left <= $0 } ?? (left <= right)
        case .greater: literal.map { left > $0 } ?? (left > right)
        case .greaterOrEqual: literal.map { left >= $0 } ?? (left >= right)
        case .is: literal.map { left === $0 } ?? (left === right)
        case .isNot: literal.map { left !== $0 } ?? (left !== right)
        }
    }

    private func range(_ kind: RangeKind, _ element: SQLExpression, _ lower: Cell, _ upper: Cell) -> SQLExpression {
        switch (lower, upper) {
        case (.integer(let lower), .integer(let upper)): contains(kind, element, lower, upper)
        case (.real(let lower), .real(let upper)): contains(kind, element, lower, upper)
        case (.text(let lower), .text(let upper)):
            contains(kind, element, String(decoding: lower, as: UTF8.self), String(decoding: upper, as: UTF8.self))
        default: false.sqlExpression
        }
    }

    private func contains<Bound: Comparable & SQLExpressible>(
        _ kind: RangeKind, _ element: SQLExpression, _ lower: Bound, _ upper: Bound
    ) -> SQLExpression {
        switch kind {
        case .closed: (lower...upper).contains(element)
        case .halfOpen: (lower..<upper).contains(element)
        case .from: (lower...).contains(element)
        case .through: (...upper).contains(element)
        case .upTo: (..<upper).contains(element)
        }
    }

    private func cases(
        _ base: SQLExpression?, _ branches: [(SQLExpression, SQLExpression)], _ otherwise: SQLExpression?
    ) -> SQLExpression {
        let (condition, value) = branches[0]
        var result = base.map { SQLCase($0, when: condition, then: value) } ?? SQLCase(when: condition, then: value)
        for (condition, value) in branches.dropFirst() { result = result.when(condition, then: value) }
        return otherwise.map { result.else($0) } ?? result.sqlExpression
    }

    private func call(_ function: Function, _ arguments: [SQLExpression]) -> SQLExpression {
        let first = arguments[0]
        let rest = Array(arguments.dropFirst())
        return switch function {
        case .abs: abs(first)
        case .length: length(first)
        case .lower: SQLFunction.lower(first)
        case .upper: SQLFunction.upper(first)
        case .substr: SQLFunction.substr(arguments)
        case .instr: SQLFunction.instr(arguments)
        case .replace: SQLFunction.replace(arguments)
        case .trim: SQLFunction.trim(first)
        case .ltrim: SQLFunction.ltrim(first)
        case .rtrim: SQLFunction.rtrim(first)
        case .typeof: SQLFunction.typeof(first)
        case .hex: SQLFunction.hex(first)
        case .round: SQLFunction.round(first)
        case .sign: SQLFunction.sign(first)
        case .nullIf: SQLFunction.nullIf(arguments)
        case .coalesce: coalesce(arguments.map { $0 as any SQLSpecificExpressible })
        case .ifNull: first ?? rest[0]
        case .iif: iif(first, then: rest[0], else: rest[1])
        case .min: rest.count == 1 ? min(first, rest[0]) : min(first, rest[0], rest[1])
        case .max: rest.count == 1 ? max(first, rest[0]) : max(first, rest[0], rest[1])
        case .unicode: SQLFunction.unicode(first)
        case .octetLength: SQLFunction.octetLength(first)
        }
    }
}

extension Expr {
    fileprivate var literal: DatabaseValue? {
        if case .value(let cell) = self { return cell.databaseValue }
        return nil
    }
}
