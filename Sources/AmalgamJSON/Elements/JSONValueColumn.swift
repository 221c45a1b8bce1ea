public import AmalgamCore
public import AmalgamQuery

/// A column of ``JSONElement`` that holds a value inside JSON.
///
/// Comparisons encode Swift values as the default JSON encoder does: dates as milliseconds since 1970, UUIDs as
/// strings, and data as Base64. If the JSON was written by a different encoder, compare with the string or number that
/// this encoder writes.
///
/// ```swift
/// Player.filter { $0.dates.each.contains { $0.value > Date(timeIntervalSince1970: 60) } }
/// // SELECT * FROM "player"
/// // WHERE EXISTS (SELECT 1 FROM json_each("player"."dates") WHERE "json_each"."value" > 60000)
/// ```
public struct JSONValueColumn: ColumnExpression, Sendable {
    public let name: String

    init(_ name: String) {
        self.name = name
    }

    public var sqlExpression: SQLExpression { SQLExpression(node: ElementValueNode(name: name)) }
}

/// A column of an element, written as `"value"` or `"json_each"."value"`.
private struct ElementValueNode: SQLNode {
    let name: String

    var isAtom: Bool { true }

    var nestedNodes: [any SQLNode] { [] }

    func comparand(of value: any SQLExpressible) -> (any SQLNode)? { EncodedJSON.comparand(of: value, by: nil) }

    func write(to writer: inout SQLWriter) throws { writer.append(column: name) }
}
