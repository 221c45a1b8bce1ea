import AmalgamCore

extension (any SQLExpressible)? {
    /// The expression, or NULL.
    var sqlExpression: SQLExpression { self?.sqlExpression ?? DatabaseValue.null.sqlExpression }
}
