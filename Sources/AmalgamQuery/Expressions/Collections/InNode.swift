import AmalgamCore

/// `"id" IN (1, 2, 3)`, and its negation. The set is a list of expressions, a subquery, or an array.
struct InNode: ExpressionNode {
    let element: any SQLNode

    /// The right side of the operator.
    let set: any SQLNode

    var isNegated = false

    var nestedNodes: [any SQLNode] { [element, set] }

    func write(to writer: inout SQLWriter) throws {
        guard let list = (set as? any KnownSetNode)?.largeList(in: writer) else {
            return try writeOperator(set, to: &writer)
        }
        guard let realList = list.comparableWithReal else { return try writeOperator(list, to: &writer) }
        writer.append("(")
        try writeOperator(list, to: &writer)
        writer.append(isNegated ? " OR (typeof(" : " AND (typeof(")
        try element.write(to: &writer)
        writer.append(isNegated ? ") = 'real' AND " : ") <> 'real' OR ")
        try writeOperator(realList, to: &writer)
        writer.append("))")
    }

    private func writeOperator(_ set: any SQLNode, to writer: inout SQLWriter) throws {
        try writer.append(operand: element)
        writer.append(isNegated ? " NOT IN " : " IN ")
        try set.write(to: &writer)
    }

    var negation: (any SQLNode)? { InNode(element: element, set: set, isNegated: !isNegated) }

    private var elements: [any SQLNode]? { (set as? any KnownSetNode)?.elements }

    var isConstant: Bool { elements.map { ([element] + $0).areConstant } ?? false }

    var isAggregate: Bool { elements.map { ([element] + $0).areAggregate } ?? false }

    var isComputedPerRow: Bool { elements.map { ([element] + $0).areComputedPerRow } ?? false }

    func rowIDs(in table: IdentifiedTable) throws -> Set<Int64>? {
        guard !isNegated, let values = elements as? [DatabaseValue] else { return nil }
        return try SQLExpression(node: element).isRowID(of: table) ? values.equalRowIDs : nil
    }

    func fixedValues(in table: IdentifiedTable) -> [TableName: Set<DatabaseValue>] {
        guard !isNegated, let values = elements as? [DatabaseValue], set is ListNode,
            let column = SQLExpression(node: element).plainColumn(in: table)
        else { return [:] }
        return [column: values.comparableValues]
    }
}

/// SQLite takes the collation from the operand on the left.
extension InNode: CollatableNode {
    func collated(by collation: String) -> any SQLNode {
        InNode(element: element.withCollation(collation), set: set, isNegated: isNegated)
    }
}

/// Membership in an empty list: `0`, or `1` if negated.
struct EmptySetNode: ExpressionNode {
    var isNegated = false

    var isAtom: Bool { true }

    var nestedNodes: [any SQLNode] { [] }

    func write(to writer: inout SQLWriter) throws {
        writer.append(isNegated.databaseValue)
    }

    var negation: (any SQLNode)? { EmptySetNode(isNegated: !isNegated) }

    var isConstant: Bool { true }

    var isComputedPerRow: Bool { true }

    func rowIDs(in table: IdentifiedTable) -> Set<Int64>? { isNegated ? nil : [] }
}

extension SQLExpression {
    /// Creates a condition that a list contains an element. A list of one element is written as an equality.
    ///
    /// If the element or the listed value is NULL, the condition is written `NULL IN (1)` or `"id" IN (NULL)`, which is
    /// neither true nor false. As an equality, it would be written with `IS`, which is true or false. A list of several
    /// values has the same meaning: `NULL IN (1, 2)` and `"id" IN (NULL, 1)` are never true for NULL.
    init(_ element: any SQLNode, isIn elements: [any SQLNode]) {
        if elements.isEmpty {
            self.init(node: EmptySetNode())
        } else if elements.count == 1, let equality = EqualityNode(element, equalTo: elements[0]) {
            self.init(node: equality)
        } else {
            self.init(node: InNode(element: element, set: ListNode(elements: elements)))
        }
    }
}

extension EqualityNode {
    /// Creates an equality that is written with `=`. Returns nil if an operand is NULL, also with a collation.
    fileprivate init?(_ left: any SQLNode, equalTo right: any SQLNode) {
        self.init(left, .equal, right)
        if comparison != .equal { return nil }
    }
}
