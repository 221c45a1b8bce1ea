import AmalgamCore

/// `"score" = 10`, `"score" IS 10`, `"score" IS NULL`, and their negations.
///
/// In SQL, a comparison with NULL by `=` is never true. A comparison with nil is written `IS NULL` or `IS NOT NULL`.
struct EqualityNode: CompositeNode {
    enum Operator: String {
        case equal = " = "
        case notEqual = " <> "
        case `is` = " IS "
        case isNot = " IS NOT "

        /// Whether the condition is true for equal values.
        var isPositive: Bool { self == .equal || self == .is }

        fileprivate var negation: Operator {
            switch self {
            case .equal: .notEqual
            case .notEqual: .equal
            case .is: .isNot
            case .isNot: .is
            }
        }

        /// The operator that compares with NULL.
        fileprivate var withNull: Operator { isPositive ? .is : .isNot }
    }

    let comparison: Operator
    let compared: ComparedOperands

    init(_ left: any SQLNode, _ comparison: Operator, _ right: any SQLNode) {
        let compared = ComparedOperands(left, right).withNullOnTheRight
        self.init(comparison: compared.right.isNull ? comparison.withNull : comparison, compared: compared)
    }

    private init(comparison: Operator, compared: ComparedOperands) {
        self.comparison = comparison
        self.compared = compared
    }

    var operands: [any SQLNode] { compared.nodes }

    func write(to writer: inout SQLWriter) throws {
        try writer.append(operand: compared.left)
        writer.append(comparison.rawValue)
        try writer.append(operand: compared.right)
        writer.append(collation: compared.collation)
    }

    var negation: (any SQLNode)? { EqualityNode(comparison: comparison.negation, compared: compared) }
}

extension EqualityNode: CollatableNode {
    func collated(by collation: String) -> any SQLNode {
        EqualityNode(comparison: comparison, compared: compared.collated(by: collation))
    }
}

// MARK: - Known columns and values

extension EqualityNode {
    /// Each operand of a true equality, with the other operand.
    private var sides: [(operand: SQLExpression, other: SQLExpression)] {
        let (left, right) = (SQLExpression(node: compared.left), SQLExpression(node: compared.right))
        return comparison.isPositive ? [(left, right), (right, left)] : []
    }

    /// The equalities of the columns, if two rows are compared: `("a", "b") = (1, 2)`.
    private var equalitiesOfRows: [EqualityNode] {
        guard comparison.isPositive, let left = compared.left as? RowValueNode,
            let right = compared.right as? RowValueNode, left.columns.count == right.columns.count
        else { return [] }
        return zip(left.columns, right.columns).map { EqualityNode($0, comparison, $1) }
    }

    func fixedColumns(in table: IdentifiedTable) throws -> Set<TableName> {
        let columns = sides.filter(\.other.isConstant).compactMap { $0.operand.column(in: table)?.name }
        return try equalitiesOfRows.reduce(into: Set(columns)) { try $0.formUnion($1.fixedColumns(in: table)) }
    }

    func rowIDs(in table: IdentifiedTable) throws -> Set<Int64>? {
        for (operand, other) in sides where try operand.isRowID(of: table) {
            if let value = other.node as? DatabaseValue { return [value].equalRowIDs }
        }
        return nil
    }

    func fixedValues(in table: IdentifiedTable) throws -> [TableName: Set<DatabaseValue>] {
        guard compared.collation == nil else { return [:] }
        for (operand, other) in sides {
            guard let column = operand.plainColumn(in: table), let value = other.node as? DatabaseValue, !value.isNull
            else { continue }
            return [column: [value]]
        }
        return try equalitiesOfRows.reduce(into: [:]) { values, equality in
            try values.merge(equality.fixedValues(in: table)) { first, _ in first }
        }
    }
}
