import AmalgamCore
import Foundation

// The results of columns whose stored values SQL can't compute with as with numbers. Their operators are those of any
// expressions: these functions ask the result for the form of the other operand, and for the result of the operator.

/// An expression that is computed from a column with a format, or from decimals.
protocol FormattedResult: SQLNode {
    /// Returns how the stored form of a value differs from the value.
    func rounding(of value: any SQLExpressible) -> Rounding

    /// An operand that throws when it is written, if SQLite sorts results differently than their values.
    var orderMisuse: (any SQLNode)? { get }

    /// An operand that throws when it is written, if the values of an `SQLArray` have a different form than the results.
    var arrayMisuse: (any SQLNode)? { get }

    /// Returns an operand that throws when it is written, if a value of the given type isn't read from the result.
    func selectionMisuse(_ type: Any.Type) -> SQLExpression?

    /// Returns the result of an operator; nil if the operator is that of any expressions.
    func combined(_ operation: FormattedOperation, _ other: any SQLExpressible, isReversed: Bool) -> SQLExpression?

    /// Returns the result with a replacement for NULL.
    func replacingNull(by other: any SQLExpressible) -> SQLExpression

    /// The negated result.
    var negated: SQLExpression { get }

    /// The absolute value; nil if it is that of any expression.
    var magnitude: SQLExpression? { get }

    /// The result as an operand of a string function.
    var text: SQLExpression { get }

    /// Whether the result has the format of a column.
    func hasFormatOf<Other>(_ other: TypedColumn<Other>) -> Bool

    /// The result without its format.
    var plain: any SQLNode { get }
}

/// An operator of two numbers.
enum FormattedOperation {
    case add
    case subtract
    case multiply
    case other

    init(_ operation: SQLExpression.AssociativeBinaryOperator) {
        self =
            switch operation {
            case .add: .add
            case .multiply: .multiply
            default: .other
            }
    }

    init(_ operation: BinaryNode.Operator) { self = operation == .subtract ? .subtract : .other }
}

extension SQLNode {
    /// The node as a result with a format; nil for other nodes.
    var formattedResult: (any FormattedResult)? {
        self as? any FormattedResult ?? (self as? CollatedNode)?.node as? any FormattedResult
    }
}

/// Returns the result of an operator if one operand has a format; nil otherwise.
func formattedResult(
    _ lhs: some SQLExpressible, _ operation: FormattedOperation, _ rhs: some SQLExpressible
) -> SQLExpression? {
    if let result = lhs.sqlExpression.node.formattedResult {
        return result.combined(operation, rhs, isReversed: false)
    }
    return rhs.sqlExpression.node.formattedResult?.combined(operation, lhs, isReversed: true)
}

// MARK: - Formats

/// An expression that is compared with values in the format of a column.
struct FormattedNode<Value>: CompositeNode, FormattedResult {
    let node: any SQLNode
    let column: TypedColumn<Value>
    let format: StoredFormat<Value>

    var isAtom: Bool { node.isAtom }

    var operands: [any SQLNode] { [node] }

    var plain: any SQLNode { node }

    func write(to writer: inout SQLWriter) throws { try node.write(to: &writer) }

    /// An operand that has no value of the format is an error of the statement. A stored value, NULL and plain SQL are
    /// compared unchanged.
    func comparand(of value: any SQLExpressible) -> (any SQLNode)? {
        if let value = self.value(value) { return format.encode(value) }
        if let hasFormat = hasFormat(of: value) { return hasFormat ? nil : misuse(.formats) }
        if value is DatabaseValue || value.sqlExpression.node.isNull { return nil }
        return value is any DatabaseValueConvertible ? misuse(.formats) : nil
    }

    func rounding(of value: any SQLExpressible) -> Rounding {
        self.value(value).map { format.rounding(of: $0) } ?? .exact
    }

    var orderMisuse: (any SQLNode)? { format.keepsOrder ? nil : misuse(.order) }

    var arrayMisuse: (any SQLNode)? { column.storesUsualForms ? nil : misuse(.array) }

    func selectionMisuse(_ type: Any.Type) -> SQLExpression? { column.selectionMisuse(type) }

    func combined(_ operation: FormattedOperation, _ other: any SQLExpressible, isReversed: Bool) -> SQLExpression? {
        guard format.isLinear, operation == .add || operation == .subtract, let addend = addend(other) else {
            return column.misuse(.numbers)
        }
        let (left, right) = isReversed ? (addend, node) : (node, addend)
        if operation == .subtract { return carrying(BinaryNode(left, .subtract, right)) }
        return carrying(SQLExpression(AssociativeNode(.add, [left, right])).node)
    }

    func replacingNull(by other: any SQLExpressible) -> SQLExpression {
        let replacement = comparand(of: other) ?? other.sqlExpression.node
        return carrying(IfNullNode(value: node, replacement: replacement.formattedResult?.plain ?? replacement))
    }

    var negated: SQLExpression {
        format.isLinear ? carrying(UnaryNode(.minus, node)) : column.misuse(.numbers)
    }

    var magnitude: SQLExpression? {
        format.isLinear && format.keepsOrder
            ? carrying(SQLFunction.abs(SQLExpression(node: node)).node) : column.misuse(.numbers)
    }

    var text: SQLExpression { format.storesText ? SQLExpression(node: node) : column.misuse(.strings) }

    func hasFormatOf<Other>(_ other: TypedColumn<Other>) -> Bool { column.hasFormat(of: other) }

    /// Whether a column or a result has the format; nil for other expressions.
    private func hasFormat(of value: any SQLExpressible) -> Bool? {
        if let operand = value as? any FormattedOperand { return operand.hasFormat(of: column) }
        return value.sqlExpression.node.formattedResult?.hasFormatOf(column)
    }

    /// The value of the format that an operand has: a value of the type, or a number that the type has.
    private func value(_ operand: any SQLExpressible) -> Value? {
        func represented<Other: _RepresentedValue>(_ type: Other.Type) -> Value? {
            (operand as? Other.Number).map { Other(_number: $0) as! Value }
        }
        if let value = operand as? Value { return value }
        if let value = (Value.self as? any _RepresentedValue.Type).flatMap({ represented($0) }) { return value }
        guard Value.self is any SQLNumericValue.Type || Value.self is any _RepresentedValue.Type,
            let number = operand as? any DatabaseValueConvertible & Numeric
        else { return nil }
        return FormatSamples.value(of: number.databaseValue)
    }

    private func addend(_ other: any SQLExpressible) -> (any SQLNode)? {
        if let value = value(other) { return column.exactForm(of: value).node }
        guard hasFormat(of: other) ?? false else { return nil }
        let node = (other as? any FormattedOperand)?.columnNode ?? other.sqlExpression.node
        return node.formattedResult?.plain ?? node
    }

    private func carrying(_ node: any SQLNode) -> SQLExpression {
        SQLExpression(node: FormattedNode(node: node, column: column, format: format))
    }

    private func misuse(_ operation: FormatMisuse.Operation) -> any SQLNode { column.misuse(operation).node }
}

// MARK: - Decimals

/// An expression that is compared with numbers as with decimals, which are TEXT.
struct DecimalNode: CompositeNode, FormattedResult {
    let node: any SQLNode

    var isAtom: Bool { node.isAtom }

    var operands: [any SQLNode] { [node] }

    var plain: any SQLNode { node }

    func write(to writer: inout SQLWriter) throws { try node.write(to: &writer) }

    func comparand(of value: any SQLExpressible) -> (any SQLNode)? {
        switch value {
        case let value as Decimal: value.databaseValue
        case let value as any DatabaseValueConvertible & Numeric:
            Decimal.fromDatabaseValue(value.databaseValue)?.databaseValue
        default: nil
        }
    }

    func rounding(of value: any SQLExpressible) -> Rounding { .exact }

    var orderMisuse: (any SQLNode)? { nil }

    var arrayMisuse: (any SQLNode)? { nil }

    func selectionMisuse(_ type: Any.Type) -> SQLExpression? { nil }

    func combined(_ operation: FormattedOperation, _ other: any SQLExpressible, isReversed: Bool) -> SQLExpression? {
        let operand = operand(other)
        let (left, right) = isReversed ? (operand, node) : (node, operand)
        switch operation {
        case .add: return carrying(decimals("decimal_add", left, right))
        case .subtract: return carrying(decimals("decimal_sub", left, right))
        case .multiply: return carrying(decimals("decimal_mul", left, right))
        case .other: return nil
        }
    }

    func replacingNull(by other: any SQLExpressible) -> SQLExpression {
        carrying(IfNullNode(value: node, replacement: operand(other)))
    }

    var negated: SQLExpression { carrying(decimals("decimal_sub", Decimal(0).databaseValue, node)) }

    var magnitude: SQLExpression? { nil }

    var text: SQLExpression { SQLExpression(node: node) }

    func hasFormatOf<Other>(_ other: TypedColumn<Other>) -> Bool { other.format == nil }

    private func operand(_ other: any SQLExpressible) -> any SQLNode {
        let node = (other as? any FormattedOperand)?.columnNode ?? other.sqlExpression.node
        return comparand(of: other) ?? node.formattedResult?.plain ?? node
    }

    private func carrying(_ node: any SQLNode) -> SQLExpression {
        SQLExpression(node: DecimalNode(node: node).collatedAsDecimal)
    }
}
