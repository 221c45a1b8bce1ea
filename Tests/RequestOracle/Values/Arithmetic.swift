// The operators of SQLite: <https://sqlite.org/lang_expr.html#operators>.

enum ArithmeticOperator: String, CaseIterable, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
    case bitAnd = "&"
    case bitOr = "|"
    case shiftLeft = "<<"
    case shiftRight = ">>"

    func callAsFunction(_ left: Cell, _ right: Cell) throws -> Cell {
        switch self {
        case .bitAnd, .bitOr, .shiftLeft, .shiftRight:
            guard let left = try left.integer, let right = try right.integer else { return .null }
            return .integer(bits(left, right))
        case .add, .subtract, .multiply, .divide, .remainder:
            let (left, right) = (try left.operand, try right.operand)
            if left.isNull || right.isNull { return .null }
            if case .integer(let left) = left, case .integer(let right) = right, let result = integers(left, right) {
                return result
            }
            return try reals(left.double, right.double)
        }
    }

    private func bits(_ left: Int64, _ right: Int64) -> Int64 {
        switch self {
        case .bitAnd: left & right
        case .bitOr: left | right
        case .shiftLeft: Self.shift(left, by: right)
        default: Self.shift(left, by: right == .min ? .max : -right)
        }
    }

    private static func shift(_ number: Int64, by count: Int64) -> Int64 {
        if count >= 0 { return count >= 64 ? 0 : number << count }
        return count <= -64 ? (number < 0 ? -1 : 0) : number >> -count
    }

    /// The result for two integers; nil if it is a real number.
    private func integers(_ left: Int64, _ right: Int64) -> Cell? {
        let result: (partialValue: Int64, overflow: Bool)
        switch self {
        case .add: result = left.addingReportingOverflow(right)
        case .subtract: result = left.subtractingReportingOverflow(right)
        case .multiply: result = left.multipliedReportingOverflow(by: right)
        case .divide:
            if right == 0 { return .null }
            result = left.dividedReportingOverflow(by: right)
        default:
            if right == 0 { return .null }
            return .integer(right == -1 ? 0 : left % right)
        }
        return result.overflow ? nil : .integer(result.partialValue)
    }

    private func reals(_ left: Double, _ right: Double) throws -> Cell {
        let result: Double
        switch self {
        case .add: result = left + right
        case .subtract: result = left - right
        case .multiply: result = left * right
        case .divide:
            if right == 0 { return .null }
            result = left / right
        default:
            let (left, right) = (try Cell.real(left).integer!, try Cell.real(right).integer!)
            if right == 0 { return .null }
            result = Double(right == -1 ? 0 : left % right)
        }
        return result.isNaN ? .null : .real(result)
    }
}

extension Cell {
    /// The value of a number.
    var double: Double {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .null, .text, .blob: 0
        }
    }

    func negated() throws -> Cell { try ArithmeticOperator.subtract(.integer(0), self) }

    func complement() throws -> Cell { try integer.map { .integer(~$0) } ?? .null }

    /// Concatenates strings: `||`.
    static func concatenation(_ cells: [Cell]) throws -> Cell {
        var result: [UInt8] = []
        for cell in cells {
            if case .blob = cell { throw Undecided.uncomputed("a concatenated blob") }
            guard let bytes = try cell.bytes else { return .null }
            result += bytes
        }
        return .text(result)
    }
}

/// AND and OR, with NULL as a third value.
enum Logic {
    static func and(_ conditions: [Bool?]) -> Bool? {
        conditions.contains(false) ? false : conditions.contains(nil) ? nil : true
    }

    static func or(_ conditions: [Bool?]) -> Bool? {
        conditions.contains(true) ? true : conditions.contains(nil) ? nil : false
    }
}
