public import AmalgamCore
public import AmalgamQuery

extension ColumnExpression {
    /// Returns a condition that is true if the column of an ``FTS3`` or ``FTS4`` table matches a pattern.
    ///
    /// ```swift
    /// let pattern = FTS3Pattern(matchingPhrase: "moby dick")
    /// Document.filter { $0.title.match(pattern) }
    /// // SELECT * FROM "document" WHERE "title" MATCH '"moby dick"'
    /// Document.filter(Column("document").match(pattern))   // any column
    /// ```
    ///
    /// - Parameter pattern: The pattern. If nil, the condition is false.
    public func match(_ pattern: FTS3Pattern?) -> SQLExpression {
        guard let pattern else { return false.sqlExpression }
        return SQLExpression(node: MatchNode(target: sqlExpression.node, pattern: pattern.databaseValue))
    }

    /// Returns a condition that is true if the column of an ``FTS5`` table matches a pattern.
    ///
    /// ```swift
    /// let pattern = try FTS5Pattern(rawPattern: "moby dick")
    /// Document.filter { $0.title.match(pattern) }
    /// // SELECT * FROM "document" WHERE "title" MATCH 'moby dick'
    /// Document.filter(Column("document").match(pattern))   // any column
    /// ```
    public func match(_ pattern: FTS5Pattern) -> SQLExpression {
        SQLExpression(node: MatchNode(target: sqlExpression.node, pattern: pattern.databaseValue))
    }
}

extension TypedColumn {
    /// Returns a condition that is true if the column of an ``FTS3`` or ``FTS4`` table matches a pattern.
    ///
    /// - Parameter pattern: The pattern. If nil, the condition is false.
    public func match(_ pattern: FTS3Pattern?) -> SQLExpression { untyped.match(pattern) }

    /// Returns a condition that is true if the column of an ``FTS5`` table matches a pattern.
    ///
    /// ```swift
    /// let title = TypedColumn<String>("title")
    /// let pattern = try FTS5Pattern(rawPattern: "moby dick")
    /// Document.filter { _ in title.match(pattern) }
    /// // SELECT * FROM "document" WHERE "title" MATCH 'moby dick'
    /// ```
    public func match(_ pattern: FTS5Pattern) -> SQLExpression { untyped.match(pattern) }
}
