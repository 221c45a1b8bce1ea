public import AmalgamCore

/// An expression with a collation: `"name" COLLATE NOCASE`.
struct CollatedNode: CompositeNode {
    let node: any SQLNode

    /// The name of the collation, in SQL.
    let collation: String

    var operands: [any SQLNode] { [node] }

    func comparand(of value: any SQLExpressible) -> (any SQLNode)? { node.comparand(of: value) }

    func write(to writer: inout SQLWriter) throws {
        try writer.append(operand: node)
        writer.append(collation: collation)
    }

    func column(in table: IdentifiedTable) -> IdentifiedColumn? { SQLExpression(node: node).column(in: table) }
}

/// A node that applies a collation to its operands.
protocol CollatableNode: SQLNode {
    /// Returns the same node with strings compared by a collation. The parameter is the collation's name in SQL.
    func collated(by collation: String) -> any SQLNode
}

extension CollatedNode: CollatableNode {
    func collated(by collation: String) -> any SQLNode { CollatedNode(node: node, collation: collation) }
}

extension AliasedNode: CollatableNode {
    func collated(by collation: String) -> any SQLNode {
        AliasedNode(alias: alias, node: node.withCollation(collation))
    }
}

/// For `(a) AND (b)`, the collation is applied in `a` and in `b`. For other operators, it is applied to the result.
extension AssociativeNode: CollatableNode {
    func collated(by collation: String) -> any SQLNode {
        guard associativeOperator == .and || associativeOperator == .or else {
            return CollatedNode(node: self, collation: collation)
        }
        return AssociativeNode(associativeOperator, operands.map { $0.withCollation(collation) })
    }
}

extension SQLNode {
    /// Returns the node with strings compared by a collation. The parameter is the collation's name in SQL.
    func withCollation(_ collation: String) -> any SQLNode {
        (self as? any CollatableNode)?.collated(by: collation) ?? CollatedNode(node: self, collation: collation)
    }
}

/// An operand of a comparison, separated from its collation.
struct CollatedOperand {
    let node: any SQLNode
    let collation: String?

    init(_ node: any SQLNode) {
        switch node {
        case let collated as CollatedNode:
            self.init(node: collated.node, collation: collated.collation)
        case let aliased as AliasedNode:
            let operand = CollatedOperand(aliased.node)
            self.init(node: AliasedNode(alias: aliased.alias, node: operand.node), collation: operand.collation)
        default:
            self.init(node: node, collation: nil)
        }
    }

    private init(node: any SQLNode, collation: String?) {
        self.node = node
        self.collation = collation
    }
}

extension SQLWriter {
    /// Writes ` COLLATE NOCASE`, if there is a collation.
    mutating func append(collation: String?) {
        if let collation { append(" COLLATE \(collation)") }
    }
}

extension SQLSpecificExpressible {
    /// Returns the expression with a built-in or registered collation for comparing and sorting: `COLLATE`.
    ///
    /// ```swift
    /// Player.filter { $0.name.collating(.nocase) == "anna" }
    /// // SELECT * FROM "player" WHERE "name" = 'anna' COLLATE NOCASE
    /// Player.order { $0.name.collating(.nocase).desc }
    /// // SELECT * FROM "player" ORDER BY "name" COLLATE NOCASE DESC
    /// ```
    ///
    /// A comparison uses the collation for both operands, and `IN` uses it for the values of the list. `BETWEEN` uses
    /// it for the upper bound only: to use it for both bounds, write two comparisons. See
    /// <https://sqlite.org/datatype3.html#collating_sequences>.
    public func collating(_ collation: Database.CollationName) -> SQLExpression {
        SQLExpression(node: sqlExpression.node.withCollation(collation.rawValue.sqlName))
    }

    /// Returns the expression with a collation written in Swift for comparing and sorting: `COLLATE`.
    ///
    /// ```swift
    /// Player.order { $0.name.collating(.localizedCaseInsensitiveCompare) }
    /// // SELECT * FROM "player" ORDER BY "name" COLLATE swiftLocalizedCaseInsensitiveCompare
    /// ```
    public func collating(_ collation: DatabaseCollation) -> SQLExpression {
        SQLExpression(node: sqlExpression.node.withCollation(collation.name.sqlName))
    }
}
