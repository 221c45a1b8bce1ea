public import AmalgamCore
public import AmalgamQuery

extension JSONElements {
    /// Returns a condition that is true if one of the elements is equal to a value.
    ///
    /// ```swift
    /// Player.filter { $0.tags.each.contains("swift") }
    /// // SELECT * FROM "player" WHERE 'swift' IN (SELECT "value" FROM json_each("player"."tags"))
    /// ```
    ///
    /// SQLite reads the elements up to the first equal one, without an index.
    ///
    /// If no element is equal and an element is null, the condition is NULL, and so is its negation. To get false
    /// instead, use `contains { $0.value == "swift" }`. JSON true and 1 are equal SQL values. To distinguish them,
    /// compare the element's `type`.
    public func contains(_ value: some SQLExpressible) -> SQLExpression {
        let element = EncodedJSON.comparand(of: value, by: valueEncoder) ?? value.node
        return all().select(JSONElement.Columns.value).contains(SQLExpression(node: element))
    }

    /// Returns a condition that is true if at least one element satisfies a predicate. The predicate may also use
    /// columns of the outer statement.
    ///
    /// ```swift
    /// Player.filter { player in player.scores.each.contains { $0.value > player.minimum } }
    /// // SELECT * FROM "player"
    /// // WHERE EXISTS (SELECT 1 FROM json_each("player"."scores")
    /// //               WHERE "json_each"."value" > "player"."minimum")
    /// ```
    public func contains(
        where predicate: (TableAlias<JSONElement>) throws -> any SQLCondition
    ) rethrows -> SQLExpression {
        let element = TableAlias<JSONElement>()
        return SQLExpression(
            node: ElementExistence(
                elements: source, element: element, condition: try predicate(element).conditionExpression.node))
    }

    /// Returns a condition that is true if all elements satisfy a predicate. If the predicate is NULL for an element,
    /// the condition is false.
    ///
    /// ```swift
    /// Player.filter { $0.scores.each.allSatisfy { $0.value > 0 } }
    /// // SELECT * FROM "player" WHERE NOT EXISTS (
    /// //   SELECT 1 FROM json_each("player"."scores") WHERE ("json_each"."value" > 0) IS NOT TRUE)
    /// ```
    ///
    /// The condition is true if there are no elements.
    public func allSatisfy(
        _ predicate: (TableAlias<JSONElement>) throws -> any SQLCondition
    ) rethrows -> SQLExpression {
        let element = TableAlias<JSONElement>()
        let condition = NotTrueNode(condition: try predicate(element).conditionExpression.node)
        return SQLExpression(
            node: ElementExistence(elements: source, element: element, condition: condition, isNegated: true))
    }
}

/// A node such as `EXISTS (SELECT 1 FROM json_each("player"."scores") WHERE "json_each"."value" > 100)`, or its
/// negation.
///
/// Unqualified columns in the predicate belong to the table of the outer statement, and are qualified with its name:
/// `"player"."minimum"`. The columns of the element are qualified with the name of the function, or with an alias such
/// as `json_each2` if the outer statement already uses this name.
private struct ElementExistence: ExpressionNode {
    let elements: ElementsSource
    let element: TableAlias<JSONElement>
    let condition: any SQLNode
    var isNegated: Bool

    let storedDepth: Int?

    /// An aggregate in the arguments or in the condition belongs to the subquery, not to the statement of this node.
    var nestedNodes: [any SQLNode] { [] }

    init(elements: ElementsSource, element: TableAlias<JSONElement>, condition: any SQLNode, isNegated: Bool = false) {
        self.elements = elements
        self.element = element
        self.condition = condition
        self.isNegated = isNegated
        storedDepth = 1 + Swift.max(condition.depth, elements.nestedNodes.map(\.depth).max() ?? 0)
    }

    var negation: (any SQLNode)? {
        var node = self
        node.isNegated.toggle()
        return node
    }

    func write(to writer: inout SQLWriter) throws {
        try writer.checkDepth()
        var outer = writer.scope
        outer?.isQualified = true
        let name = elements.freeName(in: writer)
        let scope = SQLScope(elements, name: name, isQualified: true)
        writer.append(isNegated ? "NOT EXISTS (SELECT 1 FROM " : "EXISTS (SELECT 1 FROM ")
        try writer.statement(aliases: [ObjectIdentifier(element): scope]) { writer in
            try writer.within(outer) { writer in
                try elements.write(to: &writer)
                if name != elements.name { writer.append(" \(name.quotedDatabaseIdentifier)") }
                writer.append(" WHERE ")
                try condition.write(to: &writer)
            }
        }
        writer.append(")")
    }
}

extension ElementsSource {
    /// The name of the function, with a number appended if it is already used.
    fileprivate func freeName(in writer: SQLWriter) -> String {
        if !writer.hasTable(named: name) { return name }
        var number = 2
        while writer.hasTable(named: "\(name)\(number)") { number += 1 }
        return "\(name)\(number)"
    }
}

/// A condition that is true if another one is false or NULL: `("value" > 0) IS NOT TRUE`.
private struct NotTrueNode: SQLNode {
    let condition: any SQLNode

    var nestedNodes: [any SQLNode] { [condition] }

    func write(to writer: inout SQLWriter) throws {
        try writer.append(operand: condition)
        writer.append(" IS NOT TRUE")
    }
}
