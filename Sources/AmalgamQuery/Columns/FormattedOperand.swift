package import AmalgamCore

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

    /// Whether another column stores values in the same format.
    func hasFormat<Other>(of other: TypedColumn<Other>) -> Bool

    /// Returns an operand that throws when it is written, if a value of the given type isn't read from the column.
    func selectionMisuse(_ type: Any.Type) -> SQLExpression?

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
        if let format { return SQLExpression(node: FormattedNode(node: result.node, column: self, format: format)) }
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
