import AmalgamCore

/// `-"score"`, `~"flags"`
struct UnaryNode: CompositeNode {
    enum Operator: String {
        case minus = "-"
        case complement = "~"
    }

    let operation: Operator
    let node: any SQLNode

    init(_ operation: Operator, _ node: any SQLNode) {
        self.operation = operation
        self.node = node
    }

    var operands: [any SQLNode] { [node] }

    func write(to writer: inout SQLWriter) throws {
        writer.append(operation.rawValue)
        // `--1` begins a comment in SQL.
        let mayHaveSign = node is DatabaseValue && !writer.acceptsArguments
        if mayHaveSign { writer.append("(") }
        try writer.append(operand: node)
        if mayHaveSign { writer.append(")") }
    }

    /// Different numbers have different negations.
    func column(in table: IdentifiedTable) -> IdentifiedColumn? {
        guard operation == .minus, let column = SQLExpression(node: node).column(in: table) else { return nil }
        return IdentifiedColumn(name: column.name, isExact: false)
    }
}
