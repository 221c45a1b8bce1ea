public import AmalgamCore

/// `"name" LIKE 'A%' ESCAPE '\'`, `"name" GLOB 'A*'`, and their negations.
struct PatternNode: CompositeNode {
    enum Operator: String {
        case like = "LIKE "
        case glob = "GLOB "
    }

    let text: any SQLNode
    let match: Operator
    let pattern: any SQLNode
    var escape: (any SQLNode)?
    var isNegated = false

    var operands: [any SQLNode] { [text, pattern] + [escape].compactMap(\.self) }

    func write(to writer: inout SQLWriter) throws {
        try writer.append(operand: text)
        writer.append(isNegated ? " NOT " : " ")
        writer.append(match.rawValue)
        try writer.append(operand: pattern)
        if let escape {
            writer.append(" ESCAPE ")
            try writer.append(operand: escape)
        }
    }

    var negation: (any SQLNode)? {
        var node = self
        node.isNegated.toggle()
        return node
    }
}

extension SQLSpecificExpressible {
    /// Returns an expression that is true if the string matches a `LIKE` pattern. In the pattern, `%` matches any
    /// characters, and `_` matches one character.
    ///
    /// ```swift
    /// Player.filter { $0.name.like("A%") }
    /// // SELECT * FROM "player" WHERE "name" LIKE 'A%'
    /// Book.filter { $0.title.like("100\\%%", escape: "\\") }
    /// // SELECT * FROM "book" WHERE "title" LIKE '100\%%' ESCAPE '\'
    /// ```
    ///
    /// ASCII letters match case-insensitively, other letters case-sensitively:
    /// <https://sqlite.org/lang_expr.html#like>.
    ///
    /// - Parameters:
    ///   - pattern: the pattern.
    ///   - escape: a character. A `%` or `_` that follows this character in the pattern matches only itself.
    public func like(_ pattern: some SQLExpressible, escape: (any SQLExpressible)? = nil) -> SQLExpression {
        SQLExpression(
            node: PatternNode(
                text: sqlExpression.node, match: .like, pattern: pattern.sqlExpression.node,
                escape: escape?.sqlExpression.node))
    }

    /// Returns an expression that is true if the string matches a `GLOB` pattern, with `*`, `?` and `[a-z]`. The
    /// comparison is case-sensitive.
    ///
    /// ```swift
    /// Book.filter { $0.title.glob("The *") }
    /// // SELECT * FROM "book" WHERE "title" GLOB 'The *'
    /// ```
    ///
    /// See <https://sqlite.org/lang_expr.html#glob>.
    public func glob(_ pattern: some SQLExpressible) -> SQLExpression {
        SQLExpression(
            node: PatternNode(text: sqlExpression.node, match: .glob, pattern: pattern.sqlExpression.node))
    }
}
