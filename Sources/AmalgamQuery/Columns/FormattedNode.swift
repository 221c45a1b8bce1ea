package import AmalgamCore
import Foundation

// Expressions without a type that are computed from a typed column, such as the aggregates of an association, are compared
// with values in the format of the column.

/// A typed column, whatever its type is.
protocol FormattedOperand {
    /// The column without the collation of decimals.
    var columnNode: any SQLNode { get }

    /// The column as an operand whose order counts.
    var ordered: SQLExpression { get }

    /// The column as an operand that is added.
    var addend: SQLExpression { get }

    /// The column as a condition.
    var truth: SQLExpression { get }

    /// The column as an operand of an average, whose result is compared with values in the format of the column.
    var averagedInFormat: SQLExpression { get }

    /// Returns a result that is compared with values in the format of the column.
    func carryingFormat(_ result: SQLExpression) -> SQLExpression
}

extension TypedColumn: FormattedOperand {
    var columnNode: any SQLNode { node }

    var truth: SQLExpression {
        guard let format, let truth = format.storedTruth, !format.storesTruth else { return sqlExpression }
        return equality(self, .equal, truth)
    }

    var averagedInFormat: SQLExpression { format?.storesNumbers ?? true ? sqlExpression : misuse(.numbers) }

    func carryingFormat(_ result: SQLExpression) -> SQLExpression {
        if let format { return SQLExpression(node: FormattedNode(node: result.node, format: format)) }
        return isOrderedByCollation
            ? SQLExpression(node: DecimalNode(node: result.node).collatedAsDecimal) : result
    }
}

extension SQLExpressible {
    /// The expression as a condition. A column of Booleans whose stored form SQL doesn't read as true or false is compared
    /// with that of true: `"isPaid" = 'yes'`.
    package var conditionExpression: SQLExpression {
        if let expression = self as? SQLExpression { return expression }
        return (self as? any FormattedOperand)?.truth ?? sqlExpression
    }
}

extension SQLOperand {
    /// The expression as an operand whose order counts.
    var orderOperand: SQLExpression { (self as? any FormattedOperand)?.ordered ?? sqlExpression }

    /// The expression as an operand that is added.
    var sumOperand: SQLExpression { (self as? any FormattedOperand)?.addend ?? sqlExpression }

    /// The expression as an operand of an average.
    var averageOperand: SQLExpression { (self as? any FormattedOperand)?.averagedInFormat ?? sqlExpression }
}

/// An expression that is compared with values in the format of a column.
private struct FormattedNode<Value>: CompositeNode {
    let node: any SQLNode
    let format: StoredFormat<Value>

    var isAtom: Bool { node.isAtom }

    var operands: [any SQLNode] { [node] }

    func comparand(of value: any SQLExpressible) -> (any SQLNode)? {
        if let value = value as? Value { return format.encode(value) }
        return (Value.self as? any _RepresentedValue.Type).flatMap { represented(value, $0) }
    }

    private func represented<Number: _RepresentedValue>(
        _ value: any SQLExpressible, _ type: Number.Type
    ) -> (any SQLNode)? {
        (value as? Number.Number).map { format.encode(Number(_number: $0) as! Value) }
    }

    func write(to writer: inout SQLWriter) throws { try node.write(to: &writer) }
}

/// An expression that is compared with numbers as with decimals, which are TEXT.
private struct DecimalNode: CompositeNode {
    let node: any SQLNode

    var isAtom: Bool { node.isAtom }

    var operands: [any SQLNode] { [node] }

    func comparand(of value: any SQLExpressible) -> (any SQLNode)? {
        switch value {
        case let value as Decimal: value.databaseValue
        case let value as any DatabaseValueConvertible & Numeric:
            Decimal.fromDatabaseValue(value.databaseValue)?.databaseValue
        default: nil
        }
    }

    func write(to writer: inout SQLWriter) throws { try node.write(to: &writer) }
}
