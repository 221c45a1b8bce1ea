public import AmalgamCore
public import AmalgamQuery

extension JSONElements {
    /// Whether a value is among the elements.
    ///
    /// ```swift
    /// Player.filter { $0.tags.each.contains("swift") }
    /// // SELECT * FROM "player" WHERE 'swift' IN (SELECT "value" FROM json_each("player"."tags"))
    /// ```
    ///
    /// All elements are read, up to the first one that is equal: no index helps.
    ///
    /// Where a null is among the elements, SQL does not know of a value that it is not among them: neither the condition nor
    /// its negation is true then. `contains { $0.value == "swift" }` is always true or false. And true and 1 are equal, as
    /// values of SQL; the elements have a `type`.
    public func contains(_ value: some SQLExpressible) -> SQLExpression {
        let element = EncodedJSON.comparand(of: value, by: valueEncoder) ?? value.node
        return all().select(JSONElement.Columns.value).contains(SQLExpression(node: element))
    }

    /// Whether an element satisfies a condition, which may be about columns of the table around as well.
    ///
    /// ```swift
    /// Player.filter { player in player.scores.each.contains { $0.value > player.minimum } }
    /// // SELECT * FROM "player"
    /// // WHERE EXISTS (SELECT 1 FROM json_each("player"."scores")
    /// //               WHERE "json_each"."value" > "player"."minimum")
    /// ```
    public func contains(
        where predicate: (TableAlias<JSONElement>) throws -> any SQLSpecificExpressible
    ) rethrows -> SQLExpression {
        let element = TableAlias<JSONElement>()
        return SQLExpression(
            node: ElementExistence(elements: source, element: element, condition: try predicate(element).node))
    }

    /// Whether all elements satisfy a condition: no element for which it is false, or NULL.
    ///
    /// ```swift
    /// Player.filter { $0.scores.each.allSatisfy { $0.value > 0 } }
    /// // SELECT * FROM "player" WHERE NOT EXISTS (
    /// //   SELECT 1 FROM json_each("player"."scores") WHERE ("json_each"."value" > 0) IS NOT TRUE)
    /// ```
    ///
    /// It is true where there is no element.
    public func allSatisfy(
        _ predicate: (TableAlias<JSONElement>) throws -> any SQLSpecificExpressible
    ) rethrows -> SQLExpression {
        let element = TableAlias<JSONElement>()
        let condition = NotTrueNode(condition: try predicate(element).node)
        return SQLExpression(
            node: ElementExistence(elements: source, element: element, condition: condition, isNegated: true))
    }
}

/// `EXISTS (SELECT 1 FROM json_each("player"."scores") WHERE "json_each"."value" > 100)`, and its negation.
///
/// Columns in the condition are those of the table around. So they are written with its name, and those of the element
/// with a name that no other table has.
private struct ElementExistence: ExpressionNode {
    let elements: ElementsSource
    let element: TableAlias<JSONElement>
    let condition: any SQLNode
    var isNegated = false

    var negation: (any SQLNode)? {
        var node = self
        node.isNegated.toggle()
        return node
    }

    func write(to writer: inout SQLWriter) throws {
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
    /// The name of the function, with a number if it is taken.
    fileprivate func freeName(in writer: SQLWriter) -> String {
        if !writer.hasTable(named: name) { return name }
        var number = 2
        while writer.hasTable(named: "\(name)\(number)") { number += 1 }
        return "\(name)\(number)"
    }
}

/// `("value" > 0) IS NOT TRUE`
private struct NotTrueNode: SQLNode {
    let condition: any SQLNode

    func write(to writer: inout SQLWriter) throws {
        try writer.append(operand: condition)
        writer.append(" IS NOT TRUE")
    }
}
