public import AmalgamCore

/// A conversion to a storage class: `CAST("score" AS REAL)`.
struct CastNode: CompositeNode {
    let node: any SQLNode
    let storageClass: Database.StorageClass

    var isAtom: Bool { true }

    var operands: [any SQLNode] { [node] }

    func write(to writer: inout SQLWriter) throws {
        writer.append("CAST(")
        try node.write(to: &writer)
        writer.append(" AS \(storageClass.rawValue))")
    }
}

/// Converts a value to a storage class: `CAST`.
///
/// ```swift
/// Player.select { cast($0.score, as: .real) / 3 }
/// // SELECT CAST("score" AS REAL) / 3 FROM "player"
/// ```
///
/// See <https://sqlite.org/lang_expr.html#castexpr>.
public func cast(_ expression: some SQLOperand, as storageClass: Database.StorageClass) -> SQLExpression {
    SQLExpression(node: CastNode(node: expression.sqlExpression.node, storageClass: storageClass))
}
