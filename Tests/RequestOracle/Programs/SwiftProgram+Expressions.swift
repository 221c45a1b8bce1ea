extension SwiftProgram {
    mutating func text(_ order: Order) -> String {
        let term = text(order.term, isOperand: true)
        return order.direction == .unstated ? term : "\(term).\(order.direction)"
    }

    private mutating func list(_ expressions: [Expr]) -> String {
        expressions.map { text($0) }.joined(separator: ", ")
    }

    /// Returns the expression as Swift.
    ///
    /// - Parameter isOperand: whether an operator or a method follows, so that the text must be one term.
    mutating func text(_ expression: Expr, isOperand: Bool = false) -> String {
        let (text, isTerm) = parts(expression)
        return isOperand && !isTerm ? "(\(text))" : text
    }

    private mutating func operand(_ expression: Expr) -> String { text(expression, isOperand: true) }

    /// Returns the text, and whether it is one term.
    private mutating func parts(_ expression: Expr) -> (String, Bool) {
        switch expression {
        case .column(let source, let name, let isAliased):
            return (isAliased ? "t\(source)[\"\(name)\"]" : "Column(\"\(name)\")", true)
        case .value(let cell): return ("\(cell.swift).sqlExpression", true)
        case .collated(let part, let collation): return ("\(operand(part)).collating(.\(collation))", true)
        case .unary(let unaryOperator, let part): return ("\(unaryOperator.rawValue)\(operand(part))", false)
        case .arithmetic(let arithmeticOperator, let left, let right):
            return ("\(operand(left)) \(arithmeticOperator.rawValue) \(operand(right))", false)
        case .comparison(let comparison, let left, .value(let cell)):
            let value = cell.isNull ? "nil" : "\(cell.swift).databaseValue"
            return ("\(operand(left)) \(comparison.rawValue) \(value)", false)
        case .comparison(let comparison, let left, let right):
            return ("\(operand(left)) \(comparison.rawValue) \(operand(right))", false)
        case .logic(let isAnd, let left, let right):
            return ("\(operand(left)) \(isAnd ? "&&" : "||") \(operand(right))", false)
        case .concatenation(let parts): return ("[\(list(parts))].joined(operator: .concat)", true)
        case .range(let kind, let element, let lower, let upper):
            return ("(\(kind.text(lower.swift, upper.swift))).contains(\(text(element)))", true)
        case .inList(let element, let elements):
            return ("([\(list(elements))] as [SQLExpression]).contains(\(text(element)))", true)
        case .inQuery(let element, let query): return ("\(text(query)).contains(\(text(element)))", true)
        case .exists(let query): return ("\(text(query)).exists()", true)
        case .scalar(let query): return ("\(text(query)).sqlExpression", true)
        case .like(let string, let pattern): return ("\(operand(string)).like(\(text(pattern)))", true)
        case .glob(let string, let pattern): return ("\(operand(string)).glob(\(text(pattern)))", true)
        case .cases(let base, let branches, let otherwise): return (cases(base, branches, otherwise), true)
        case .function(let function, let arguments): return call(function, arguments)
        case .cast(let part, let affinity):
            return ("cast(\(text(part)), as: .\(affinity.rawValue.lowercased()))", true)
        case .aggregate(let aggregate): return (text(aggregate), true)
        case .window(let aggregate, let window): return ("\(text(aggregate)).over(\(text(window)))", true)
        case .windowFunction(let function, let arguments, let window):
            var texts = arguments.map { text($0) }
            if texts.count == 3 { texts[2] = "default: \(texts[2])" }
            return ("\(function)(\(texts.joined(separator: ", "))).over(\(text(window)))", true)
        }
    }

    private mutating func cases(_ base: Expr?, _ branches: [CaseBranch], _ otherwise: Expr?) -> String {
        var result = ""
        for (index, branch) in branches.enumerated() {
            let arguments = "when: \(text(branch.condition)), then: \(text(branch.value))"
            if index > 0 {
                result += ".when(\(text(branch.condition)), then: \(text(branch.value)))"
            } else {
                result = "SQLCase(" + (base.map { text($0) + ", " } ?? "") + arguments + ")"
            }
        }
        return otherwise.map { "\(result).else(\(text($0)))" } ?? "\(result).sqlExpression"
    }

    private mutating func call(_ function: Function, _ arguments: [Expr]) -> (String, Bool) {
        switch function {
        case .ifNull: ("\(operand(arguments[0])) ?? \(operand(arguments[1]))", false)
        case .iif:
            ("iif(\(text(arguments[0])), then: \(text(arguments[1])), else: \(text(arguments[2])))", true)
        case .coalesce: ("coalesce([\(list(arguments))] as [any SQLSpecificExpressible])", true)
        case .abs, .length, .min, .max: ("\(function)(\(list(arguments)))", true)
        default: ("SQLFunction.\(function)(\(list(arguments)))", true)
        }
    }

    private mutating func text(_ aggregate: Aggregate) -> String {
        var arguments = aggregate.argument.map { [(aggregate.isDistinct ? "distinct: " : "") + text($0)] } ?? []
        if let order = aggregate.order { arguments.append("orderBy: \(text(order))") }
        if let filter = aggregate.filter { arguments.append("filter: \(text(filter))") }
        return "\(aggregate.name)(\(arguments.joined(separator: ", ")))"
    }

    private mutating func text(_ window: Window) -> String {
        let orders = window.orders.map { text($0) }.joined(separator: ", ")
        let frame = window.frame.map { ", frame: \($0.text)" } ?? ""
        return "SQLWindow(partitionBy: [\(list(window.partitions))], orderBy: [\(orders)]\(frame))"
    }
}

extension Window.Frame {
    fileprivate var text: String {
        let excluding = exclusion.map { ", excluding: .\($0)" } ?? ""
        return ".\(unit)(from: .\(start), to: .\(end)\(excluding))"
    }
}

extension RangeKind {
    fileprivate func text(_ lower: String, _ upper: String) -> String {
        switch self {
        case .closed: "\(lower)...\(upper)"
        case .halfOpen: "\(lower)..<\(upper)"
        case .from: "\(lower)..."
        case .through: "...\(upper)"
        case .upTo: "..<\(upper)"
        }
    }
}

extension Cell {
    /// The value as a Swift literal.
    var swift: String {
        switch self {
        case .null: "DatabaseValue.null"
        case .integer(let number): number < 0 ? "(\(number))" : "\(number)"
        case .real(let number): number < 0 ? "(\(number))" : "\(number)"
        case .text(let bytes): String(reflecting: String(decoding: bytes, as: UTF8.self))
        case .blob(let bytes): "Data([\(bytes.map { "\($0)" }.joined(separator: ", "))])"
        }
    }
}
